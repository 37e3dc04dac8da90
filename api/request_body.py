"""Reading what a call sends: all of it, or a refusal."""

from __future__ import annotations

from flask import request
from werkzeug.exceptions import HTTPException

from api.problems import Code, Problem

LARGEST_BODY = 16 * 1024


def read_body() -> bytes:
    """The body of the present request, at most `LARGEST_BODY` bytes. Raises `Problem` or `HTTPException`."""
    try:
        data = request.get_data()
    except HTTPException:
        raise
    except Exception as error:
        # Only the server knows its errors, and they are all about bytes that the caller sent, or did not.
        raise Problem(Code.MALFORMED_REQUEST, "the body ends early, or its chunks are malformed") from error
    if len(data) > LARGEST_BODY:
        raise Problem(Code.BODY_TOO_LARGE, f"expected at most {LARGEST_BODY} bytes")
    return data
