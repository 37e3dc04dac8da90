"""Every error of an application becomes a problem: a caller learns its code, and the operator's messages have the
rest.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from http import HTTPStatus
from typing import cast

from flask import Flask, Response, request
from werkzeug.datastructures import Headers
from werkzeug.exceptions import HTTPException

from api.http.request_body import LARGEST_BODY
from api.operations.counts import counts
from api.present_request import request_id
from api.problems import Code, Members, Problem
from api.settings import Settings
from api.store.contents import DamagedStateError
from api.world.statuses import note_damage
from api.world.storage_failures import (
    STORAGE_FAILURES,
    StorageFailure,
    in_words,
    is_of_a_connection,
    say_once_a_minute,
)
from api.world.timekeeper import Timekeeper

_logger = logging.getLogger("foredraw.api")
_CODES = {
    404: (
        Code.NOT_FOUND,
        "GET /openapi.json describes the public's addresses; GET /v1/engine/openapi.json those of the engines' listener",
    ),
    405: (Code.METHOD_NOT_ALLOWED, "the header Allow names the methods of this address"),
    413: (Code.BODY_TOO_LARGE, f"expected at most {LARGEST_BODY} bytes"),
    416: (Code.RANGE_BEYOND_END, "the header Content-Range has the size of the file"),
}
"""What the framework refuses by itself, and what to do."""
_OF_THE_FRAMEWORK = ("Allow", "Content-Range")
"""Headers that it gives with these."""


def answer_errors(
    app: Flask, settings: Settings, timekeeper: Timekeeper, answer: Callable[[Problem], Response]
) -> None:
    """Make every error a problem, which is counted, and which ``answer`` answers."""

    def refused(problem: Problem) -> Response:
        counts().refusals[problem.code].add()
        return answer(problem)

    def damaged(_error: DamagedStateError) -> Response:
        # What the database says instead is only for the keeper and the operator.
        table = (request.view_args or {}).get("table", "the table")
        detail = f"{table} is halted: its row in the database is damaged"
        return refused(Problem(Code.TABLE_HALTED, detail))

    def http_error(error: HTTPException) -> Response:
        status = error.code or HTTPStatus.INTERNAL_SERVER_ERROR
        otherwise = Code.MALFORMED_BODY if status < HTTPStatus.INTERNAL_SERVER_ERROR else Code.INTERNAL
        code, detail = _CODES.get(status, (otherwise, error.description or otherwise.title))
        # Of a body that cannot be read, all of it is wrong.
        members: Members = {"pointer": ""} if code is Code.MALFORMED_BODY else {}
        response = refused(Problem(code, detail, **members))
        given = Headers(error.get_headers())
        response.headers.extend({name: given[name] for name in _OF_THE_FRAMEWORK if name in given})
        return response

    def storage_fails(error: Exception) -> Response:
        if is_of_a_connection(error):
            return unexpected(error)
        # Which file, and what to do, is for the operator: in the messages, and in `/health/ready`.
        failure = cast("StorageFailure", error)
        note_damage(failure, settings, timekeeper)
        say_once_a_minute(in_words(failure, settings))
        return refused(Problem(Code.STORAGE_FAILS, "the operator's log says more, and GET /health/ready what to do"))

    def unexpected(error: Exception) -> Response:
        # The traceback is for the operator's log; a caller learns nothing of the internals.
        _logger.error("an unexpected error in request %s", request_id(), exc_info=error)
        return refused(Problem(Code.INTERNAL, "the operator's log says more"))

    app.register_error_handler(Problem, refused)
    app.register_error_handler(DamagedStateError, damaged)
    app.register_error_handler(HTTPException, http_error)
    for kind in STORAGE_FAILURES:
        app.register_error_handler(kind, storage_fails)
    app.register_error_handler(Exception, unexpected)
