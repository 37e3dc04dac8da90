"""How long one player waits for the check of one round on the page /verify, in a browser without cached files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, islice
from statistics import median

from playwright.sync_api import Browser

from benchmarks.audit import LARGE, SMALL
from benchmarks.figure import Figure, lower
from benchmarks.made_log import LogMaker
from benchmarks.running import service
from benchmarks.service import prepared, with_history
from benchmarks.verifier_logs import BenchLog, log_of, salted_log_of
from tests.support.browser.visitor import chromium
from tests.support.log_server import serving

_PATIENCE_MILLISECONDS = 30_000
_VISITS = 5

_PHONE = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 93_750}
"""A slow phone: milliseconds of each round trip, and bytes per second, 1.6 Mbit/s down and 0.75 up."""
_SLOWER = 4
"""How many times slower its processor is than this machine's."""
_TARGETS = {SMALL: 1.2, LARGE: 1.5}
"""Seconds, by the records of the log."""

_REMEMBER = "localStorage.setItem('foredraw-log:' + {address}, JSON.stringify({memory}));"
_NOTE_THE_VERDICT = """
new MutationObserver((_, observer) => {
    if (document.querySelector(".verdict:not(.working).held, .verdict.failed, .verdict.question") === null) return;
    window.verdictAt = performance.now();
    observer.disconnect();
}).observe(document, { subtree: true, childList: true, attributes: true });
"""
"""A page's clock starts with the navigation to it."""
_TIMES = """address => {
    const sent = performance.getEntries().filter((each) => "transferSize" in each && each.responseEnd <= window.verdictAt);
    const files = sent.filter((each) => each.name.startsWith(`${address}/`));
    const begun = Math.min(...files.map((each) => each.startTime), window.verdictAt);
    const own = sent.filter((each) => !files.includes(each));
    const bytes = own.reduce((sum, each) => sum + each.transferSize, 0);
    return [window.verdictAt / 1000, (window.verdictAt - begun) / 1000, files.length, own.length, bytes];
}"""


@dataclass(frozen=True, slots=True)
class _Visit:
    """Seconds from the navigation to the verdict, seconds from the first file of the log on, and the number of these
    files: 0 if the proof file showed the round.

    ``page_bytes`` is the size of the page's own files as they are sent until then.
    """

    whole: float
    check: float
    files: int
    page_files: int
    page_bytes: int


def measure_browser_code() -> Iterator[Figure]:
    """Rounds at the beginning and at the end of a long log: from the click on a link to the verdict."""
    yield _check_of_codes(log_of(LARGE), "check of one round in a browser")


def measure_browser_witnessed_code() -> Iterator[Figure]:
    """The same of rounds with a salt, by a policy that demands two witnesses."""
    yield _check_of_codes(salted_log_of(LARGE), "check of one salted round with a policy in a browser")


def _check_of_codes(log: BenchLog, what: str) -> Figure:
    with (
        prepared(0) as (folder, token),
        service(folder, token) as running,
        serving(log.folder) as address,
        chromium() as browser,
    ):
        page = f"http://127.0.0.1:{running.port}/verify?log={address}"
        # The service's own first answers are not the player's wait.
        _visit(browser, f"{page}#{log.codes[0]}", address, log.trust)
        visits = [_visit(browser, f"{page}#{code}", address, log.trust) for code in log.codes]
    slowest = max(visit.whole for visit in visits)
    return Figure(
        f"{what} against {log.records:,} records, page and all",
        [
            lower(f"the slowest of {len(visits)} codes", slowest, "s", 2),
            lower("the median", median(visit.whole for visit in visits), "s", 2),
            lower("the check alone", median(visit.check for visit in visits), "s", 2),
            lower("", max(visit.files for visit in visits), "files"),
        ],
        "under 1 s",
        met=slowest < 1,
    )


def measure_browser_code_on_a_phone() -> Iterator[Figure]:
    """The same of the service's own log, by its proof file, on a phone that is slow to send and to compute."""
    for records, target in _TARGETS.items():
        with (
            with_history(records, LogMaker) as (folder, codes),
            service(folder, "") as running,
            chromium() as browser,
        ):
            url, log = f"http://127.0.0.1:{running.port}/verify", f"http://127.0.0.1:{running.port}/log"
            _visit(browser, f"{url}#{codes[0]}", log)
            visits = [_visit(browser, f"{url}#{code}", log, slow=True) for code in islice(cycle(codes), _VISITS)]
        last, whole = visits[-1], median(visit.whole for visit in visits)
        yield Figure(
            f"first verdict on a phone (150 ms, 1.6 Mbit/s, processor {_SLOWER} times slower), {records:,} records",
            [
                lower(f"the median of {_VISITS} visits", whole, "s", 2),
                lower("of the log", last.files, "files"),
                lower("the page", last.page_files, "files"),
                lower("the page", last.page_bytes, "bytes"),
            ],
            f"under {target} s",
            met=whole < target,
        )


def _visit(browser: Browser, url: str, address: str, trust: str | None = None, *, slow: bool = False) -> _Visit:
    """Visit with an empty cache; ``trust`` is remembered in the place of what the page brings.

    Raises `RuntimeError` if the round is not found fair.
    """
    memory = {"vkey": trust, "own": True, "since": "2026-11-20", "checkpoint": None}
    with browser.new_context() as context:
        if trust is not None:
            context.add_init_script(_REMEMBER.format(address=json.dumps(address), memory=json.dumps(memory)))
        context.add_init_script(_NOTE_THE_VERDICT)
        page = context.new_page()
        if slow:
            phone = context.new_cdp_session(page)
            phone.send("Network.emulateNetworkConditions", _PHONE)
            phone.send("Emulation.setCPUThrottlingRate", {"rate": _SLOWER})
        page.goto(url)
        verdict = page.locator(".verdict:not(.working)")
        verdict.wait_for(timeout=_PATIENCE_MILLISECONDS)
        if "held" not in str(verdict.get_attribute("class")).split():
            raise RuntimeError(verdict.inner_text())
        return _Visit(*page.evaluate(_TIMES, address))
