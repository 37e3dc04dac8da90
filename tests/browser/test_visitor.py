"""The visitor detects errors behind a page."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Browser

from tests.support.browser.visitor import Visitor

PAGES = {
    "/good": "<!doctype html><link rel='icon' href='data:,'><title>Good</title><p>Nothing wrong.",
    "/missing": "<!doctype html><link rel='icon' href='data:,'><script src='/not-there.js'></script>",
    "/throws": "<!doctype html><link rel='icon' href='data:,'><script>throw new Error('broken')</script>",
    "/rejects": "<!doctype html><link rel='icon' href='data:,'><script>Promise.reject(new Error('broken'))</script>",
    "/complains": "<!doctype html><link rel='icon' href='data:,'><script>console.error('broken')</script>",
    "/inline": "<!doctype html><link rel='icon' href='data:,'><p style='color: red'>Refused by its policy.",
    "/abroad": "<!doctype html><link rel='icon' href='data:,'><img src='http://127.0.0.1:9/picture.png' alt=''>",
}
POLICY = {"/inline": "default-src 'none'; img-src data:"}


class _Pages(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        page = PAGES.get(self.path)
        self.send_response(404 if page is None else 200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Security-Policy", POLICY.get(self.path, "default-src * data: 'unsafe-inline'"))
        self.end_headers()
        self.wfile.write((page or "").encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- as its base names it
        """Log nothing."""


@pytest.fixture(scope="module")
def origin() -> Iterator[str]:
    """A server with a page for each kind of fault."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Pages) as server:
        thread = threading.Thread(target=functools.partial(server.serve_forever, 0.01))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_good_page_is_no_complaint(browser: Browser, origin: str) -> None:
    """Nor is a page without JavaScript, or one that is left at once."""
    visitor = Visitor(browser, origin)
    visitor.visit("/good").goto("/good")
    visitor.visit("/throws", javascript=False)
    visitor.close()


@pytest.mark.parametrize(
    ("path", "complaint"),
    [
        ("/missing", "404"),
        ("/throws", "error of a script: .*broken"),
        ("/rejects", "error of a script: .*broken"),
        ("/complains", "console error: broken"),
        ("/inline", "Content Security Policy"),
        ("/abroad", "request to another host: http://127.0.0.1:9/picture.png"),
        ("/abroad", "request failed: http://127.0.0.1:9/picture.png"),
    ],
)
def test_every_fault_is_a_complaint(browser: Browser, origin: str, path: str, complaint: str) -> None:
    """The visit fails and says what was wrong."""
    visitor = Visitor(browser, origin)
    visitor.visit(path)
    with pytest.raises(AssertionError, match=complaint):
        visitor.close()


def test_an_expected_complaint_must_come(browser: Browser, origin: str) -> None:
    """The visit fails if it does not occur, and only then."""
    visitor = Visitor(browser, origin)
    visitor.expect_complaint("console error: broken")
    visitor.visit("/complains")
    visitor.close()
    visitor = Visitor(browser, origin)
    visitor.expect_complaint("console error: broken")
    visitor.visit("/good")
    with pytest.raises(AssertionError, match="nobody complained"):
        visitor.close()
