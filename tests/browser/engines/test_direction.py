"""On a page that is written from right to left, or that a program has turned round, every outcome is drawn as
before.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler
from queue import Empty, SimpleQueue
from typing import Any

import pytest
import urllib3

from api.rounds.tables import add_table
from tests.support.browser.engines import ENGINES, browsing
from tests.support.browser.quiet_service import QuietService
from tests.support.log_server import answering
from tests.support.running_service import PATIENCE_SECONDS, SIX_TABLES

RUNNERS = {"runners": 6, "version": 1} | {f"w{number}": 1 for number in range(1, 7)}
SCRIPT = """
const everything = (root) => [...root.querySelectorAll("*")].flatMap((each) => [each, ...(each.shadowRoot ? everything(each.shadowRoot) : [])]);
const isDrawn = (each) => !each.closest("noscript, script, style, template, defs, symbol, .sheet");
/** Where each box is, and where each character of each text. */
function measure() {
  return everything(document.body).filter(isDrawn).filter((each) => !each.shadowRoot).flatMap((each) => {
    // A badge may stand elsewhere on its host's page, but as it was in itself.
    const around = (each.getRootNode().querySelector("body") ?? each.getRootNode().querySelector("section")).getBoundingClientRect();
    const at = (what, { x, y, width, height }) => [what, x - around.x, y - around.y, width, height];
    const texts = [...each.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "");
    const characters = texts.flatMap((text) => [...text.data].map((character, place) => {
      const range = document.createRange();
      range.setStart(text, place);
      range.setEnd(text, place + 1);
      return at(character.trim(), range.getBoundingClientRect());
    }));
    return [at(each.tagName, each.getBoundingClientRect()), ...characters];
  });
}
/** By more than engines round. */
function isElsewhere([what, ...sides], [other, ...others]) {
  return what !== other || (what !== "" && sides.some((side, place) => Math.abs(side - others[place]) > 0.5));
}
async function waitFor(selector) {
  while (!everything(document.body).some((each) => each.matches(selector))) await new Promise(requestAnimationFrame);
  await document.fonts.ready;
}
(async () => {
  const { selector } = await (await fetch("/waits")).json();
  await waitFor(selector);
  // What is folded has boxes in some engines only.
  for (const fold of everything(document.body).filter((each) => each.matches("details"))) fold.open = true;
  const before = measure();
  document.documentElement.dir = "rtl";
  const after = measure();
  const differ = before.map((each, place) => [each, after[place]]).filter(([one, other]) => isElsewhere(one, other)).slice(0, 20);
  const found = { agent: navigator.userAgent, measured: before.length, differ, outcome: everything(document.body).filter((each) => each.matches(selector)).map((each) => each.textContent).join(" ") };
  const next = await (await fetch("/found", { method: "POST", body: JSON.stringify(found) })).json();
  if (next.path) location.replace(next.path);
})().catch((error) => fetch("/found", { method: "POST", body: JSON.stringify({ error: String(error) }) }));
"""


class Turned:
    """A service's pages, and pages with a badge, each with a script that turns it round and reports; one after the
    other.
    """

    def __init__(self, quiet: QuietService, pages: Sequence[tuple[str, str]]) -> None:
        self._quiet, self._pages = quiet, pages
        self._number = 0
        self.found = SimpleQueue[Mapping[str, Any]]()

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        """One request of the browser."""
        path = request.path
        if path == "/waits":
            return _send(request, json.dumps({"selector": self._pages[self._number][1]}).encode(), "application/json")
        if path == "/turn.js":
            return _send(request, SCRIPT.encode(), "text/javascript")
        if path.startswith("/badge/"):
            return _send(request, _with_script(self._badge(path.removeprefix("/badge/"))), "text/html; charset=utf-8")
        answer = urllib3.request("GET", self._quiet.url + path, retries=False, decode_content=True)
        kind = answer.headers.get("Content-Type", "application/octet-stream")
        kept = {name: answer.headers[name] for name in ("Content-Security-Policy",) if name in answer.headers}
        return _send(
            request, _with_script(answer.data) if "html" in kind else answer.data, kind, status=answer.status, **kept
        )

    def hear(self, request: BaseHTTPRequestHandler) -> None:
        """What a page found; the answer is where to go on."""
        self.found.put(json.loads(request.rfile.read(int(request.headers["Content-Length"]))))
        self._number += 1
        rest = self._pages[self._number : self._number + 1]
        _send(request, json.dumps({"path": rest[0][0] if rest else None}).encode(), "application/json")

    def _badge(self, table: str) -> bytes:
        key = self._quiet.inside.key
        line = f"<foredraw-round table='{table}' round='1' vkey='{key}'></foredraw-round>"
        script = f"<script type='module' src='{self._quiet.url}/scripts/badge.js'></script>"
        return f"<!doctype html><html lang='en'><head><title>A game</title></head><body>{line}{script}".encode()


def _with_script(page: bytes) -> bytes:
    return page.replace(b"</head>", b"<script type='module' src='/turn.js'></script></head>", 1)


def _send(request: BaseHTTPRequestHandler, body: bytes, kind: str, *, status: int = 200, **headers: str) -> None:
    request.send_response(status)
    for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
        request.send_header(name, value)
    request.end_headers()
    request.wfile.write(body)


@pytest.fixture(scope="module", name="tables")
def _tables(quiet: QuietService) -> list[str]:
    """Six games, and a race, whose outcome is an order."""
    add_table(quiet.inside.service.writer, "race-1", "racing", rules=RUNNERS)
    quiet.inside.settle()
    quiet.inside.play("race-1", 1)
    quiet.inside.settle()
    return [*SIX_TABLES, "race-1"]


@pytest.mark.nightly("starts other browsers", but="test_nothing_is_read_backwards[chromium]")
@pytest.mark.parametrize("engine", ENGINES)
def test_nothing_is_read_backwards(engine: str, quiet: QuietService, tables: list[str]) -> None:
    """Badge, round and check of each kind of outcome: boxes, order and each character are where they were."""
    kinds = (
        ("/badge/{table}", "section.held"),
        ("/tables/{table}/rounds/1", "svg.picture"),
        # A browser loads an address again only if more than its # differs.
        ("/verify?{table}#{code}", ".verdict.held"),
    )
    pages = [
        (path.format(table=table, code=quiet.code(table, 1)), waits) for path, waits in kinds for table in tables
    ]
    turned = Turned(quiet, pages)

    def answer(request: BaseHTTPRequestHandler) -> None:
        turned.hear(request) if request.command == "POST" else turned.answer(request)

    with answering(answer) as address, browsing(engine, f"{address}{pages[0][0]}"):
        for path, _ in pages:
            try:
                found = turned.found.get(timeout=PATIENCE_SECONDS)
            except Empty:
                pytest.fail(f"{engine} has not measured {path}")
            assert (found.get("error"), found.get("differ")) == (None, []), (engine, path, found)
            assert found["measured"] > 20, (engine, path, found)
