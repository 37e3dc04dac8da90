"""What can be bet on each game, with odds and exact worth: the answers of the public calls."""

from __future__ import annotations

from functools import lru_cache

from api.answer import Answer
from api.paytables.offered import bets_of
from api.problems import Code, Problem
from api.rounds.reading import table_row
from api.sql.database import Database
from api.store.rows import decode_rules, decode_state
from api.world.cooperation import yielding
from fairness.draws.game import Game, Rules
from games import GAMES
from games.bets import BETS
from games.bets.bet import Bet
from games.bets.game_bets import GameBets
from games.bets.worth import has_worth, worth
from games.facts import facts_of


def list_games() -> list[Answer]:
    """Every game that is known by its name: where the regulation has it, its lead, and how its bets are written."""
    return [_head(game, BETS[game.name]) for game in GAMES.values()]


def show_game(name: str) -> Answer:
    """One game under its usual rules. Raises `Problem`."""
    if name not in GAMES:
        raise Problem(
            Code.UNKNOWN_GAME,
            f"no game {name[:40]!r} is known by its name; there are {', '.join(GAMES)}."
            " The bets of a declared game are at its tables: GET /v1/tables/{table}/bets",
        )
    return _game(GAMES[name], BETS[name], facts_of(name).default_rules)


def show_bets(database: Database, table: str) -> Answer:
    """The game of a table under its rules. Raises `Problem`."""
    row = table_row(database, table)
    state = decode_state(row.queued_state)
    game = GAMES.of(state)
    return _game(game, bets_of(database, state), decode_rules(game, row.rules))


def _head(game: Game, bets: GameBets | None) -> dict[str, object]:
    head: dict[str, object] = {"game": game.name, "lead": game.lead}
    if bets is None:
        return {**head, "options": []}
    options = [{"form": option.form, "name": option.name, "wins": option.wins} for option in bets.options]
    section = {"section": bets.section} if bets.section else {}
    return {**head, **section, "options": options}


def _game(game: Game, bets: GameBets | None, rules: Rules) -> Answer:
    answer = {**_head(game, bets), "rules": rules}
    if bets is None:
        return answer
    listed = [{"outcome": outcome, "chance": str(chance)} for outcome, chance in bets.chances(rules)]
    count = bets.count(rules)
    return {
        **answer,
        **({"outcomes": {"count": count, "listed": listed}} if count else {}),
        "bets": _listed(bets, tuple(rules.items())),
    }


@lru_cache(maxsize=64)
def _listed(bets: GameBets, rules: tuple[tuple[str, int], ...]) -> tuple[Answer, ...]:
    return tuple(_bet(bet) for bet in yielding(bets.listed(dict(rules))))


def _bet(bet: Bet) -> Answer:
    answer = {
        "bet": bet.text,
        **({"after": bet.after} if bet.after else {}),
        "name": bet.option.name,
        "odds": [str(prize.odds) for prize in bet.prizes],
    }
    if not has_worth(bet):
        return answer
    figures = worth(bet)
    return {
        **answer,
        "return": str(figures.returned),
        "hit_rate": str(figures.hit_rate),
        "variance": str(figures.variance),
    }
