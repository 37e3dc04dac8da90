"""Answers about the service itself: its health, its log's key, and why it refuses a call."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from api.answers import fields
from api.answers.fields import Answer, Hex
from api.problems import OF_THE_WEB_SERVER, Code
from api.problems import Problem as Refusal


class Alive(Answer, frozen=True):
    """That a process answers."""

    status: Annotated[str, Meta(extra_json_schema={"const": "live"})]
    version: str


class HealthCheck(Answer, frozen=True):
    """Whether one part of the service works."""

    status: Annotated[str, Meta(extra_json_schema={"enum": ["ok", "failing"]})]
    message: Annotated[str, Meta(description="for people: what is wrong, with the remedy")] | UnsetType = UNSET


class Health(Answer, frozen=True):
    """Whether the service can play, and each of its parts; a machine that only reads has fewer of them."""

    status: Annotated[str, Meta(extra_json_schema={"enum": ["ready", "not-ready"]})]
    version: str
    checks: Annotated[dict[str, HealthCheck], Meta(description="by the name of the part; more may be added")]


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
