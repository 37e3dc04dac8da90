"""Tables, and the live feed of their newest rounds."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from api.answers import fields
from api.answers.fields import Answer, Hex, Lead, Natural, Rules, Time
from api.answers.rounds import LastRound
from api.problems import KEEP_FROM_OPENING

OUTCOMES = 8
"""How many ended rounds of each table the feed has."""
MOST_TABLES = 500
"""In one page of their list."""
MOST_LIVE = 100
"""How many tables the feed of all tables has at most."""
COMING = 3
"""How many of the next commitments the feed has, by their first digits."""

_NextRound = Annotated[fields.Round, Meta(description="the first round that has not been locked")]
_Ended = Annotated[bool, Meta(description="whether the table takes no more rounds")]
_Closed = Annotated[bool, Meta(description="whether the seeds of its unused rounds are public, too")]
_Open = Annotated[
    bool, Meta(description="whether nothing but the order of rounds keeps the next one from being opened")
]
_WhyNot = Annotated[
    list[
        Annotated[str, fields.open_list(*(code.text for code in KEEP_FROM_OPENING), another="the table is not open")]
    ],
    Meta(
        description="the codes that its opening would be refused with, the first one first; empty if it is `open`."
        " What only the call finds out is not among them, as whether the custodian gives the seeds"
    ),
]
_Halted = Annotated[
    bool, Meta(description="whether its engine gets no answers: a record was refused, or its row is damaged")
]


class Table(Answer, frozen=True):
    """A table as it stands."""

    table: fields.Table
    table_id: fields.TableId
    game: str
    lead: Lead
    next_round: _NextRound
    committed_through: Natural
    ended: _Ended
    closed: _Closed
    halted: _Halted
    open: _Open
    why_not: _WhyNot


class TableList(Answer, frozen=True):
    """A page of all tables, by their names."""

    tables: Annotated[list[Table], Meta(max_length=MOST_TABLES)]
    next: fields.NextPage = UNSET


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
    created_at: Time
    custodians: Annotated[list[str], Meta(min_length=1)]
    beacon: Annotated[str, fields.beacon_name("whose pulses salt the batches, absent if none does")] | UnsetType = (
        UNSET
    )
    bets_required: Annotated[bool, Meta(description="whether every lock must carry a digest of the bets")]
    order: (
        Annotated[
            str,
            fields.open_list(
                "kept",
                "whole",
                what="whether a lock may ask for the whole order; absent where an outcome is none",
                another="lock with keep_back",
            ),
        ]
        | UnsetType
    ) = UNSET


class Stopped(StrEnum):
    """Why nothing goes on at a table."""

    CLOSED = "closed"
    HALTED = "halted"
    PAUSED = "paused"
    WITNESSES = "witnesses"
    """They have not cosigned what was to be published."""
    BEACON = "beacon"
    """Its pulse has not come."""
    PUBLICATION = "publication"
    """A record is not published yet, and the witnesses are not why."""
    OPERATOR = "operator"
    """No round is opened before the operator has mended something."""


class GoingOn(Answer, frozen=True):
    """A round that is open or locked, and since when; one that was given up may never have been open."""

    round: fields.Round
    status: fields.OpenOrLocked
    opened_at: Time | UnsetType = UNSET
    locked_at: Annotated[Time, Meta(description="of a locked round")] | UnsetType = UNSET
    published: (
        Annotated[bool, Meta(description="of a locked round: whether its lock is, which waits since `locked_at`")]
        | UnsetType
    ) = UNSET


class Coming(Answer, frozen=True):
    """A round that is fixed and still to come."""

    round: fields.Round
    commitment: Annotated[
        str, Meta(pattern="^[0-9a-f]{16}$", description="the first digits of its commitment, the first custodian's")
    ]


class LiveTable(Answer, frozen=True, kw_only=True):
    """A table in the feed."""

    table: fields.Table
    table_id: fields.TableId
    game: str
    next_round: _NextRound
    committed_through: Natural
    ended: _Ended
    closed: _Closed
    halted: _Halted
    open: _Open
    why_not: _WhyNot
    stopped: (
        Annotated[
            str,
            fields.open_list(
                *Stopped,
                what="why nothing goes on at the table; absent while a round is played, or can be",
                another="nothing goes on",
            ),
        ]
        | UnsetType
    ) = UNSET
    now: Annotated[list[GoingOn], Meta(max_length=2, description="the rounds that are going on, in their order")]
    last: Annotated[
        list[LastRound],
        Meta(max_length=OUTCOMES, description="the last rounds that have ended, newest first"),
    ]
    coming: Annotated[
        list[Coming], Meta(max_length=COMING, description="the next rounds that are fixed, after those going on")
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
    betting_ms: (
        Annotated[int, Meta(ge=0, description="for how many milliseconds the last round took bets")] | UnsetType
    ) = UNSET


_AsOf = Annotated[
    int,
    Meta(
        ge=0, description="when this was read, in milliseconds since 1970: of two answers, the greater is the newer"
    ),
]


class TableLive(LiveTable, frozen=True, kw_only=True):
    """One table as it is now."""

    as_of: _AsOf


class Live(Answer, frozen=True):
    """Tables as they are now: all of them, or the first hundred."""

    as_of: _AsOf
    records: Annotated[int, Meta(ge=0, description="the size of the published log")]
    tables: Annotated[
        list[LiveTable],
        Meta(
            max_length=MOST_LIVE,
            description="by name, those first that are not being closed; of others, `/v1/tables/{table}/live`",
        ),
    ]
