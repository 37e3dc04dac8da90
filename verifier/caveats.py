"""What a verdict says about whom it believed, what it did not know, and which caveats it has."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from fairness.draws.game import Games, Rules, is_known, newer_rules
from fairness.policy.head import Head
from fairness.policy.policy import Policy
from fairness.policy.witnessed import Witnessed
from fairness.records.record import TableRecord
from fairness.records.rules import UNSALTED
from fairness.records.table_state import TableState
from fairness.times import seconds_in_words
from verifier.sentences import Checked, NotChecked, Unknown

if TYPE_CHECKING:
    from verifier.audit.clock import Clock
    from verifier.audit.report import AuditReport


class Table(Protocol):
    """What caveats depend on: a table's record has it, and its state."""

    @property
    def game(self) -> str:
        """The game's name."""

    @property
    def declaration_text(self) -> str:
        """The one spelling of its declaration; empty if the game is known by its name."""

    @property
    def custodians(self) -> list[str]:
        """Their names, in the order of the table's record."""

    @property
    def salt(self) -> str:
        """``none``, or the name of a beacon."""


def caveats(tables: Iterable[Table], games: Games, policy: Policy) -> list[str]:
    """Return what could not be checked about these tables, by this policy."""
    tables = list(tables)
    salted = {table.salt != UNSALTED for table in tables} or {False}
    found: list[str] = [NotChecked.NO_SALT] if False in salted else []
    if True in salted:
        found.append(about_salts(policy))
    found.append(about_witnesses(policy))
    if policy.quorum is not None:
        found.append(NotChecked.SEVERAL_LOGS)
    if any(len(table.custodians) == 1 for table in tables):
        found.append(NotChecked.ONE_CUSTODIAN)
    known = {each.name for each in policy.custodians}
    if any(len(table.custodians) > 1 and not known.issuperset(table.custodians) for table in tables):
        found.append(NotChecked.SEVERAL_NAMES)
    acting = {table.game: table for table in tables if games.of(table).has_flight}
    for sentence, is_declared in ((NotChecked.FLIGHT, False), (NotChecked.MOVES, True)):
        if playing := sorted(name for name, table in acting.items() if bool(table.declaration_text) is is_declared):
            found.append(sentence.fill(games=" and ".join(playing)))
    return [*found, NotChecked.BETS]


def cosigners(head: Head) -> str:
    """Return the witnesses that cosigned a checkpoint, by the names that the policy gives them."""
    return ", ".join(witness.name for witness in head.last_seen)


def witnessed_sentence(witnessed: Witnessed, unknown: Iterable[str]) -> str:
    """Return when witnesses had seen a batch; if its beacon is ``unknown``, nobody knows whether that was before the
    pulse.
    """
    sentence = Checked.BATCH_WITNESSED_UNKNOWN if unknown else Checked.BATCH_WITNESSED
    return sentence.fill(time=seconds_in_words(witnessed.time))


def witness_lines(head: Head) -> list[str]:
    """Return who cosigned, and as of when."""
    return [f"{witness.name} as of {seconds_in_words(time)}" for witness, time in head.last_seen.items()]


def about_witnesses(policy: Policy) -> str:
    """Return what a checkpoint that the policy accepts leaves open about witnesses and times."""
    if policy.quorum is None:
        return NotChecked.NO_WITNESS
    shared = policy.quorum.least_shared
    return NotChecked.WITNESSED.fill(shared=shared) if shared else NotChecked.WITNESSED_APART


def about_salts(policy: Policy) -> str:
    """Return what a salt leaves open, by what the policy demands of witnesses."""
    if policy.quorum is None:
        return NotChecked.SALT_BY_CLOCK
    return NotChecked.SALT_WITNESSED if policy.quorum.least_shared else NotChecked.SALT_WITNESSED_APART


def unknown_beacon(table: TableRecord, policy: Policy) -> tuple[str, ...]:
    """Return the sentence that a table's beacon is unknown; none if it is known."""
    if table.salt in {UNSALTED, *policy.known_beacons}:
        return ()
    return (Unknown.BEACON.fill(table=table.table, beacon=table.salt),)


def unknown_game(table: TableRecord, games: Games, rules: Rules) -> tuple[str, ...]:
    """Return the sentence that what a round's batch draws is newer than this verifier; none if it is not."""
    game = games.of(table)
    if is_known(game, rules):
        return ()
    what = ", ".join(game.unknown) or newer_rules(table.game, rules)
    return (Unknown.GAME.fill(table=table.table, what=what),)


def report_unknown(report: AuditReport) -> list[str]:
    """Return what an audit of these tables did not know, so that what depends on it was not checked."""
    said = [] if report.state.custody is None else report.state.custody.unknown
    return [
        *unknown_of((table.state for table in report.tables), report.head.policy),
        *said,
        *report.paytables.unknown,
    ]


def unknown_of(states: Iterable[TableState], policy: Policy) -> list[str]:
    """Return what replay did not know of tables in these states, in sentences."""
    states = list(states)
    games = [Unknown.GAME.fill(table=state.name, what=", ".join(state.unknown)) for state in states if state.unknown]
    records = [Unknown.RECORDS.fill(table=state.name, what=state.newer) for state in states if state.newer]
    return [*_unknown_beacons(states, policy), *games, *records]


def _unknown_beacons(states: Iterable[TableState], policy: Policy) -> list[str]:
    known = policy.known_beacons
    return [
        (Unknown.REMEMBERED_BEACON if state.salt in known else Unknown.BEACON).fill(
            table=state.name, beacon=state.salt
        )
        for state in states
        if state.unverified
    ]


def clock_in_words(clock: Clock) -> list[str]:
    """Return how wrong the operator's clock was, at least, and which record shows it."""
    found = (
        ("slow", clock.slow, "at least", "stands after a pulse of a later time"),
        (
            "fast",
            clock.fast,
            "at least, if the witnesses' clocks were right",
            "had been seen by them before its own time",
        ),
    )
    return [
        f"{way} by {error.milliseconds / 1000:,.3f} s {bound}: record {error.record} {why}"
        for way, error, bound, why in found
        if error is not None
    ]


def report_caveats(report: AuditReport, games: Games) -> list[str]:
    """Return what an audit of these tables could not check."""
    # Of a table whose own record is newer than this verifier, nothing is known but its name.
    return caveats([table.state for table in report.tables if table.state.game], games, report.head.policy)


def bet_caveats(table: Table, games: Games, policy: Policy) -> list[str]:
    """Return what the check of one bet could not check."""
    # A choice among many seeds concerns the outcome, and the digest was checked.
    general = [
        text
        for text in caveats([table], games, policy)
        if text not in {NotChecked.NO_SALT, about_salts(policy), NotChecked.BETS}
    ]
    return [NotChecked.BET_MEANING, NotChecked.BET_ALONE, NotChecked.ONE_ROUND_ONLY, *general]
