"""Answers about the service itself: its health, its log's key, and why it refuses a call."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from api.answers import fields
from api.answers.fields import Answer, Hex
from api.problems import OF_THE_WEB_SERVER, Code
from api.problems import Problem as Refusal

_Part = Annotated[str, Meta(extra_json_schema={"enum": ["ok", "failing"]})] | UnsetType


class Health(Answer, frozen=True, kw_only=True):
    """Whether the service can play, and each of its parts; a machine that only reads has fewer of them."""

    status: str
    database: _Part = UNSET
    custodian: _Part = UNSET
    log: _Part = UNSET
    background: _Part = UNSET
    clock: _Part = UNSET
    beacon: _Part = UNSET
    witnesses: _Part = UNSET
    policy: _Part = UNSET
    entropy: _Part = UNSET
    software: _Part = UNSET
    wrong: Annotated[list[str], Meta(description="a sentence each, with the remedy")] | UnsetType = UNSET


class LogKey(Answer, frozen=True):
    """The key that signs the log."""

    vkey: str


class SeveralTables(Answer, frozen=True):
    """The ids of tables that begin alike."""

    table_ids: Annotated[list[Hex], Meta(min_length=2, extra_json_schema={"uniqueItems": True})]


class At(Answer, frozen=True):
    """A round, and how it stands."""

    round: fields.Round
    status: fields.AnyStatus


class Problem(Answer, frozen=True):
    """Why a call is refused (RFC 9457)."""

    type: str
    title: str
    status: int
    code: Annotated[
        str,
        Meta(
            description="what a program looks at; more may be added, of which the status says enough",
            extra_json_schema={"x-extensible-enum": [*(code.text for code in Code), *OF_THE_WEB_SERVER]},
        ),
    ]
    detail: Annotated[str, Meta(description="for people: what was expected and found")]
    table: fields.Table | UnsetType = UNSET
    round: fields.Round | UnsetType = UNSET
    expected: At | UnsetType = UNSET
    found: At | UnsetType = UNSET
    place: Annotated[int, Meta(ge=0, description="of `bet-refused`: which bet, counted from 0")] | UnsetType = UNSET

    @classmethod
    def of(cls, refusal: Refusal) -> Problem:
        """Return the document of a refusal."""
        code = refusal.code
        return cls(
            f"urn:foredraw:problem:{code.text}",
            code.title,
            code.status,
            code.text,
            refusal.detail,
            refusal.table,
            refusal.number,
            UNSET if refusal.expected is None else At(*refusal.expected),
            UNSET if refusal.found is None else At(*refusal.found),
            refusal.place,
        )
