"""What is no verdict on anybody."""

from __future__ import annotations

from typing import Literal, TypedDict

from verifier.answers.failures import Verdict
from verifier.answers.parts import Digest, Rules


class NamedLog(TypedDict):
    """A log of a policy."""

    vkey: str
    origin: str
    address: str | None


class NamedKey(TypedDict):
    """A witness or a custodian of a policy."""

    name: str
    vkey: str
    address: str | None


class QuorumOf(TypedDict):
    """A quorum, with the smallest numbers of SPEC 5.7."""

    text: str
    least: int
    shared: int
    missing: int


class BeaconNamed(TypedDict):
    """A chain of a beacon."""

    hash: str
    id: str
    period_s: int
    genesis_at: str | None


class LiarsCould(TypedDict):
    """What so many witnesses could do, if they and the operator lied together."""

    count: int
    stop: bool
    two_histories: bool
    alone: bool


class PolicyExplained(TypedDict):
    """Whom a policy believes, and what they could do together."""

    v: Literal[1]
    command: Literal["policy"]
    logs: list[NamedLog]
    witnesses: list[NamedKey]
    quorum: QuorumOf | None
    custodians: list[NamedKey]
    beacons: list[BeaconNamed]
    liars: list[LiarsCould]
    believed: list[str]
    could: list[str]


class ListedGame(TypedDict):
    """A game of the catalogue with this declaration."""

    game: str
    section: str
    lead: int


class Most(TypedDict):
    """What a round takes at most."""

    draws: int
    bytes: int


class EntropyOf(TypedDict):
    """How much sample rounds drew: the least and the most of them."""

    rounds: int
    draws: list[int]
    bits: list[float]


class TableOfGame(TypedDict, total=False):
    """The table whose game it is, and where its record stands, if a log was asked."""

    table: str
    table_id: str
    game: str
    record: int


class GameExplained(Verdict, TableOfGame):
    """A declared game. `law` has each outcome's text and exact chance, likeliest first, if they were counted."""

    declaration: str
    catalogue: list[ListedGame]
    parameters: str
    moves: bool
    most: Most
    draw: list[str]
    rules: Rules | None
    law: list[list[str]] | None
    entropy: EntropyOf | None


class NoDeclaration(Verdict):
    """Why a file declares no game."""

    expected: str
    found: str


class BetsDigested(TypedDict):
    """The digest of some bets: exactly what `lock` takes as `bets`."""

    bets: Digest


class CaseFailed(TypedDict):
    """A case with a wrong answer, or none."""

    case: str
    expected: str
    found: str
    catches: str | None


class FormatTested(TypedDict):
    """How a verifier did in one format."""

    format: str
    passed: int
    failed: int
    declined: dict[str, int]
    failures: list[CaseFailed]


class Conformed(Verdict):
    """How another verifier did."""

    formats: list[FormatTested]


class SampleMade(TypedDict, total=False):
    """A sample for a laboratory: of raw bytes, or of a game's outcomes."""

    v: Literal[1]
    command: Literal["collect"]
    seeds: str
    bytes: int
    share: int
    compiled: bool
    game: str
    rules: Rules
    outcomes: int


class WitnessKeyMade(Verdict):
    """A witness's key, and its line for policies."""

    vkey: str
    policy_line: str
