"""Why a call is refused: problem documents (RFC 9457), whose members say to programs what ``detail`` says to people.

Which members the problems of a code have is in `api.problems`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from api.answers import fields
from api.answers.fields import Answer
from api.present_request import request_id
from api.problems import OF_THE_WEB_SERVER, Code
from api.problems import Problem as Refusal


class At(Answer, frozen=True):
    """A round, and how it stands."""

    round: fields.Round
    status: fields.AnyStatus


class Wanted(Answer, frozen=True):
    """A round, and the statuses in one of which it has to be."""

    round: fields.Round
    status: Annotated[Sequence[fields.AnyStatus], Meta(min_length=1)]


_Pointer = Annotated[
    str,
    Meta(
        description="a JSON Pointer (RFC 6901) to what is wrong in the body; of a key that is missing, to where it belongs"
    ),
]
_Parameter = Annotated[
    str, Meta(description="the name of what is wrong in the address: of a part of its path, or behind its `?`")
]
_Minimum = Annotated[int, Meta(description="the least that may stand there")]
_Maximum = Annotated[int, Meta(description="the most that may stand there")]
_KeepBack = Annotated[bool, Meta(description="what the body of the lock needs")]
_Of = Annotated[fields.Natural, Meta(description="how many things the order has")]
_Given = Annotated[fields.Natural, Meta(description="how many of them were given")]
_Url = Annotated[str, Meta(description="what engines call")]
_Committed = Annotated[fields.Natural, Meta(description="the table's last round that is committed; 0: none")]
_Published = Annotated[
    fields.Natural, Meta(description="the table's last round that the published log fixes; 0: none")
]
_Request = Annotated[str, Meta(description="the request's id, as in the header `X-Request-Id`")]


class Problem(Answer, frozen=True):
    """Why a call is refused (RFC 9457)."""

    type: str
    title: str
    status: int
    code: Annotated[
        str,
        fields.open_list(
            *(code.text for code in Code),
            *OF_THE_WEB_SERVER,
            what="what a program looks at",
            another="act by the status",
        ),
    ]
    detail: Annotated[str, Meta(description="English, for developers; it may change at any time")]
    request: _Request | UnsetType = UNSET
    table: Annotated[fields.Table, Meta(description="the table that the address names")] | UnsetType = UNSET
    round: Annotated[fields.Round, Meta(description="the round that the address names")] | UnsetType = UNSET
    expected: Wanted | UnsetType = UNSET
    found: At | UnsetType = UNSET
    pointer: _Pointer | UnsetType = UNSET
    parameter: _Parameter | UnsetType = UNSET
    minimum: _Minimum | UnsetType = UNSET
    maximum: _Maximum | UnsetType = UNSET
    keep_back: _KeepBack | UnsetType = UNSET
    of: _Of | UnsetType = UNSET
    given: _Given | UnsetType = UNSET
    url: _Url | UnsetType = UNSET
    committed_through: _Committed | UnsetType = UNSET
    published_through: _Published | UnsetType = UNSET
    retry_after: fields.RetryAfter | UnsetType = UNSET


def problem_of(refusal: Refusal, table: str | UnsetType = UNSET, number: int | UnsetType = UNSET) -> Problem:
    """Return the document of a refusal of the present request, whose address names a table, and a round's number."""
    code, members = refusal.code, refusal.members
    return Problem(
        f"urn:foredraw:problem:{code.text}",
        code.title,
        code.status,
        code.text,
        refusal.detail,
        request=request_id() or UNSET,
        table=table,
        round=number,
        expected=UNSET if "expected" not in members else Wanted(*members["expected"]),
        found=UNSET if "found" not in members else At(*members["found"]),
        pointer=members.get("pointer", UNSET),
        parameter=members.get("parameter", UNSET),
        minimum=members.get("minimum", UNSET),
        maximum=members.get("maximum", UNSET),
        keep_back=members.get("keep_back", UNSET),
        of=members.get("of", UNSET),
        given=members.get("given", UNSET),
        url=members.get("url", UNSET),
        committed_through=members.get("committed_through", UNSET),
        published_through=members.get("published_through", UNSET),
        retry_after=members.get("retry_after", UNSET),
    )
