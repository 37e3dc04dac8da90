"""A game's returns: for each winning option the odds, the chances and the returns of all its bets.

Some laws take seconds to compute. So ``games/returns.json`` has the lines of each game of the catalogue under the
usual rules, as `make bets` writes them; under other rules they are computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from importlib import resources

import msgspec

from fairness.draws.game import Rules
from games.bets.bet import Bet, NoLaw, Option, Worth
from games.bets.catalogue import bets_of
from games.bets.game_bets import GameBets
from games.bets.worth import worth

_MOST_ODDS = 3


@dataclass(frozen=True, slots=True)
class Line:
    """All bets of one option."""

    option: Option
    odds: tuple[str, ...]
    """All different odds, in the order of the bets; if they are more than three, the smallest and the largest."""
    is_range: bool
    """Whether the odds are only the smallest and the largest."""
    chances: tuple[Fraction, ...]
    """The smallest and the largest chance to be paid anything; one if all are equal, none if no method here has the
    law.
    """
    returns: tuple[Fraction, ...]
    """The smallest and the largest return, likewise."""


class _Stored(msgspec.Struct, frozen=True):
    odds: tuple[str, ...]
    chances: tuple[str, ...]
    returns: tuple[str, ...]
    is_range: bool = False


class _StoredGame(msgspec.Struct, frozen=True):
    rules: dict[str, int]
    lines: dict[str, _Stored]


@cache
def stored() -> Mapping[str, _StoredGame]:
    """Return the file."""
    text = resources.files("games").joinpath("returns.json").read_bytes()
    return msgspec.json.decode(text, type=dict[str, _StoredGame])


def returns_of(game: str, rules: Rules) -> tuple[Line, ...]:
    """Return the lines of a game of the catalogue; options of which no bet is offered are left out. Raises
    `KeyError`.
    """
    return _returns_of(game, tuple(sorted(rules.items())))


@lru_cache(maxsize=128)
def _returns_of(game: str, rules: tuple[tuple[str, int], ...]) -> tuple[Line, ...]:
    kept = stored().get(game)
    if kept is None or kept.rules != dict(rules):
        return computed(game, dict(rules))
    options = {option.form: option for option in bets_of(game).options}
    return tuple(
        Line(
            options[form],
            line.odds,
            line.is_range,
            tuple(map(Fraction, line.chances)),
            tuple(map(Fraction, line.returns)),
        )
        for form, line in kept.lines.items()
    )


def computed(game: str, rules: Rules) -> tuple[Line, ...]:
    """Return the lines of a game, computed from the laws; this may take seconds."""
    return tuple(_line(each, _figures(each)) for each in _by_form(bets_of(game), rules))


@lru_cache(maxsize=64)
def odds_of(bets: GameBets, rules: tuple[tuple[str, int], ...]) -> tuple[Line, ...]:
    """Return the lines of any bets, with their odds alone."""
    return tuple(_line(each, ()) for each in _by_form(bets, dict(rules)))


def _by_form(bets: GameBets, rules: Rules) -> Iterator[Sequence[Bet]]:
    by_form: dict[str, list[Bet]] = {option.form: [] for option in bets.options}
    for bet in bets.listed(rules):
        by_form[bet.option.form].append(bet)
    return filter(None, by_form.values())


def _line(bets: Sequence[Bet], figures: Sequence[Worth]) -> Line:
    odds = list(dict.fromkeys(prize.odds for bet in bets for prize in bet.prizes))
    is_range = len(odds) > _MOST_ODDS
    if is_range:
        ordered = sorted(odds, key=lambda each: each.pays)
        odds = [ordered[0], ordered[-1]]
    return Line(
        bets[0].option,
        tuple(map(str, odds)),
        is_range,
        _ends([each.hit_rate for each in figures]),
        _ends([each.returned for each in figures]),
    )


def _figures(bets: Sequence[Bet]) -> Sequence[Worth]:
    try:
        return [worth(bet) for bet in bets]
    except NoLaw:
        return ()


def _ends(values: Sequence[Fraction]) -> tuple[Fraction, ...]:
    return tuple(dict.fromkeys((min(values), max(values)))) if values else ()
