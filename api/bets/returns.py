"""What can be bet on each game, with odds and exact worth: the answers of the public calls."""

from __future__ import annotations

from functools import lru_cache

from msgspec import UNSET

from api.answers import bets as answers
from api.paytables.offered import bets_of
from api.problems import Code, Problem
from api.rounds.reading import table_row
from api.sql.database import Database
from api.store.contents import decode_rules, decode_state
from api.world.cooperation import yielding
from fairness.draws.game import Game, Rules
from games import GAMES
from games.bets import BETS
from games.bets.bet import Bet, Odds
from games.bets.game_bets import GameBets
from games.bets.worth import has_worth, worth
from games.facts import facts_of


def list_games() -> list[answers.Game]:
    """Return every game that is known by its name: where the regulation has it, its lead, and how its bets are
    written.
    """
    return [
        answers.Game(
            game=game.name,
            lead=game.lead,
            section=BETS[game.name].section or UNSET,
            options=_options(BETS[game.name]),
        )
        for game in GAMES.values()
    ]


def show_game(name: str) -> answers.Returns:
    """Return one game under its usual rules. Raises `Problem`."""
    if name not in GAMES:
        raise Problem(
            Code.UNKNOWN_GAME,
            f"no game {name[:40]!r} is known by its name; there are {', '.join(GAMES)}."
            " The bets of a declared game are at its tables: GET /v1/tables/{table}/bets",
        )
    return _game(GAMES[name], BETS[name], facts_of(name).default_rules)


def show_bets(database: Database, table: str) -> answers.Returns:
    """Return the game of a table under its rules. Raises `Problem`."""
    row = table_row(database, table)
    state = decode_state(row.queued_state)
    game = GAMES.of(state)
    return _game(game, bets_of(database, state), decode_rules(game, row.rules))


def _options(bets: GameBets) -> list[answers.Option]:
    return [answers.Option(option.form, option.name, option.wins) for option in bets.options]


def _game(game: Game, bets: GameBets | None, rules: Rules) -> answers.Returns:
    if bets is None:
        return answers.Returns(game=game.name, lead=game.lead, options=[], rules=dict(rules))
    listed = [answers.Chance(outcome, str(chance)) for outcome, chance in bets.chances(rules)]
    count = bets.count(rules)
    return answers.Returns(
        game=game.name,
        lead=game.lead,
        section=bets.section or UNSET,
        options=_options(bets),
        rules=dict(rules),
        outcomes=answers.Outcomes(count, listed) if count else UNSET,
        bets=_listed(bets, tuple(rules.items())),
    )


@lru_cache(maxsize=64)
def _listed(bets: GameBets, rules: tuple[tuple[str, int], ...]) -> list[answers.Bet]:
    return [_bet(bet) for bet in yielding(bets.listed(dict(rules)))]


def pays(odds: Odds) -> answers.Pays:
    """Return what odds pay for each unit of the stake, the stake included if it is returned."""
    return answers.Pays(odds.pays.numerator, odds.pays.denominator)


def _bet(bet: Bet) -> answers.Bet:
    figures = worth(bet) if has_worth(bet) else None
    return answers.Bet(
        bet=bet.text,
        after=bet.after or UNSET,
        name=bet.option.name,
        odds=[str(prize.odds) for prize in bet.prizes],
        pays=[pays(prize.odds) for prize in bet.prizes],
        pays_back=UNSET if figures is None else str(figures.returned),
        hit_rate=UNSET if figures is None else str(figures.hit_rate),
        variance=UNSET if figures is None else str(figures.variance),
    )
