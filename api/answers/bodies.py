"""What calls are sent: bodies with exactly these keys."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from api.answers.bets import BetText, Stake
from api.answers.fields import Dealt, Position
from api.problems import Code, Problem
from fairness.log.merkle import EMPTY_ROOT
from fairness.player.bets import check_digest
from fairness.records.record import Bets

MOST_BETS = 200

Call = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9_-]{16,64}\Z",
        description="made at random by the engine for this call alone, kept by it, and the same in each repetition",
    ),
]
"""A name that an engine makes at random for one call, and keeps with what the call says. It is repeated by nobody
else.
"""

_NO_BETS = {"properties": {"root": {"const": EMPTY_ROOT.hex()}}}
_SOME_BETS = {"properties": {"root": {"pattern": "^[0-9a-f]{64}$", "not": {"const": EMPTY_ROOT.hex()}}}}
_Digest = Annotated[
    Bets,
    Meta(extra_json_schema={"if": {"properties": {"count": {"const": 0}}}, "then": _NO_BETS, "else": _SOME_BETS}),
]


class Body(Struct, frozen=True, forbid_unknown_fields=True):
    """What a call is sent, or a part of it."""


class OpenBody(Body, frozen=True):
    """Perhaps which call it is."""

    call: Call | UnsetType = UNSET


class LockBody(Body, frozen=True):
    """Which call it is, and what was bet."""

    call: Call
    bets: _Digest | UnsetType = UNSET
    keep_back: (
        Annotated[
            bool,
            Meta(description="false if it is absent; true: the engine asks for the things of the order with next"),
        ]
        | UnsetType
    ) = UNSET  # makers of clients demand a value if there is a default

    def __post_init__(self) -> None:
        if self.bets is not UNSET:
            check_digest(self.bets)


class NextBody(Body, frozen=True):
    """Which things of the order are asked for."""

    position: Position
    count: Position


class RevealBody(Body, frozen=True):
    """Perhaps who was dealt what."""

    dealt: Dealt | UnsetType = UNSET

    def __post_init__(self) -> None:
        found: set[int] = set()
        for name, positions in ({} if self.dealt is UNSET else self.dealt).items():
            for index, position in enumerate(positions):
                if position in found:
                    detail = f"dealt: expected every position once, found {position} again in {name!r}"
                    raise Problem(Code.MALFORMED_BODY, detail, pointer=f"/dealt/{name}/{index}")
                found.add(position)


class VoidBody(Body, frozen=True):
    """Why the round is given up."""

    reason: Annotated[
        str, Meta(extra_json_schema={"minLength": 1}, description="in the log, ? for what is no printable ASCII")
    ]


class PlacedBet(Body, frozen=True):
    """A bet as an engine took it; the stake in whole units of the engine's choice."""

    bet: BetText
    stake: Stake


class SettleBody(Body, frozen=True):
    """The bets that are settled."""

    bets: Annotated[list[PlacedBet], Meta(min_length=1, max_length=MOST_BETS)]
