"""Requests byte by byte, and the form of every refusal."""

from __future__ import annotations

from socket import create_connection

from api.problems import RETRY_SECONDS, Code
from tests.support.running_service import PATIENCE_SECONDS, Answer


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
    return Answer("", "", int(status.split(" ")[1]), headers, body)


def is_problem(answer: Answer, code: Code) -> None:
    """Whether the answer is the complete problem document of this code, and no cache may keep it."""
    document = answer.document
    assert (answer.status, answer.media_type) == (code.status, "application/problem+json"), answer
    assert answer.headers["Cache-Control"] == "no-store"
    assert "X-Request-Id" in answer.headers
    assert {key: document[key] for key in ("type", "title", "status", "code")} == {
        "type": f"urn:foredraw:problem:{code.text}",
        "title": code.title,
        "status": code.status,
        "code": code.text,
    }
    assert document.keys() <= {
        "type",
        "title",
        "status",
        "code",
        "detail",
        "table",
        "round",
        "expected",
        "found",
        "place",
    }
    assert 0 < len(document["detail"]) < 400
    assert not any(word in answer.data for word in (b"<html", b"Traceback", b'File \\"', b"/data"))
    assert ("WWW-Authenticate" in answer.headers) == (answer.status == 401)
    assert ("Allow" in answer.headers) == (answer.status == 405)
    assert ("Retry-After" in answer.headers) == (code in RETRY_SECONDS)


BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
