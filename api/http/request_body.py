"""Reading what a call sends: all of it, or a refusal."""

from __future__ import annotations

import json
from typing import TypeVar

import msgspec
from flask import request
from werkzeug.exceptions import HTTPException

from api.answers.schemas import Json, JsonObject
from api.problems import Code, Problem
from fairness.errors import Malformed

LARGEST_BODY = 16 * 1024

_Body = TypeVar("_Body")


def read_body() -> bytes:
    """Return the body of the present request, at most `LARGEST_BODY` bytes. Raises `Problem` or `HTTPException`."""
    try:
        data = request.get_data()
    except (HTTPException, Problem):
        raise
    except Exception as error:
        # The server's own errors: all are about bytes that the caller sent, or did not send.
        raise Problem(Code.MALFORMED_REQUEST, "the body ends early, or its chunks are malformed") from error
    if len(data) > LARGEST_BODY:
        raise Problem(Code.BODY_TOO_LARGE, f"expected at most {LARGEST_BODY} bytes")
    return data


def decode_body(data: bytes, kind: type[_Body]) -> _Body:
    """Return the decoded body of a call; if every key is optional, so is the body. Raises `Problem`."""
    try:
        body = msgspec.json.decode(data or b"{}", type=kind)
    except (Malformed, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise Problem(Code.MALFORMED_BODY, str(error)) from error
    if data:
        # Of several equal keys the decoder takes the last, and another reader of the same body might take the first.
        json.loads(data, object_pairs_hook=_distinct)
    return body


def decode_text_body(data: bytes, kind: type[_Body]) -> _Body:
    """Return the same of a body with a text of a person, which must not fail for its spelling. Raises `Problem`.

    Programs cut texts in the middle of a character, send another encoding than UTF-8, or put a line's end into a text
    as it is.
    """
    try:
        found = json.loads(data.decode("utf-8-sig", "replace"), object_pairs_hook=_distinct, strict=False)
        return msgspec.convert(found, kind)
    except (ValueError, RecursionError, msgspec.ValidationError) as error:
        raise Problem(Code.MALFORMED_BODY, str(error)) from error


def _distinct(pairs: list[tuple[str, Json]]) -> JsonObject:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Problem(Code.MALFORMED_BODY, "expected every key once")
    return found
