"""What a verdict could not check, in plain words. It is a part of every verdict."""

from __future__ import annotations

from collections.abc import Iterable

from fairness.draws.game import Games
from verifier.audit.report import AuditReport

NO_SALT = "No salt: nothing keeps an operator from trying many seeds before committing a batch, and keeping one that suits it."
NO_WITNESS = (
    "No witness: the order of the log is proven, the hours on its clock are the operator's word, and so is whether a"
    " round that was given up had been opened. The operator could show another log to somebody else: compare checkpoints."
)
ONE_CUSTODIAN = (
    "One custodian: the party that runs it can know outcomes ahead, and could, for instance, play costly rounds while"
    " nobody bets, or close a table before one."
)
SEVERAL_NAMES = "Several custodians are only names here: that they are different people, on different machines, is the operator's word."
BETS = "The digests of bets were not checked: players can check their own bet with its receipt."
FLIGHT = (
    "In {games} whoever runs the engine knows the outcome during the flight: only bets with an automatic cash-out, fixed"
    " in the digest, are safe from that."
)
ONE_ROUND_ONLY = (
    "Only this round's records were read: a second record that contradicts one of them, or the play of other rounds, is"
    " excluded by an audit of the whole log alone."
)

BETS_UNKNOWN = "Whether these bets were made, with what stakes, and what was paid. A receipt shows that a bet was made, in the engine's words."
BET_MEANING = "What the bet's line means, whether it won, and what was paid: the line is the engine's own text."
BET_ALONE = "Whether the outcome was fixed in advance: the commands `code` and `proof` show that."
ROUNDS_BETWEEN = "The rounds between were not read: how many of them were played, and not given up, an audit tells."
WHAT_FOLLOWED = "Whether the round had come further by then: later records may be missing in a file, whoever made it."
AS_OF_CHECKPOINT = (
    "The file shows the log as of its checkpoint: whether the log still extends that, `foredraw-verify receipt` checks"
    " against the log itself."
)


def caveats(games_played: Iterable[str], custodians: Iterable[int], games: Games) -> list[str]:
    """What could not be checked about tables of these games, with these numbers of custodians."""
    found = [NO_SALT, NO_WITNESS]
    numbers = set(custodians)
    if 1 in numbers:
        found.append(ONE_CUSTODIAN)
    if numbers - {1}:
        found.append(SEVERAL_NAMES)
    flights = sorted(name for name in set(games_played) if name in games and games[name].has_flight)
    if flights:
        found.append(FLIGHT.format(games=" and ".join(flights)))
    return [*found, BETS]


def report_caveats(report: AuditReport, games: Games) -> list[str]:
    """What an audit of these tables could not check."""
    states = [table.state for table in report.tables]
    return caveats((state.game for state in states), (len(state.custodians) for state in states), games)


def bet_caveats(game: str, custodians: int, games: Games) -> list[str]:
    """What the check of one bet cannot see."""
    # Many seeds and one that was kept are the outcome's matter, and the digest is what was checked.
    general = [text for text in caveats([game], [custodians], games) if text not in {NO_SALT, BETS}]
    return [BET_MEANING, BET_ALONE, ONE_ROUND_ONLY, *general]
