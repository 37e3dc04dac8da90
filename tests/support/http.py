"""Requests byte by byte, and the form of every refusal."""

from __future__ import annotations

import re
from itertools import pairwise
from socket import create_connection

from api.http.answers import A_SECOND
from api.problems import RETRY_SECONDS, Code, members_of
from fairness.hashing import U48_LIMIT
from tests.support.running_service import PATIENCE_SECONDS, Answer

_EVERY = ("type", "title", "status", "code", "detail", "request")
_TABLE, _ROUND = re.compile("[a-z0-9-]{1,32}"), re.compile("[1-9][0-9]{0,14}")


def spoken(port: int, request: bytes) -> Answer:
    """The answer to exactly these bytes, up to the end of the connection."""
    with create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS) as connection:
        connection.sendall(request)
        received = b""
        while part := connection.recv(65536):
            received += part
    head, _, body = received.partition(b"\r\n\r\n")
    status, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.title(): value for name, _, value in (line.partition(": ") for line in lines)}
    method, path = [*request.decode("latin-1").split("\r\n")[0].split(" "), "", ""][:2]
    return Answer(method, path, int(status.split(" ")[1]), headers, body)


def is_problem(answer: Answer, code: Code) -> None:
    """Whether the answer is the complete problem document of this code, and no cache may keep it.

    Only that a round is unknown, the public's caches may keep for a second.
    """
    document = answer.document
    assert (answer.status, answer.media_type) == (code.status, "application/problem+json"), answer
    kept = {"no-store", A_SECOND} if code is Code.UNKNOWN_ROUND else {"no-store"}
    assert answer.headers["Cache-Control"] in kept
    assert "X-Request-Id" in answer.headers
    assert {key: document[key] for key in ("type", "title", "status", "code")} == {
        "type": f"urn:foredraw:problem:{code.text}",
        "title": code.title,
        "status": code.status,
        "code": code.text,
    }
    has = members_of(code)
    assert document.keys() - {*_EVERY, "table", "round", *has.if_known} == {*has.always}, document
    assert 0 < len(document["detail"]) < 400
    assert not any(word in answer.data for word in (b"<html", b"Traceback", b'File \\"', b"/data"))
    assert ("WWW-Authenticate" in answer.headers) == (answer.status == 401)
    assert ("Allow" in answer.headers) == (answer.status == 405)
    assert answer.headers.get("Retry-After") == (str(document["retry_after"]) if code in RETRY_SECONDS else None)
    assert document["request"] == answer.headers["X-Request-Id"]
    named = named_by(answer.path)
    assert all(document[name] == named[name] for name in ("table", "round") if name in document)


def named_by(path: str) -> dict[str, object]:
    """The table and the round that an address names."""
    parts = path.partition("?")[0].split("/")
    behind = dict(pairwise(parts))
    table, number = behind.get("tables", ""), parts[-1] if "proofs" in parts else behind.get("rounds", "")
    named: dict[str, object] = {"table": table} if _TABLE.fullmatch(table) else {}
    if _ROUND.fullmatch(number) and int(number) < U48_LIMIT:
        named["round"] = int(number)
    return named


BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
