"""Verdicts on a log, and what a watch or a witness reports of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict

from verifier.answers.failures import WhatFailed
from verifier.answers.parts import CosignedHead, Held, LogHead, Outcome, Rules, Step, WitnessedBy
from verifier.audit.clock import ClockError
from verifier.audit.report import Silent, UnopenedBatch


class VoidCounts(TypedDict):
    """Void rounds, by how far each had come."""

    never_opened: int
    opened: int
    locked: int


class RulesChange(TypedDict):
    """A batch with other rules than the one before."""

    batch: int
    old_rules: Rules
    new_rules: Rules


class TableAudited(TypedDict):
    """What an audit says of a table."""

    table: str
    table_id: str
    game: str
    in_catalogue: bool | None
    custodians: list[str]
    beacon: str | None
    bets_required: bool
    paytable: str | None
    paytable_in_catalogue: bool | None
    played: int
    void: VoidCounts
    unused: int
    unused_outcomes: Sequence[Outcome] | None
    without_digest: int
    without_bets: int
    committed_through: int
    lead: int
    smallest_distance: int | None
    ended: bool
    closed: bool
    rules: Rules | None
    rules_changes: list[RulesChange]
    unopened_batches: list[UnopenedBatch]


class Unfinished(TypedDict):
    """What has begun and has not ended."""

    table: str
    what: str
    begun_at: str
    round: int | None
    batch: int | None


class ClockSeen(TypedDict):
    """What is known of the operator's clock; `whole` is whether the times of all records were compared."""

    slow: ClockError | None
    fast: ClockError | None
    whole: bool


class CustodySeen(TypedDict):
    """How many custodians' notes held, and what they show."""

    notes: int
    said: list[str]


class AidFound(TypedDict):
    """What is wrong with a finding aid: of these rounds, the first and the last, or of the table itself."""

    table: str
    rounds: list[int] | None
    what: str


class LogAudited(Held):
    """The verdict on a whole log."""

    log: LogHead
    witnessed: WitnessedBy | None
    seen_before: int
    rounds_ended: int
    tables: list[TableAudited]
    unfinished: list[Unfinished]
    silent: list[Silent]
    never_played: list[str]
    witnessed_files: int | None
    clock: ClockSeen | None
    custody: CustodySeen | None
    asides: dict[str, int]
    aids: list[AidFound] | None
    remarks: list[str]
    not_checked: list[str]


class Compared(TypedDict):
    """Two places that show one log."""

    v: Literal[1]
    command: Literal["compare"]
    verdict: str
    first: CosignedHead
    second: CosignedHead


class ForkProven(TypedDict):
    """Evidence that two histories were signed."""

    v: Literal[1]
    command: Literal["evidence"]
    verdict: str
    smaller: CosignedHead
    larger: CosignedHead
    root_in_larger: str
    cosigned_both: list[str]
    checked: list[Step]
    not_checked: list[str]


class EventSeen(WhatFailed):
    """One line of a watch, or of a witness."""

    v: Literal[1]
    command: str
    origin: str
    at: str
    what: str
    alarm: bool
    text: str
    size: int
    evidence: str | None
