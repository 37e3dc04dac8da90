"""Programs that were written against the first release read what comes later: a new key anywhere, a new value in each
open list (docs/compatibility.md).

The later service is a server that gives the examples of the first release's descriptions, grown by both.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.api.clients.first_release import descriptions, documents
from tests.api.clients.making import run_in_python, run_in_typescript
from tests.support.descriptions import DOCUMENT

pytestmark = [
    pytest.mark.nightly("makes clients", but="test_what_the_first_release_had_is_there"),
    pytest.mark.one_database("there is none"),
]

NAMES_OF_OTHERS = {"outcome", "rules", "checks", "declaration"}
"""Their keys are names: of a game's places and rules, of the service's parts."""
TOLD = {
    "features": ["feed-of-table", "keep-back", "proof-by-id", "settle", "of-next-year"],
    "status": "of-next-year",
    "ended": False,
    "results": ["of-next-year", "of-next-year"],
    "paid": [0, 0],
    "now": ["of-next-year", "of-next-year"],
    "locked": {"number": 65},
    "code": "of-next-year",
    "later": True,
    "repeated": False,
}


def grown(value: Any) -> Any:  # noqa: ANN401 -- any part of a document
    """A later answer: each object has one more key."""
    if isinstance(value, list):
        return [grown(each) for each in value]
    if isinstance(value, dict):
        known = {key: each if key in NAMES_OF_OTHERS else grown(each) for key, each in value.items()}
        return {**known, "of_next_year": {"more": [1]}}
    return value


def later(name: str, answer: Any) -> Any:  # noqa: ANN401 -- whatever the call answers
    """The answer of the call of this name, with a new value in its open list."""
    new = "of-next-year"
    match name:
        case "getService":
            answer["features"].append(new)
        case "getRound":
            answer["status"] = new
        case "settleBets":
            answer["status"] = new
            answer["bets"] = [{**bet, "result": new, "winnings": "7"} for bet in answer["bets"]]
        case "getLive":
            answer["tables"] = [
                {**table, "now": [{**each, "status": new} for each in table["now"]]} for table in answer["tables"]
            ]
        case "openRound":
            answer["code"] = new
        case _:
            pass
    return grown(answer)


def answer_to(method: str, path: str) -> tuple[int, str, bytes]:
    """Status, type and body of an answer: a refusal, if the call has an example of one."""
    for document in documents():
        for template, item in document["paths"].items():
            if method in item and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), path):
                operation = item[method]
                shown = {
                    int(status): (kind, content["examples"]["example-1"]["value"])
                    for status, response in operation["responses"].items()
                    for kind, content in response.get("content", {}).items()
                    if "examples" in content
                }
                status = max(shown)
                kind, example = shown[status]
                return status, kind, json.dumps(later(operation["operationId"], example)).encode()
    raise LookupError(f"{method} {path} has no example")


class Handler(BaseHTTPRequestHandler):
    """Answers as a later version does."""

    def _answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        status, kind, body = answer_to(self.command.lower(), self.path)
        self.send_response(HTTPStatus(status))
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = _answer  # noqa: N815 -- as the base class calls them

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module", name="url")
def _url() -> Iterator[str]:
    """The address of the later service."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_client_in_typescript_reads_later_answers(url: str, tmp_path: Path) -> None:
    """It compiles, as its types have no closed list of what is open, and pays nothing that it does not know."""
    assert json.loads(run_in_typescript(descriptions(), tmp_path, "later", url)) == TOLD


def test_a_client_in_python_reads_later_answers(url: str, tmp_path: Path) -> None:
    """It makes its own values of all answers, and refuses none."""
    assert json.loads(run_in_python(descriptions(), tmp_path, "read_later_answers", url)) == TOLD


def closed_lists(document: Any) -> set[str]:  # noqa: ANN401 -- a document of OpenAPI
    """The frozen lists of its forms."""
    return set(re.findall(r'"enum": \[[^]]*\]|"const": "[^"]*"', json.dumps(document["components"]["schemas"])))


def test_what_the_first_release_had_is_there() -> None:
    """Each of its calls, by the same name, and each of its frozen lists with the same values."""
    today = {
        (path, method, operation["operationId"])
        for path, item in DOCUMENT["paths"].items()
        for method, operation in item.items()
    }
    for document in documents():
        for path, item in document["paths"].items():
            assert {(path, method, operation["operationId"]) for method, operation in item.items()} <= today
        assert closed_lists(document) <= closed_lists(DOCUMENT)
