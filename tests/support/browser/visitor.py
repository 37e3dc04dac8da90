"""A visitor with a browser: opens pages in any form, and detects errors behind them."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    BrowserType,
    ConsoleMessage,
    Dialog,
    Page,
    Request,
    Route,
    expect,
    sync_playwright,
)

from tests.support.browser.fonts import FONTS, Fonts, configure
from tests.support.busy import ASK_AGAIN_SECONDS, is_busy

NARROWEST, PHONE, TABLET, DESKTOP = 320, 390, 768, 1280
"""Widths in CSS pixels."""
LANGUAGES = ("en", "hy", "ru")
ZONE = "Asia/Yerevan"
"""Where a visitor lives: not in UTC, so that pages show times in both."""
PATIENCE_MILLISECONDS = 15_000

expect.set_options(timeout=PATIENCE_MILLISECONDS)

_HEIGHTS = {PHONE: 844, DESKTOP: 800}
_FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
_OWN_SCHEMES = ("file", "data", "blob", "about")

Scheme = Literal["light", "dark"]


@contextmanager
def chromium() -> Iterator[Browser]:
    """Debian's headless Chromium, which `tests/tools.sh` installs. Root must run it without its sandbox."""
    with sync_playwright() as playwright, launched(playwright.chromium, FONTS[0]) as browser:
        yield browser


@contextmanager
def launched(chromium: BrowserType, fonts: Fonts, *flags: str) -> Iterator[Browser]:
    """One with these fonts alone, and with these flags."""
    with TemporaryDirectory() as folder:
        browser = chromium.launch(
            executable_path=shutil.which("chromium-headless-shell"),
            args=[*_FLAGS, *flags],
            env={**os.environ, "FONTCONFIG_FILE": str(configure(Path(folder), fonts))},
            chromium_sandbox=os.getuid() != 0,
        )
        yield browser
        browser.close()


class Visitor:
    """Opens pages of one origin, each in its own context, with an empty cache and only the cookies in `cookies`.

    Every error and warning of the console (a violation of the Content-Security-Policy is one),
    every error of a script, every request that fails and every request to another host is a complaint.
    """

    def __init__(self, browser: Browser, origin: str, *, reads_from: Iterable[str] = ()) -> None:
        """``reads_from``: other origins that the pages may fetch from."""
        self._browser, self._origin = browser, origin
        self._origins = {origin, *reads_from}
        self._contexts: list[BrowserContext] = []
        self._expected: list[str] = []
        self.cookies: Mapping[str, str] = {}
        self.complaints: list[str] = []

    def visit(
        self,
        path: str | None = None,
        *,
        width: int = DESKTOP,
        scheme: Scheme = "light",
        language: str = "en",
        javascript: bool = True,
        document_only: bool = False,
        moving: bool = False,
    ) -> Page:
        """Open a new page at a path of the origin, or an empty one; ``width`` is in CSS pixels.

        With ``document_only`` nothing else arrives, which is no complaint. Nothing of a page moves by itself, unless
        it is ``moving``.
        """
        context = self._browser.new_context(
            base_url=self._origin,
            viewport={"width": width, "height": _HEIGHTS.get(width, 800)},
            color_scheme=scheme,
            locale=language,
            timezone_id=ZONE,
            java_script_enabled=javascript,
            reduced_motion="no-preference" if moving else "reduce",
        )
        self._contexts.append(context)
        context.add_cookies(
            [{"name": name, "value": self.cookies[name], "url": self._origin} for name in self.cookies]
        )
        context.set_default_timeout(PATIENCE_MILLISECONDS)
        if document_only:
            context.route("**/*", _only_the_document)
        else:
            self._watch(context, javascript=javascript)
        page = context.new_page()
        if path is not None:
            _go(page, path)
        return page

    def expect_complaint(self, pattern: str) -> None:
        """Expect a complaint that the test causes; it must occur."""
        self._expected.append(pattern)

    def close(self) -> None:
        """Close all pages; fails with the complaints since they were opened."""
        for context in self._contexts:
            context.close()
        unexpected = [one for one in self.complaints if not any(re.search(each, one) for each in self._expected)]
        assert not unexpected, "\n".join(unexpected)
        for pattern in self._expected:
            assert any(re.search(pattern, one) for one in self.complaints), f"nobody complained of {pattern}"

    def _watch(self, context: BrowserContext, *, javascript: bool) -> None:
        context.on("console", self._console)
        context.on("weberror", lambda error: self.complaints.append(f"error of a script: {error.error}"))
        context.on("request", self._request)
        context.on("requestfailed", lambda request: self._request_failed(request, javascript=javascript))
        context.on("dialog", self._dialog)

    def _console(self, message: ConsoleMessage) -> None:
        where = message.location
        if (
            message.page is not None
            and where["url"] == message.page.url
            and re.search("status of (4|503)", message.text)
        ):
            # The visit of an error page is no error, and a page that the process had no time for is asked for again.
            return
        if re.fullmatch(f"{self._origin}/log/tile/.*\\.p/[0-9]+", where["url"]) and "status of 404" in message.text:
            # The log has grown since its checkpoint was read: a reader then asks for the whole tile.
            return
        if message.type in {"error", "warning"}:
            self.complaints.append(
                f"console {message.type}: {message.text} ({where['url']}:{where['lineNumber']}, shown on {self._page(message)})"
            )

    @staticmethod
    def _page(message: ConsoleMessage) -> str:
        return "a worker" if message.page is None else message.page.url

    def _dialog(self, dialog: Dialog) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in _OWN_SCHEMES and f"{parts.scheme}://{parts.netloc}" not in self._origins:
            self.complaints.append(f"request to another host: {request.url}")

    def _request_failed(self, request: Request, *, javascript: bool) -> None:
        # A page that is left or closed aborts its fetches, and so does a download. Without JavaScript, preloads of
        # modules fail; what a policy refuses is also an error of the console.
        if request.failure != "net::ERR_ABORTED" and (javascript or request.failure != "csp"):
            self.complaints.append(f"request failed: {request.url}: {request.failure}")


def _go(page: Page, path: str) -> None:
    deadline = time.monotonic() + PATIENCE_MILLISECONDS / 1000
    while (answer := page.goto(path)) is not None and is_busy(answer.status, answer.headers):
        assert time.monotonic() < deadline, f"{path} is busy"
        page.wait_for_timeout(1000 * ASK_AGAIN_SECONDS)


def _only_the_document(route: Route) -> None:
    if route.request.is_navigation_request():
        route.continue_()
    else:
        route.abort()
