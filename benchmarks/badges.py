"""What a crowd's badges on one round cost the service behind the kit's nginx: requests that reach it, from the time
before the round to the last check.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, Request

from api.pages.files.scripts import BADGE_PATH
from benchmarks.figure import Figure, lower, neutral
from tests.support.browser.visitor import chromium
from tests.support.log_server import answering
from tests.support.running_service import RunningService, free_port, running_service
from tests.support.web_servers import Certificate, Ports, web_server

BADGES = 1000
MOST_A_SECOND = 2.0
_TABLE = "keno-1"
_TO_COME_SECONDS, _OPEN_SECONDS, _LOCKED_SECONDS = 7, 8, 5
_PATIENCE_MILLISECONDS = 60_000
# Only what reached the service has an address of it, and nginx's answer may be its own all the same (304).
_NOTED = "log_format reached '$msec $upstream_addr $request_uri';\n"


def measure_badges() -> Iterator[Figure]:
    """A thousand, of which one is in a browser."""
    round_ = watched(BADGES - 1, 1)
    yield Figure(
        f"{BADGES} badges on one round, behind the kit's nginx",
        [
            lower("requests that reach the service", round_.rate, "/s", 2),
            neutral("requests of the badges", round_.asked / round_.seconds, "/s"),
            neutral("in the busiest second", round_.busiest, "requests"),
            neutral("the whole round", round_.seconds, "s"),
        ],
        f"at most {MOST_A_SECOND:.0f} a second",
        met=round_.rate <= MOST_A_SECOND,
    )


@dataclass(frozen=True, slots=True)
class Watched:
    """A round from its commitment to the last check."""

    reached: list[tuple[float, str]]
    """What reached the service: when, in seconds, and its path."""
    asked: int
    """How many requests the badges made."""
    seconds: float

    @property
    def rate(self) -> float:
        """Requests a second that reach the service."""
        return len(self.reached) / self.seconds

    @property
    def busiest(self) -> int:
        """How many reached it in one second."""
        return max(Counter(int(at) for at, _ in self.reached).values())


def watched(pollers: int, badges: int) -> Watched:
    """Play a round that is watched by programs, and by ``badges`` of a page in Chromium. Raises `RuntimeError` if the
    programs do not ask as a badge does.
    """
    with (
        TemporaryDirectory(prefix="foredraw-bench-") as name,
        running_service(Path(name) / "data", {_TABLE: "keno-express"}) as service,
        _nginx(Path(name), service) as (port, log),
    ):
        number = service.next_round(_TABLE)
        begun = time.time()
        command = [sys.executable, "-m", "benchmarks.badge_crowd", str(pollers), str(port), _TABLE, str(number)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as crowd:
            with _page(service, port, number, badges) as (page, requests):
                _play(page, service, number)
                page.wait_for_function(
                    "(count) => window.told.filter(({ state }) => state === 'held').length === count",
                    arg=badges,
                    timeout=_PATIENCE_MILLISECONDS,
                )
                asked = [_asked(request, port) for request in requests if "/scripts/" not in request.url]
            files = [path.partition(" ")[0] for path in asked if path.startswith("/log/")]
            output, _ = crowd.communicate(json.dumps(list(dict.fromkeys(files))) + "\n")
        if crowd.returncode:
            raise RuntimeError("the crowd has failed")
        ended = time.time()
        everybody = [asked, *json.loads(output.partition("\n")[2])]
        _compare(everybody)
        lines = (line.split(" ") for line in log.read_text().splitlines())
        reached = [(float(at), path) for at, upstream, path in lines if upstream != "-"]
    return Watched(reached, sum(len(each) for each in everybody), ended - begun)


@contextmanager
def _nginx(folder: Path, service: RunningService) -> Iterator[tuple[int, Path]]:
    """Run nginx with the kit's rules, but without TLS, and note what reaches the service."""
    port, log = free_port(), folder / "nginx" / "access.log"
    replaced = {
        "listen 443 ssl http2;": f"listen 127.0.0.1:{port};",
        "map $status $worth_a_line {": f"{_NOTED}map $status $worth_a_line {{",
        "combined if=$worth_a_line;": "reached;",
    }
    ports = Ports(service.port, service.engine_port)
    with web_server("nginx", folder / "nginx", Certificate.create(folder), ports, replaced):
        yield port, log


@contextmanager
def _page(service: RunningService, port: int, number: int, badges: int) -> Iterator[tuple[Page, list[Request]]]:
    """Open a game's page with badges in Chromium; yields what it asks for, too."""
    origin = f"http://localhost:{port}"
    element = f"<foredraw-round table='{_TABLE}' round='{number}' vkey='{service.key}'></foredraw-round>"
    script = f"<script type='module' src='{origin}{BADGE_PATH}'></script>"
    body = f"<!doctype html><html lang='en'><link rel='icon' href='data:,'>{script}{element * badges}".encode()

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Type", "text/html; charset=utf-8")
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    with answering(answer) as game, chromium() as browser:
        page, requests = browser.new_page(), list[Request]()
        page.add_init_script(
            "window.told = []; addEventListener('foredraw-verdict', ({ detail }) => window.told.push(detail))"
        )
        page.on("request", lambda request: requests.append(request) if request.url.startswith(origin) else None)
        page.goto(game)
        yield page, requests


def _play(page: Page, service: RunningService, number: int) -> None:
    """Play the round in its time; meanwhile the page's messages are read."""
    page.wait_for_timeout(1000 * _TO_COME_SECONDS)
    service.act(_TABLE, number, "open")
    page.wait_for_timeout(1000 * _OPEN_SECONDS)
    service.act(_TABLE, number, "lock")
    page.wait_for_timeout(1000 * _LOCKED_SECONDS)
    service.act(_TABLE, number, "reveal")


def _asked(request: Request, port: int) -> str:
    """The request of a browser in the words of `badge_crowd.Connection.asked`."""
    headers = request.all_headers()
    how = (
        " fresh" if headers.get("cache-control") == "no-cache" else " changed?" if "if-none-match" in headers else ""
    )
    return re.sub(rf"^http://localhost:{port}", "", request.url) + how


def _compare(everybody: list[list[str]]) -> None:
    """Compare the calls in the order in which each came first, and the files of the log."""
    browser, *programs = ([*dict.fromkeys(asked)] for asked in everybody)
    for program in programs:
        if _parts(program) != _parts(browser):
            raise RuntimeError(f"a badge asked for {browser}, and a program for {program}")


def _parts(asked: list[str]) -> tuple[list[str], set[str]]:
    calls = [each for each in asked if not each.startswith("/log/")]
    return calls, set(asked) - set(calls)
