"""What an engine is answered, and rounds as everybody sees them."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from api.answers import fields
from api.answers.fields import Answer, Code, Dealt, Hex, Hexes, Natural, Outcome, Position, Reason, Time

MOST_ROUNDS = 500
"""In one page."""
PENDING_SECONDS = 1
"""When a call is repeated whose lock is not published yet."""


class OfRound(Answer, frozen=True):
    """An answer about a round."""

    table: fields.Table
    table_id: fields.TableId
    round: fields.Round


class Opened(OfRound, frozen=True):
    """The round takes bets."""

    status: fields.Open


class Pending(OfRound, frozen=True):
    """The round is locked, and its lock is not published yet: the call is repeated."""

    status: fields.Locked
    retry_after: fields.RetryAfter


_Of = Annotated[Position, Meta(description="how many things the order has")]
_TimeOfLock = Annotated[Time, Meta(description="the time of the lock, as its record has it")]


class LockPending(Pending, frozen=True):
    """The round is locked, and its lock is not published yet: repeated, it is answered with the outcome then."""

    locked_at: _TimeOfLock


class _Locked(OfRound, frozen=True):
    status: fields.Locked
    locked_at: _TimeOfLock


class LockedOutcome(_Locked, frozen=True):
    """The round takes no more bets, and its engine learns the outcome."""

    outcome: Outcome


class LockedOrder(_Locked, frozen=True):
    """The round takes no more bets, and its engine asks for the things of its order with `next`."""

    of: _Of


Locked: TypeAlias = LockedOutcome | LockedOrder
"""The answer to a published lock."""


class Thing(Answer, frozen=True):
    """A card, a bone, a number: where it is in the order, the place that it belongs to, and what it is."""

    position: Position
    place: Annotated[str, Meta(description="as the outcome names it")]
    thing: str | Natural


class Next(OfRound, frozen=True):
    """The next things of a locked round's order."""

    status: fields.Locked
    of: _Of
    things: Annotated[list[Thing], Meta(min_length=1)]


class Ended(OfRound, frozen=True):
    """The round has ended: its outcome, seeds and round code are public."""

    status: fields.PlayedOrVoid
    outcome: Outcome
    seeds: Hexes
    round_code: Code
    reason: Reason | UnsetType = UNSET


class EndedRound(Answer, frozen=True):
    """A round that has ended, with its outcome alone."""

    round: fields.Round
    status: fields.PlayedOrVoid
    outcome: Outcome


class LastRound(Answer, frozen=True):
    """A round that has ended, in the feed."""

    round: fields.Round
    status: fields.PlayedOrVoid
    outcome: (
        Annotated[Outcome, Meta(description="absent if the table declares `moves`: the round has it")] | UnsetType
    ) = UNSET


class Salt(Answer, frozen=True):
    """What salts a batch."""

    beacon: fields.BeaconName
    round: Annotated[int, Meta(ge=1, description="of the beacon, which the batch named")]
    signature: Annotated[str, Meta(pattern="^[0-9a-f]{96}$", description="its pulse")] | UnsetType = UNSET


class Round(OfRound, frozen=True):
    """One round as everybody sees it: its commitments always, its outcome once it has ended."""

    status: fields.AnyStatus
    commitments: Hexes
    batch: Annotated[int, Meta(ge=1)]
    batch_id: Hex
    salt: Salt | UnsetType = UNSET
    outcome: Outcome | UnsetType = UNSET
    seeds: Hexes | UnsetType = UNSET
    round_code: Code | UnsetType = UNSET
    reason: Reason | UnsetType = UNSET
    dealt: (
        Annotated[Dealt, Meta(description="who was dealt which positions of the order, as the engine says")]
        | UnsetType
    ) = UNSET
    given: (
        Annotated[
            int,
            Meta(
                ge=0,
                description="how many things of the order the engine was given one call at a time, before the reveal",
            ),
        ]
        | UnsetType
    ) = UNSET
    order: (
        Annotated[
            list[Thing],
            Meta(
                description="of a round that has ended, if its players decided after the lock; not in a page of rounds"
            ),
        ]
        | UnsetType
    ) = UNSET


class RoundList(Answer, frozen=True):
    """A page of rounds, those to come included."""

    rounds: Annotated[list[Round], Meta(max_length=MOST_ROUNDS)]
    next: fields.NextPage = UNSET
