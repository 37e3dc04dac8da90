"""The log under ``/log/``: static files, which any web server could serve as well (SPEC 5)."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from io import BytesIO

from flask import Blueprint, Response, request, send_file
from werkzeug.exceptions import NotFound
from werkzeug.wsgi import wrap_file

from api.parts import part
from api.world.published.log_folder import LogFolder, OpenedFile
from api.world.published.published_log import PublishedLog
from fairness.errors import Missing
from fairness.hashing import sha256
from fairness.log.folders import hashed_pattern

log_files = Blueprint("log", __name__)

_NUMBER = r"(?:x[0-9]{3}/)*[0-9]{3}"
_IMMUTABLE = re.compile(
    "|".join(
        (
            rf"tile/(?:[0-9]|[1-5][0-9]|6[0-3]|entries)/{_NUMBER}(?:\.p/[1-9][0-9]{{0,2}})?",
            hashed_pattern("commitments", 64),
            hashed_pattern("witnessed", 64),
            hashed_pattern("custody", 64) + "/[a-z0-9-]{1,32}",
            "(?:policies|paytables)/[0-9a-f]{64}",
        )
    )
)
_GROWING = re.compile(f"checkpoint|{hashed_pattern('find/tables', 8)}|{hashed_pattern('find/rounds', 64)}/{_NUMBER}")

_FOR_EVER = "public, max-age=31536000, immutable"
_A_MOMENT = "public, max-age=1"
"""For what grows with the log."""


@log_files.get("/log/<path:path>")
def log_file(path: str) -> Response:
    """Return one file of the log. Only the spellings of the specification exist, so no address leads elsewhere."""
    immutable = _IMMUTABLE.fullmatch(path) is not None
    if not immutable and not _GROWING.fullmatch(path):
        raise NotFound
    mimetype = "text/plain" if path == "checkpoint" else "application/octet-stream"
    log = part(PublishedLog)
    try:
        if not isinstance(log, LogFolder):
            data, is_judged = log.pass_on(path)
            # A cache must not keep for ever what nobody has vouched for.
            immutable, response = immutable and is_judged, _sent(data, mimetype)
        elif immutable:
            response = _streamed(log.open(path), mimetype)
        else:
            # A file that is replaced while it is sent would have the length of one and the bytes of another.
            with (opened := log.open(path)).file as file:
                response = _sent(file.read(), mimetype, opened.changed)
    except Missing as error:
        raise NotFound from error
    response.headers["Cache-Control"] = _FOR_EVER if immutable else _A_MOMENT
    return response


def _sent(data: bytes, mimetype: str, changed: float | None = None) -> Response:
    return send_file(BytesIO(data), mimetype=mimetype, last_modified=changed, etag=sha256(data).hex()[:32])


def _streamed(opened: OpenedFile, mimetype: str) -> Response:
    """Return a file that never changes, as `send_file` answers with the file at a path."""
    response = Response(wrap_file(request.environ, opened.file), mimetype=mimetype, direct_passthrough=True)
    response.content_length, response.last_modified = opened.size, datetime.fromtimestamp(opened.changed, UTC)
    response.set_etag(f"{opened.changed}-{opened.size}")
    response.make_conditional(request.environ, accept_ranges=True, complete_length=opened.size)
    return response
