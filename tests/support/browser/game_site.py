"""Badges: on a game's own site, at another host than the service, with the policy of docs/badge.md; and of another
log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

from playwright.sync_api import Browser, Locator, Page, Route

from tests.support.browser.quiet_service import QuietService
from tests.support.browser.visitor import Visitor
from tests.support.log_server import answering

HEAD = "<title>A game</title><link rel='icon' href='data:,'>"


class GameSite:
    """Its page is what `show` is given; beside it are ``scripts``, by their paths."""

    def __init__(self, quiet: QuietService) -> None:
        self._quiet, self._page = quiet, ""
        self.scripts: dict[str, bytes] = {}
        self.visitor: Visitor

    def show(self, body: str, *, language: str = "en", prepare: Callable[[Page], object] = lambda _: None) -> Page:
        """Open a page with this body in a new context, which ``prepare`` has prepared."""
        self._page = f"<!doctype html><html lang='{language}'>{HEAD}{body}"
        page = self.visitor.visit()
        prepare(page)
        page.goto("/")
        return page

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        """Answer a browser."""
        script = self.scripts.get(request.path)
        body = self._page.encode() if script is None else script
        request.send_response(200)
        request.send_header("Content-Type", f"text/{'html' if script is None else 'javascript'}; charset=utf-8")
        request.send_header("Content-Length", str(len(body)))
        request.send_header(
            "Content-Security-Policy",
            f"default-src 'none'; img-src data:; script-src 'self' {self._quiet.url}; connect-src 'self' "
            f"{self._quiet.url}; require-trusted-types-for 'script'",
        )
        request.end_headers()
        request.wfile.write(body)


@contextmanager
def game_site(browser: Browser, quiet: QuietService) -> Iterator[GameSite]:
    """Run the site; at the end all complaints of its pages are reported."""
    site = GameSite(quiet)
    with answering(site.answer) as url:
        site.visitor = Visitor(browser, url, reads_from=[quiet.url])
        yield site
        site.visitor.close()


def badge_of_a_log(page: Page, files: Mapping[str, bytes], table: str, number: int, code: str, vkey: str) -> Locator:
    """Show on the service's page `/badge` one of a round in the log with these files, which the service does not
    have: it seems to say that the round is over.
    """
    over = {"now": [], "last": [], "next_round": number + 1, "committed_through": number, "ended": False, "as_of": 0}
    played = {"status": "played", "commitments": [], "round_code": code}

    def serve(route: Route) -> None:
        route.fulfill(body=files[route.request.url.partition("/other-log/")[2]])

    page.route(f"**/v1/tables/{table}/live", lambda route: route.fulfill(json=over))
    page.route(f"**/v1/tables/{table}/rounds/{number}", lambda route: route.fulfill(json=played))
    page.route("**/other-log/**", serve)
    page.goto("/badge")
    page.evaluate(
        """(given) => {
          const badge = Object.assign(document.createElement("foredraw-round"), given);
          document.querySelector("main").prepend(badge);
        }""",
        {"id": "other", "table": table, "round": number, "log": "/other-log", "vkey": vkey},
    )
    return page.locator("#other")
