"""What several answers have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypedDict

Outcome = Mapping[str, Any]
Rules = Mapping[str, Any]


class Program(TypedDict):
    """Which program says this, by its own word: its version, and the SHA-256 of the list of its files."""

    version: str
    manifest: str


class Held(TypedDict):
    """How an answer begins in which nothing failed."""

    v: Literal[1]
    command: str
    verdict: str
    unknown: list[str]
    """What this verifier does not know, a sentence each; then the verdict is `unknown`."""


class LogHead(TypedDict):
    """A checkpoint."""

    origin: str
    size: int
    root: str


class Cosigned(TypedDict):
    """A witness that cosigned, and the latest time of that."""

    name: str
    vkey: str
    at: str | None
    """Absent if no calendar has it."""


class WitnessedBy(TypedDict):
    """Who cosigned a checkpoint, the policy's quorum, and how many witnesses any two quorums share."""

    quorum: str | None
    shared: int | None
    witnesses: list[Cosigned]


class CosignedHead(LogHead):
    """A checkpoint, and who cosigned it; absent for a bare key."""

    witnessed: WitnessedBy | None


class BatchWitnessed(TypedDict):
    """When the quorum had seen a batch, in a log of which size, and who of it."""

    at: str | None
    size: int
    witnesses: list[Cosigned]


class Step(TypedDict):
    """One thing that held: the check that would have failed, what it is, and the records that it rests on."""

    check: str
    what: str
    records: list[int]


class ThingShown(TypedDict):
    """A thing of the order of a round whose players decided after its lock."""

    position: int
    place: str
    thing: str | int


class SettledBet(TypedDict, total=False):
    """What becomes of a bet. `winnings_exact` is what a stake of 1 is paid, a fraction with its slash."""

    bet: str
    after: str | None
    result: str
    odds: str | None
    winnings_exact: str | None
    goes_on_as: str | None


class Order(TypedDict, total=False):
    """The order of a round, if it has one."""

    order: list[ThingShown]


class BetsSettled(TypedDict, total=False):
    """The results of bets, if the caller asked about some; and whether the catalogue's paytable settled them."""

    bets: list[SettledBet]
    paytable_in_catalogue: bool


class Digest(TypedDict):
    """The digest of a round's bets: their count, and the root over their lines."""

    count: int
    root: str
