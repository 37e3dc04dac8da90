"""How long one player waits for the check of one round on the page /verify, in a browser without cached files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from playwright.sync_api import Browser

from benchmarks.audit import LARGE, SMALL
from benchmarks.figure import Figure, lower
from benchmarks.running import service
from benchmarks.service import prepared
from benchmarks.verifier_logs import BenchLog, log_of, salted_log_of
from tests.support.browser.visitor import chromium
from tests.support.log_server import serving

_PATIENCE_MILLISECONDS = 30_000
_VISITS = 5

_PHONE = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 93_750}
"""A slow phone: milliseconds of each round trip, and bytes per second, 1.6 Mbit/s down and 0.75 up."""

_REMEMBER = "localStorage.setItem('foredraw-log:' + {address}, JSON.stringify({memory}));"
_NOTE_THE_VERDICT = """
new MutationObserver((_, observer) => {
    if (document.querySelector(".verdict.held, .verdict.failed, .verdict.unreadable") === null) return;
    window.verdictAt = performance.now();
    observer.disconnect();
}).observe(document, { subtree: true, childList: true, attributes: true });
"""
"""A page's clock starts with the navigation to it."""
_TIMES = """address => {
    const files = performance.getEntriesByType("resource").filter((each) => each.name.startsWith(`${address}/`));
    const begun = Math.min(...files.map((each) => each.startTime));
    const own = performance.getEntries().filter((each) => "transferSize" in each && !files.includes(each));
    const bytes = own.reduce((sum, each) => sum + each.transferSize, 0);
    return [window.verdictAt / 1000, (window.verdictAt - begun) / 1000, files.length, own.length, bytes];
}"""


@dataclass(frozen=True, slots=True)
class _Visit:
    """Seconds from the navigation to the verdict, seconds from the first file of the log on, and the number of these
    files.

    ``bytes`` is the size of the page's own files as they are sent.
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
    """The same with a slow connection, where each request costs a round trip."""
    log = log_of(SMALL)
    with (
        prepared(0) as (folder, token),
        service(folder, token) as running,
        serving(log.folder) as address,
        chromium() as browser,
    ):
        url = f"http://127.0.0.1:{running.port}/verify?log={address}#{log.codes[0]}"
        _visit(browser, url, address, log.trust)
        visits = [_visit(browser, url, address, log.trust, slow=True) for _ in range(_VISITS)]
    last = visits[-1]
    yield Figure(
        "check of one round in a browser over 150 ms and 1.6 Mbit/s, page and all",
        [
            lower(f"the median of {_VISITS} visits", median(visit.whole for visit in visits), "s", 2),
            lower("the check alone", median(visit.check for visit in visits), "s", 2),
            lower("of the log", last.files, "files"),
            lower("the page", last.page_files, "files"),
            lower("the page", last.page_bytes, "bytes"),
        ],
        "-",
        met=None,
    )


def _visit(browser: Browser, url: str, address: str, trust: str, *, slow: bool = False) -> _Visit:
    """Visit with an empty cache. Raises `RuntimeError` if the round is not found fair."""
    memory = {"vkey": trust, "own": True, "since": "2026-11-20", "checkpoint": None}
    with browser.new_context() as context:
        context.add_init_script(_REMEMBER.format(address=json.dumps(address), memory=json.dumps(memory)))
        context.add_init_script(_NOTE_THE_VERDICT)
        page = context.new_page()
        if slow:
            context.new_cdp_session(page).send("Network.emulateNetworkConditions", _PHONE)
        page.goto(url)
        verdict = page.locator(".verdict:not(.working)")
        verdict.wait_for(timeout=_PATIENCE_MILLISECONDS)
        if "held" not in str(verdict.get_attribute("class")).split():
            raise RuntimeError(verdict.inner_text())
        return _Visit(*page.evaluate(_TIMES, address))
