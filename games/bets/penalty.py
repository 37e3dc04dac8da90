"""The winning options of Penalty (regulation 12.29)."""

from __future__ import annotations

from collections.abc import Callable

from fairness.draws.game import Outcome
from games.bets.bet import Bet, Odds, Option, Prize, Reading, uniform
from games.bets.plain_bets import PlainBets
from games.penalty import COLUMNS, ENDS, SECTORS, is_yellow

_LAW = uniform(ENDS)
_READINGS = (
    Reading(
        "12 sectors are yellow and 12 blue, chequered, sector 1 yellow. The regulation does not say which are which, nor how"
        " many; version 1 of the game fixes it for good.",
        "The sectors of the goal are painted in yellow and blue",
    ),
    Reading(
        "The bar and a failure are in no sector: bets on a color or a row lose then.",
        "in the sector of which color will the ball appear",
    ),
)

_SECTOR = Option("Current sector (one out of 1-24 numbers)", "sector N", "The ball appears in sector N, 1 to 24.")


def _bet(option: Option, text: str, odds: str, wins: Callable[[Outcome], bool]) -> Bet:
    return Bet(text, option, (Prize(Odds.times(odds), wins),), _LAW)


def _sector(sector: int) -> Bet:
    return _bet(_SECTOR, f"sector {sector}", "24", lambda outcome: outcome == {"sector": sector})


def _sectors(name: str, text: str, odds: str, sectors: set[int]) -> Bet:
    listed = ", ".join(map(str, sorted(sectors)))
    wins = f"The ball appears in one of the sectors {listed}."
    return _bet(Option(name, text, wins), text, odds, lambda outcome: outcome.get("sector") in sectors)


def _row(name: str, row: int) -> Bet:
    first = row * COLUMNS + 1
    text = f"{name} row"
    return _sectors(f"{name.capitalize()} horizontal row", text, "3", set(range(first, first + COLUMNS)))


def _result(name: str, text: str, wins: str) -> Bet:
    return _bet(Option(name, text, wins), text, "24", lambda outcome: outcome.get("result") == text)


_ALL = range(1, SECTORS + 1)
PENALTY = PlainBets(
    "12.29",
    "One number below 26: the 24 sectors, the bar, and failure.",
    _LAW,
    (
        *map(_sector, _ALL),
        _sectors("Color (Yellow)", "yellow", "2", {sector for sector in _ALL if is_yellow(sector)}),
        _sectors("Color (Blue)", "blue", "2", {sector for sector in _ALL if not is_yellow(sector)}),
        _row("upper", 0),
        _row("middle", 1),
        _row("bottom", 2),
        _result("Failure", "failure", "The goalkeeper stops the ball, or it goes wide."),
        _result("The bar", "bar", "The ball hits the bar."),
    ),
    _READINGS,
)
