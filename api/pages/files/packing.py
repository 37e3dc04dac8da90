"""Answers in gzip, so that the first view of a page fits into what a server sends before the first
acknowledgement.
"""

from __future__ import annotations

import gzip

from flask import Response, request

_LEVEL = 6
SMALLEST = 9
"""For what is packed once and sent often: it takes twice as long."""


def pack(response: Response) -> Response:
    """Compress an answer, if the browser accepts it.

    The operator's pages are not compressed: the length of a compressed page shows whether a guess
    that it repeats is in it (the attack called BREACH).
    """
    if request.path.startswith("/ops"):
        return response
    response.vary.add("Accept-Encoding")
    if takes_packed():
        response.set_data(packed(response.get_data()))
        response.content_encoding = "gzip"
    return response


def takes_packed() -> bool:
    """Return whether the browser accepts gzip."""
    return request.accept_encodings["gzip"] > 0


def packed(data: bytes, level: int = _LEVEL) -> bytes:
    """Pack bytes in gzip, the same for the same bytes: no time stands in them."""
    return gzip.compress(data, level, mtime=0)
