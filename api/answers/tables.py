"""Tables, and the live feed of their newest rounds."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from api.answers import fields
from api.answers.fields import Answer, Hex, Lead, Natural, Rules, Time
from api.answers.rounds import EndedRound

OUTCOMES = 8
"""How many ended rounds of each table the feed has."""
COMING = 3
"""How many of the next commitments the feed has, by their first digits."""

_NextRound = Annotated[fields.Round, Meta(description="the first round that has not been locked")]
_Ended = Annotated[bool, Meta(description="whether the table takes no more rounds")]
_Closed = Annotated[bool, Meta(description="whether the seeds of its unused rounds are public, too")]
_Halted = Annotated[
    bool, Meta(description="whether its engine gets no answers: a record was refused, or its row is damaged")
]


class Table(Answer, frozen=True):
    """A table as it stands."""

    table: fields.Table
    game: str
    lead: Lead
    next_round: _NextRound
    committed_through: Natural
    ended: _Ended
    closed: _Closed
    halted: _Halted


class TableList(Answer, frozen=True):
    """All tables."""

    tables: list[Table]


class TableWithRules(Table, frozen=True, kw_only=True):
    """A table with its rules, and what a verifier needs to know it by."""

    rules: Rules
    declaration: (
        Annotated[dict[str, Any], Meta(description="what the game draws (SPEC 3.6), unless it is known by its name")]
        | UnsetType
    ) = UNSET
    paytable: (
        Annotated[
            Hex,
            Meta(
                description="SHA-256 of the file /log/paytables/{hash}, which says what the bets pay; absent without bets"
            ),
        ]
        | UnsetType
    ) = UNSET
    table_id: Hex
    created: Time
    custodians: Annotated[list[str], Meta(min_length=1)]
    salt: Annotated[
        str,
        Meta(
            pattern="^(none|quicknet|[0-9a-f]{64})$",
            description="none, or the beacon whose pulses salt the batches",
        ),
    ]
    bets: (
        Annotated[
            str,
            Meta(description="every lock must carry a digest of the bets", extra_json_schema={"const": "required"}),
        ]
        | UnsetType
    ) = UNSET


class GoingOn(Answer, frozen=True):
    """A round that is open or locked, and since when."""

    round: fields.Round
    status: fields.OpenOrLocked
    since: Time


class LiveTable(Answer, frozen=True, kw_only=True):
    """A table in the feed."""

    table: fields.Table
    game: str
    next_round: _NextRound
    committed_through: Natural
    ended: _Ended
    closed: _Closed
    halted: _Halted
    now: Annotated[list[GoingOn], Meta(max_length=2, description="the rounds that are going on, in their order")]
    last: Annotated[
        list[EndedRound],
        Meta(max_length=OUTCOMES, description="the last rounds that have ended, newest first"),
    ]
    coming: Annotated[
        list[Annotated[str, Meta(pattern="^[0-9a-f]{16}$")]],
        Meta(
            max_length=COMING,
            description="the first digits of the commitments of the next rounds, after those going on",
        ),
    ]
    fixed_through: (
        Annotated[
            int,
            Meta(
                ge=0,
                description="the last round up to which all are fixed; only while a batch awaits its salt",
            ),
        ]
        | UnsetType
    ) = UNSET
    betting: (
        Annotated[int, Meta(ge=0, description="for how many milliseconds the last round took bets")] | UnsetType
    ) = UNSET


class Live(Answer, frozen=True):
    """All tables as they are now."""

    records: Annotated[int, Meta(ge=0, description="the size of the published log")]
    tables: list[LiveTable]
