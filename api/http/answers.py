"""Reading numbers from addresses, spelling answers, and how long caches may keep them."""

from __future__ import annotations

import re
from hashlib import sha256
from http import HTTPStatus

import msgspec
from flask import Response, has_request_context, request
from msgspec import UNSET, UnsetType

from api.answers.fields import Answer
from api.answers.problems import problem_of
from api.answers.rounds import Pending
from api.answers.schemas import JsonObject
from api.problems import Code, Problem
from fairness.hashing import U48_LIMIT
from games.outcome_schema import Schema

A_SECOND = "public, max-age=0, s-maxage=1"
"""How long caches before the service may keep what changes; a browser asks each time, with the answer's tag."""
A_MINUTE = "public, max-age=0, s-maxage=60"
"""The same of what changes only with the version of the service, or never."""
_NEVER = "no-store"

_TABLE = re.compile("[a-z0-9-]{1,32}", re.ASCII)
_NUMBER = re.compile(r"[1-9][0-9]{0,14}", re.ASCII)


def round_number(text: str) -> int:
    """Return a round's number from an address. Raises `Problem` for any second spelling of it."""
    return whole_number(text, "round", U48_LIMIT - 1)


def whole_number(text: str, name: str, most: int) -> int:
    """Return the parameter of this name: from 1 to ``most``, without sign or leading zero. Raises `Problem`."""
    if not _NUMBER.fullmatch(text) or int(text) > most:
        detail = f"{name}: expected 1 to {most}, found {text[:40]!r}"
        raise Problem(Code.MALFORMED_NUMBER, detail, parameter=name, minimum=1, maximum=most)
    return int(text)


def named_in_address() -> dict[str, str]:
    """Return the ``table`` and the ``number`` that the present request's address names, if they are spelled like
    ones.
    """
    named = (has_request_context() and request.view_args) or {}
    kinds = {"table": _TABLE, "number": _NUMBER}
    return {name: text for name, text in named.items() if name in kinds and kinds[name].fullmatch(text)}


def json_answer(document: Answer | JsonObject | Schema, *, status: int = 200, keep: str = _NEVER) -> Response:
    """Return an answer that caches ``keep`` for so long; unless it is said, none does."""
    response = Response(msgspec.json.encode(document), status, mimetype="application/json")
    response.headers["Cache-Control"] = keep
    return response


def tag_kept(response: Response) -> Response:
    """Give its tag to what a cache before the service may keep, or answer that nothing has changed since the caller's
    one.
    """
    if response.status_code != HTTPStatus.OK or response.headers.get("Cache-Control") not in {A_SECOND, A_MINUTE}:
        return response
    if "ETag" in response.headers:
        return response
    # Weak: a proxy may pack the answer.
    response.set_etag(sha256(response.get_data()).hexdigest()[:32], weak=True)
    response.make_conditional(request)
    return response


def keep_nowhere(response: Response) -> Response:
    """Let no cache keep an answer to an engine, whatever the public's caches may keep."""
    response.headers["Cache-Control"] = _NEVER
    return response


def round_answer(document: Answer) -> Response:
    """Return what an engine is answered about a round; if its lock is not published yet, the caller asks again."""
    if isinstance(document, Pending):
        return _retried(json_answer(document, status=202), document.retry_after)
    return json_answer(document)


def problem_answer(problem: Problem) -> Response:
    """Return an RFC 9457 problem document, with what the present request's address names."""
    named = named_in_address()
    number = int(named.get("number", U48_LIMIT))
    document = problem_of(problem, named.get("table", UNSET), number if number < U48_LIMIT else UNSET)
    # Whoever waits for a round to be committed asks as often as those who follow one. At a page's address a cache
    # would give this document to browsers, too.
    keep = A_SECOND if problem.code is Code.UNKNOWN_ROUND and request.path.startswith("/v1/") else _NEVER
    response = json_answer(document, status=problem.code.status, keep=keep)
    response.mimetype = "application/problem+json"
    if problem.code.status == Code.NO_TOKEN.status:
        response.headers["WWW-Authenticate"] = "Bearer"
    return _retried(response, document.retry_after)


def _retried(response: Response, seconds: int | UnsetType) -> Response:
    if seconds is not UNSET:
        response.headers["Retry-After"] = str(seconds)
    return response
