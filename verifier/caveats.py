"""Which caveats a verdict has."""

from __future__ import annotations

from collections.abc import Iterable

from fairness.draws.game import Games
from verifier.audit.report import AuditReport
from verifier.sentences import NotChecked


def caveats(games_played: Iterable[str], custodians: Iterable[int], games: Games) -> list[str]:
    """What could not be checked about tables of these games, with these numbers of custodians."""
    found: list[str] = [NotChecked.NO_SALT, NotChecked.NO_WITNESS]
    numbers = set(custodians)
    if 1 in numbers:
        found.append(NotChecked.ONE_CUSTODIAN)
    if numbers - {1}:
        found.append(NotChecked.SEVERAL_NAMES)
    flights = sorted(name for name in set(games_played) if name in games and games[name].has_flight)
    if flights:
        found.append(NotChecked.FLIGHT.fill(games=" and ".join(flights)))
    return [*found, NotChecked.BETS]


def report_caveats(report: AuditReport, games: Games) -> list[str]:
    """What an audit of these tables could not check."""
    states = [table.state for table in report.tables]
    return caveats((state.game for state in states), (len(state.custodians) for state in states), games)


def bet_caveats(game: str, custodians: int, games: Games) -> list[str]:
    """What the check of one bet could not check."""
    # A choice among many seeds concerns the outcome, and the digest was checked.
    general = [
        text for text in caveats([game], [custodians], games) if text not in {NotChecked.NO_SALT, NotChecked.BETS}
    ]
    return [NotChecked.BET_MEANING, NotChecked.BET_ALONE, NotChecked.ONE_ROUND_ONLY, *general]
