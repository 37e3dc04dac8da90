"""Reading numbers from addresses, and spelling answers."""

from __future__ import annotations

import re

import msgspec
from flask import Response

from api.answers import service
from api.answers.fields import Answer
from api.answers.rounds import Pending
from api.answers.schemas import JsonObject
from api.problems import RETRY_SECONDS, Code, Problem
from fairness.hashing import U48_LIMIT
from games.outcome_schema import Schema

A_MOMENT = "public, max-age=1"
"""How long caches may keep what grows with the log."""

_NUMBER = re.compile(r"[1-9][0-9]{0,14}", re.ASCII)


def round_number(text: str) -> int:
    """Return a round's number from an address. Raises `Problem` for any second spelling of it."""
    return whole_number(text, "a round", U48_LIMIT - 1)


def whole_number(text: str, what: str, most: int) -> int:
    """Return a number from 1 to ``most``, without sign or leading zero. Raises `Problem`."""
    if not _NUMBER.fullmatch(text) or int(text) > most:
        raise Problem(Code.MALFORMED_NUMBER, f"{what}: expected 1 to {most}, found {text[:40]!r}")
    return int(text)


def json_answer(document: Answer | JsonObject | Schema, *, status: int = 200) -> Response:
    """Return an answer that no cache keeps."""
    response = Response(msgspec.json.encode(document), status, mimetype="application/json")
    response.headers["Cache-Control"] = "no-store"
    return response


def round_answer(document: Answer) -> Response:
    """Return what an engine is answered about a round; if its lock is not published yet, the caller asks again."""
    if not isinstance(document, Pending):
        return json_answer(document)
    pending = json_answer(document, status=202)
    pending.headers["Retry-After"] = "1"
    return pending


def file_answer(data: bytes, name: str) -> Response:
    """Return a text file that grows with the log: a download of this name, which caches may keep for a moment."""
    response = Response(data, mimetype="text/plain")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.headers["Cache-Control"] = A_MOMENT
    return response


def problem_answer(problem: Problem) -> Response:
    """Return an RFC 9457 problem document."""
    response = json_answer(service.Problem.of(problem), status=problem.code.status)
    response.mimetype = "application/problem+json"
    if problem.code.status == Code.NO_TOKEN.status:
        response.headers["WWW-Authenticate"] = "Bearer"
    if problem.code in RETRY_SECONDS:
        response.headers["Retry-After"] = str(RETRY_SECONDS[problem.code])
    return response
