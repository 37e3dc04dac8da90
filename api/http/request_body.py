"""Reading what a call sends: all of it, or a refusal."""

from __future__ import annotations

import json
import re
from typing import TypeVar

import msgspec
from flask import request
from werkzeug.exceptions import HTTPException

from api.answers.schemas import Json, JsonObject
from api.problems import Code, Problem
from fairness.errors import Malformed

LARGEST_BODY = 16 * 1024

_Body = TypeVar("_Body")
_PLACE = re.compile(r" - at (?:`key` in )?`\$([^`]*)`\Z")
_KEY = re.compile(r"Object (?:contains unknown|missing required) field `(.*?)`(?: - at `\$[^`]*`)?\Z", re.DOTALL)
_CHECKS_ITSELF = "/bets"
"""The digest, whose errors are those of `fairness`, without a place."""


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
    except Malformed as error:
        raise Problem(Code.MALFORMED_BODY, str(error), pointer=_CHECKS_ITSELF) from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise Problem(Code.MALFORMED_BODY, str(error), pointer=_pointer(str(error))) from error
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
        raise Problem(Code.MALFORMED_BODY, str(error), pointer=_pointer(str(error))) from error


def _pointer(said: str) -> str:
    """Return the place in the body (RFC 6901) of an error of the decoder, which names it behind its words; that of
    the whole body if it names none.
    """
    found = _PLACE.search(said)
    # Of an object with names of the caller's, the decoder says only that it is in there.
    place = "" if found is None else found[1].partition("[...]")[0]
    inside = re.sub(r"\[(\d+)\]", r"/\1", place).replace(".", "/")
    key = _KEY.match(said)
    return inside if key is None else inside + reference_token(key[1])


def reference_token(key: str) -> str:
    """Return a key as a step of a pointer."""
    return "/" + key.replace("~", "~0").replace("/", "~1")


def _distinct(pairs: list[tuple[str, Json]]) -> JsonObject:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Problem(Code.MALFORMED_BODY, "expected every key once", pointer="")
    return found
