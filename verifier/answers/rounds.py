"""Verdicts on one round."""

from __future__ import annotations

from verifier.answers.parts import (
    BatchWitnessed,
    BetsSettled,
    Digest,
    Held,
    LogHead,
    Order,
    Outcome,
    Step,
    WitnessedBy,
)
from verifier.round.report import Salt


class _Round(Held):
    log: LogHead
    witnessed: WitnessedBy | None
    table: str
    table_id: str
    game: str
    in_catalogue: bool | None
    """Whether the catalogue declares the game so; absent for one that every verifier knows by its name."""
    round: int
    checked: list[Step]
    remarks: list[str]
    not_checked: list[str]
    outcome: Outcome | None
    revealed_at: str | None


class RoundChecked(_Round, BetsSettled, Order):
    """A round that was checked in the log, by its code."""

    batch: int
    status: str
    reason: str | None
    committed_at: str
    batch_witnessed: BatchWitnessed | None
    salt: Salt | None
    opened_at: str | None
    locked_at: str
    lead: int
    rounds_ahead: int


class ProofChecked(_Round, BetsSettled, Order):
    """A round that was checked in its proof file, which was made, or was given."""

    batch: int
    stage: str
    status: str | None
    reason: str | None
    commitments: list[str]
    committed_at: str
    batch_witnessed: BatchWitnessed | None
    salt: Salt | None
    opened_at: str | None
    locked_at: str | None
    fixed_by: int | None
    """The record that fixed the outcome; absent while it awaits its salt."""
    lead: int
    rounds_ahead: int | None
    code_checked: list[Step] | None
    written: str | None


class BetChecked(_Round):
    """A bet that was accepted before its round was locked. `line` is base64."""

    line: str
    index: int
    bets: Digest
    locked_at: str
    status: str
