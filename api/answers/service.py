"""Answers about the service itself: which it is, its health, and its log's key."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from api.answers import fields
from api.answers.fields import Answer, Hex

FEATURES = ("dealt", "feed-of-table", "keep-back", "proof-by-id", "settle")
"""What this version takes beside the calls of a plain round; a later version has more (``docs/compatibility.md``)."""


class Service(Answer, frozen=True):
    """Which service this is, and what may be sent to it."""

    service: Annotated[str, Meta(description="its version")]
    log: Annotated[str, Meta(description="the name of its log")]
    vkey: str
    sandbox: Annotated[bool, Meta(description="whether its rounds prove nothing, and are only for trying")]
    time: fields.Time
    features: Annotated[
        list[Annotated[str, fields.open_list(*FEATURES, another="ignore it")]],
        Meta(description="what is not listed is not sent", extra_json_schema={"uniqueItems": True}),
    ]


class Alive(Answer, frozen=True):
    """That a process answers."""

    status: Annotated[str, Meta(extra_json_schema={"const": "live"})]
    version: str
    manifest: fields.Manifest


class HealthCheck(Answer, frozen=True):
    """Whether one part of the service works."""

    status: Annotated[str, Meta(extra_json_schema={"enum": ["ok", "failing"]})]
    message: Annotated[str, Meta(description="for people: what is wrong, with the remedy")] | UnsetType = UNSET


class Health(Answer, frozen=True):
    """Whether the service can play, and each of its parts; a machine that only reads has fewer of them."""

    status: Annotated[str, Meta(extra_json_schema={"enum": ["ready", "not-ready"]})]
    version: str
    manifest: fields.Manifest
    checks: Annotated[dict[str, HealthCheck], Meta(description="by the name of the part; another: act by `status`")]


class LogKey(Answer, frozen=True):
    """The key that signs the log."""

    vkey: str


class SeveralTables(Answer, frozen=True):
    """The ids of tables that begin alike."""

    table_ids: Annotated[list[Hex], Meta(min_length=2, extra_json_schema={"uniqueItems": True})]
