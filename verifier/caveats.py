"""What a verdict says about whom it believed, and which caveats it has."""

from __future__ import annotations

from collections.abc import Iterable

from fairness.draws.game import Games
from fairness.policy.head import Head
from fairness.policy.policy import Policy
from fairness.times import seconds_in_words
from verifier.audit.report import AuditReport
from verifier.sentences import Checked, NotChecked


def caveats(games_played: Iterable[str], custodians: Iterable[int], games: Games, policy: Policy) -> list[str]:
    """What could not be checked about tables of these games, with these numbers of custodians, by this policy."""
    found: list[str] = [NotChecked.NO_SALT, about_witnesses(policy)]
    if policy.custodians:
        names = " and ".join(each.name for each in policy.custodians)
        found.append(NotChecked.CUSTODIAN_NOTES.fill(names=names))
    numbers = set(custodians)
    if 1 in numbers:
        found.append(NotChecked.ONE_CUSTODIAN)
    if numbers - {1}:
        found.append(NotChecked.SEVERAL_NAMES)
    flights = sorted(name for name in set(games_played) if name in games and games[name].has_flight)
    if flights:
        found.append(NotChecked.FLIGHT.fill(games=" and ".join(flights)))
    return [*found, NotChecked.BETS]


def signed_sentence(head: Head) -> str:
    """Whose signatures on a checkpoint were checked."""
    if head.policy.quorum is None:
        return Checked.CHECKPOINT_SIGNED
    return Checked.CHECKPOINT_COSIGNED.fill(names=cosigners(head))


def cosigners(head: Head) -> str:
    """The witnesses that cosigned a checkpoint, by the names that the policy gives them."""
    return ", ".join(witness.name for witness in head.last_seen)


def witness_lines(head: Head) -> list[str]:
    """Who cosigned, and as of when."""
    return [f"{witness.name} as of {seconds_in_words(time)}" for witness, time in head.last_seen.items()]


def about_witnesses(policy: Policy) -> str:
    """What a checkpoint that the policy accepts leaves open about witnesses and times."""
    if policy.quorum is None:
        return NotChecked.NO_WITNESS
    shared = policy.quorum.least_shared
    return NotChecked.WITNESSED.fill(shared=shared) if shared else NotChecked.WITNESSED_APART


def report_caveats(report: AuditReport, games: Games) -> list[str]:
    """What an audit of these tables could not check."""
    states = [table.state for table in report.tables]
    custodians = (len(state.custodians) for state in states)
    return caveats((state.game for state in states), custodians, games, report.head.policy)


def bet_caveats(game: str, custodians: int, games: Games, policy: Policy) -> list[str]:
    """What the check of one bet could not check."""
    # A choice among many seeds concerns the outcome, and the digest was checked.
    general = [
        text
        for text in caveats([game], [custodians], games, policy)
        if text not in {NotChecked.NO_SALT, NotChecked.BETS}
    ]
    return [NotChecked.BET_MEANING, NotChecked.BET_ALONE, NotChecked.ONE_ROUND_ONLY, *general]
