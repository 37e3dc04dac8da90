"""The headers that every answer has, and every answer to a token that ends."""

from __future__ import annotations

from typing import cast

from api.answers.schemas import Json, JsonObject
from api.callers import EXPIRES

TOKEN = f"opaque, at most 255 characters; answers to a token that has an end say when, in {EXPIRES}"
_REQUEST, _ENDS = "RequestId", "TokenExpires"
HEADERS: JsonObject = {
    _REQUEST: {
        "description": "the service's id of the request, for reports; a cache repeats that of its own request",
        "required": True,
        "schema": {"type": "string", "pattern": "^[0-9a-f]{16}$"},
    },
    _ENDS: {
        "description": "when the token ends, if it does",
        "schema": {"type": "string", "format": "date-time"},
    },
}
"""By their names in a description."""


def with_headers(operation: JsonObject, *, has_token: bool) -> JsonObject:
    """Return the description of a call, each of whose answers has these headers."""
    named = {"X-Request-Id": _REQUEST, **({EXPIRES: _ENDS} if has_token else {})}
    ours: JsonObject = {name: {"$ref": f"#/components/headers/{header}"} for name, header in named.items()}
    answers: dict[str, Json] = {}
    for status, answer in cast("JsonObject", operation["responses"]).items():
        given = cast("JsonObject", answer)
        answers[status] = {**given, "headers": {**cast("JsonObject", given.get("headers", {})), **ours}}
    return {**operation, "responses": answers}
