"""What the fields of several answers have: names, numbers, hashes, times, statuses."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct, UnsetType

from api.store.models import RoundStatus
from fairness.draws.game import Outcome as Drawn
from fairness.hashing import U48_LIMIT
from fairness.limits import LARGEST_INTEGER, LONGEST_REASON


class Answer(Struct, frozen=True):
    """What a call answers, or a part of it: a JSON object, to which later versions may add keys."""


def open_list(*values: str, another: str, what: str = "") -> Meta:
    """Describe a value of a list that later versions may extend, and what a client does with ``another``
    (``docs/compatibility.md``).
    """
    words = "; ".join(filter(None, (what, f"another: {another}")))
    return Meta(description=words, extra_json_schema={"x-extensible-enum": list(values)})


def beacon_name(what: str) -> Meta:
    """Describe the name of a beacon, or the hash of its chain."""
    return open_list("quicknet", what=what, another="its salts cannot be checked")


Hex = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Manifest = Annotated[Hex, Meta(description="SHA-256 of the list of its files, by its own word")]
Table = Annotated[str, Meta(pattern="^[a-z0-9-]{1,32}$")]
TableId = Annotated[
    Hex, Meta(description="what the table is: a name is unique only within its log, and another log has it again")
]
Round = Annotated[int, Meta(ge=1, le=U48_LIMIT - 1)]
Natural = Annotated[int, Meta(ge=0)]
Lead = Annotated[int, Meta(ge=0, le=1000)]
Position = Annotated[int, Meta(ge=1, le=LARGEST_INTEGER)]
Dealt = Annotated[
    dict[Annotated[str, Meta(pattern=r"^[a-z0-9 -]{1,32}\Z")], Annotated[list[Position], Meta(min_length=1)]],
    Meta(min_length=1, max_length=16, description="hands by their names, each the positions of its things, as dealt"),
]
"""Which positions of an order went to whom: the engine's word."""
Hexes = Annotated[list[Hex], Meta(min_length=1, max_length=8)]
Time = Annotated[str, Meta(pattern=r"^2\d{3}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$")]
Code = Annotated[str, Meta(pattern="^[a-z0-9-]+1[02-9ac-hj-np-z]+$")]
Reason = Annotated[str, Meta(min_length=1, max_length=LONGEST_REASON, pattern="^[ -~]+$")]
Outcome = Annotated[Drawn, Meta(extra_json_schema={"$ref": "#/components/schemas/Outcome"})]
NextPage = (
    Annotated[
        str, Meta(description="the address of what follows, relative to this service; absent at the end of the list")
    ]
    | UnsetType
)
Rules = dict[str, int]
RetryAfter = Annotated[
    int, Meta(ge=1, description="seconds until the call is repeated, as in the header `Retry-After`")
]

BeaconName = Annotated[str, beacon_name("its name, or the hash of its chain")]

_OPEN, _LOCKED, _PLAYED, _VOID = RoundStatus.OPEN, RoundStatus.LOCKED, RoundStatus.PLAYED, RoundStatus.VOID
_NOT_AN_END = "the round has not ended; pay nothing, and ask again"
"""No later version has another end than ``played``, ``void`` and ``unused``."""

# A status is one of `RoundStatus`; which ones an answer may have, its field says.
AnyStatus = Annotated[str, open_list(*RoundStatus, another=_NOT_AN_END)]
OpenOrLocked = Annotated[str, open_list(_OPEN, _LOCKED, another=_NOT_AN_END)]
FromTheLockOn = Annotated[str, open_list(_LOCKED, _PLAYED, _VOID, another=_NOT_AN_END)]
# These are what the call itself has come to.
Open = Annotated[str, Meta(extra_json_schema={"const": _OPEN})]
Locked = Annotated[str, Meta(extra_json_schema={"const": _LOCKED})]
PlayedOrVoid = Annotated[str, Meta(extra_json_schema={"enum": [_PLAYED, _VOID]})]
