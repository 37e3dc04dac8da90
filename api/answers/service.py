"""Answers about the service itself: its health, and its log's key."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from api.answers.fields import Answer, Hex


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
