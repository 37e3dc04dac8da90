"""The examples of ``/openapi.json`` are those of ``docs/http.md``: ``python -m tests.described`` writes them anew."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from tests.house import HOUSE
from tests.support.descriptions import DOCUMENT
from tests.support.documents import PAGES, fenced

FILE = HOUSE / "api" / "http" / "described" / "examples.json"
PAGE = PAGES[Path("docs/http.md")]
SHOWN = {
    "Which service this is": ("getService", "200"),
    "The live feed": ("getLive", "200"),
    "Repeating a call, and 202": ("revealRound", "202"),
}
"""By the heading, of which call and status the page shows an answer without the call."""


class Call(NamedTuple):
    """One call of the page, and the answer that it shows."""

    method: str
    address: str
    has_token: bool
    body: str | None
    answer: str

    @property
    def status(self) -> str:
        """The status of the answer: problems have it."""
        document = json.loads(self.answer)
        return str(document["status"]) if "type" in document and "detail" in document else "200"


def calls() -> Iterator[Call]:
    """Every ``curl`` of the page, in order."""
    for block in fenced(PAGE, "console"):
        for command, answer in re.findall(r"^\$ curl (.*)\n(.*)$", block, re.MULTILINE):
            words = shlex.split(command)
            options = {flag: words[at + 1] for at, flag in enumerate(words) if flag in {"-X", "-H", "-d"}}
            (address,) = (word for word in words if word.startswith("http://"))
            yield Call(options.get("-X", "GET"), address, "-H" in options, options.get("-d"), answer)


def name_of(call: Call) -> str:
    """The operation of a call."""
    path = urlsplit(call.address).path
    for template, item in DOCUMENT["paths"].items():
        if call.method.lower() in item and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), path):
            return str(item[call.method.lower()]["operationId"])
    raise LookupError(f"{call.method} {path} is not described")


def examples() -> dict[str, dict[str, list[Any]]]:
    """What is sent (``body``) and answered (by status) in the page's examples, by the name of the call, in the page's
    order.
    """
    found: dict[str, dict[str, list[Any]]] = {}
    for call in calls():
        of_call = found.setdefault(name_of(call), {})
        if call.body is not None:
            of_call.setdefault("body", []).append(json.loads(call.body))
        of_call.setdefault(call.status, []).append(json.loads(call.answer))
    for heading, (name, status) in SHOWN.items():
        (section,) = re.findall(rf"^##+ {re.escape(heading)}\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL)
        (block,) = fenced(section, "json")
        found.setdefault(name, {}).setdefault(status, []).append(json.loads(block))
    return found


def written() -> str:
    """The file: a line for each call."""
    lines = (f"{json.dumps(name)}: {json.dumps(found, ensure_ascii=False)}" for name, found in examples().items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    FILE.write_text(written(), "utf-8")
    sys.stdout.write(f"{FILE.relative_to(HOUSE)} has the examples of docs/http.md\n")
