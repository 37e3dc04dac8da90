"""What the fields of several answers have: names, numbers, hashes, times, statuses."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from api.store.models import RoundStatus
from fairness.draws.game import Outcome as Drawn
from fairness.hashing import U48_LIMIT
from fairness.limits import LARGEST_INTEGER, LONGEST_REASON


class Answer(Struct, frozen=True):
    """What a call answers, or a part of it: a JSON object, to which later versions may add keys."""


Hex = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Table = Annotated[str, Meta(pattern="^[a-z0-9-]{1,32}$")]
TableId = Annotated[
    Hex, Meta(description="what the table is: a name is unique only within its log, and another log has it again")
]
Round = Annotated[int, Meta(ge=1, le=U48_LIMIT - 1)]
Natural = Annotated[int, Meta(ge=0)]
Lead = Annotated[int, Meta(ge=0, le=1000)]
Position = Annotated[int, Meta(ge=1, le=LARGEST_INTEGER)]
Hexes = Annotated[list[Hex], Meta(min_length=1, max_length=8)]
Time = Annotated[str, Meta(pattern=r"^2\d{3}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$")]
Code = Annotated[str, Meta(pattern="^[a-z0-9-]+1[02-9ac-hj-np-z]+$")]
BeaconName = Annotated[
    str, Meta(pattern="^(quicknet|[0-9a-f]{64})$", description="its name, or the hash of its chain")
]
Reason = Annotated[str, Meta(min_length=1, max_length=LONGEST_REASON, pattern="^[ -~]+$")]
Outcome = Annotated[Drawn, Meta(extra_json_schema={"$ref": "#/components/schemas/Outcome"})]
Rules = dict[str, int]
RetryAfter = Annotated[
    int, Meta(ge=1, description="seconds until the call is repeated, as in the header `Retry-After`")
]

# A status is one of `RoundStatus`; which ones an answer may have, its field says.
AnyStatus = Annotated[str, Meta(extra_json_schema={"enum": list(RoundStatus)})]
Open = Annotated[str, Meta(extra_json_schema={"const": RoundStatus.OPEN})]
Locked = Annotated[str, Meta(extra_json_schema={"const": RoundStatus.LOCKED})]
OpenOrLocked = Annotated[str, Meta(extra_json_schema={"enum": [RoundStatus.OPEN, RoundStatus.LOCKED]})]
PlayedOrVoid = Annotated[str, Meta(extra_json_schema={"enum": [RoundStatus.PLAYED, RoundStatus.VOID]})]
FromTheLockOn = Annotated[
    str, Meta(extra_json_schema={"enum": [RoundStatus.LOCKED, RoundStatus.PLAYED, RoundStatus.VOID]})
]
