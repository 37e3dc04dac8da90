"""The operator's page in a browser: signing in, live updates, adding and closing a table, and what other pages cannot
do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import Browser, Page, expect

from api.access.tokens import ALL_TABLES, Role, create_token, digest, revoke_token
from api.pages.ops.operators import COOKIES
from tests.support.browser.visitor import PHONE, Visitor
from tests.support.running_service import RunningService, opened
from tests.support.tokens import UNKNOWN

TABLE = "still-penalty"


def sign_in(page: Page, token: str) -> None:
    """Sign in as a person does."""
    page.goto("/ops")
    page.get_by_label(re.compile("token")).fill(token)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Operations")).to_be_visible(timeout=30_000)


def row(page: Page, table: str) -> str:
    """What the page now says about a table."""
    return page.locator(f"tr#{table}").inner_text()


def test_an_operator_signs_in_and_out(page: Page, operator: str) -> None:
    """No script can read the cookie; after signing out the page asks for the token again."""
    sign_in(page, operator)
    (cookie,) = [found for found in page.context.cookies() if found["name"] == COOKIES["http"]]
    assert (cookie["httpOnly"], cookie["sameSite"], cookie["expires"]) == (True, "Strict", -1)
    assert page.evaluate("document.cookie") == ""
    expect(page.get_by_text("Signed in as ani")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.goto("/ops")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_a_wrong_token_is_reported_and_not_repeated(visitor: Visitor) -> None:
    """Also on a phone; and screen readers announce it."""
    page = visitor.visit("/ops", width=PHONE)
    page.get_by_label(re.compile("token")).fill(UNKNOWN)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_have_text("This token is unknown or revoked.")
    assert UNKNOWN not in page.content()


def test_it_is_fresh_by_itself(page: Page, operator: str) -> None:
    """Rounds are updated without a click, and a button in use is not replaced."""
    sign_in(page, operator)
    page.locator("#close-crash-1").focus()
    before = row(page, "crash-1")
    expect(page.locator("tr#crash-1")).not_to_have_text(re.compile(re.escape(before.split("\t")[2])), timeout=30_000)
    assert page.evaluate("document.activeElement.id") == "close-crash-1"
    expect(page.get_by_text("All is well.")).to_be_visible()


def test_void_rounds_stand_there_with_their_reasons_as_text(page: Page, operator: str) -> None:
    """Even hostile ones."""
    sign_in(page, operator)
    reasons = page.locator("#last-voids td.whole").all_inner_texts()
    assert {"W" * 200, "\"'><svg onload=alert(1)>&lt;b&gt;&amp;"} <= set(reasons)
    assert page.locator("#last-voids script, #last-voids img, #last-voids svg").count() == 0


@pytest.mark.nightly("waits for a service that is away")
def test_it_says_so_when_the_service_does_not_answer(visitor: Visitor, operator: str) -> None:
    """The page says that its content is old; it is updated when the service is back."""
    visitor.expect_complaint("ERR_INTERNET_DISCONNECTED")
    page = visitor.visit()
    sign_in(page, operator)
    page.context.set_offline(offline=True)
    expect(page.get_by_text("The service does not answer.")).to_be_visible(timeout=20_000)
    page.context.set_offline(offline=False)
    expect(page.get_by_text("The service does not answer.")).to_be_hidden(timeout=20_000)


@pytest.mark.lattice
@pytest.mark.parametrize("javascript", [True, False], ids=["with JavaScript", "without"])
def test_a_table_is_added_and_closed(visitor: Visitor, operator: str, javascript: bool) -> None:
    """The page says what closing means, and does it only if the name is typed."""
    name = f"short-lived-{'js' if javascript else 'plain'}"
    page = visitor.visit(javascript=javascript)
    sign_in(page, operator)
    page.get_by_role("link", name="Add a table").click()
    page.get_by_label("Name").fill(name)
    page.get_by_label("Game").select_option("sic-bo")
    page.get_by_role("button", name="Add the table").click()
    wait_for(page, name, "in play", javascript=javascript)
    page.locator(f"#close-{name}").click()
    expect(page.get_by_role("heading", name=f"Close {name} for ever?")).to_be_visible()
    page.get_by_label("To close it, type its name").fill(name)
    page.get_by_role("button", name="Close the table for ever").click()
    wait_for(page, name, "closed", javascript=javascript)
    assert page.locator(f"#close-{name}").count() == 0


@pytest.mark.lattice
@pytest.mark.parametrize("javascript", [True, False], ids=["with JavaScript", "without"])
def test_a_table_is_paused_and_goes_on(visitor: Visitor, operator: str, javascript: bool) -> None:
    """On a phone; each step asks why."""
    page = visitor.visit(width=PHONE, javascript=javascript)
    sign_in(page, operator)
    for link, heading, button, state in (
        ("pause", f"Pause {TABLE}?", "Pause the table", "paused"),
        ("resume", f"Let {TABLE} go on?", "Let the table go on", "in play"),
    ):
        page.locator(f"#{link}-{TABLE}").click()
        expect(page.get_by_role("heading", name=heading)).to_be_visible()
        page.get_by_label("Reason").fill("a wheel is stuck")
        page.get_by_role("button", name=button).click()
        wait_for(page, TABLE, state, javascript=javascript)


def wait_for(page: Page, table: str, state: str, *, javascript: bool) -> None:
    """Wait until the page says it; without JavaScript, by reloading."""
    found = page.locator(f"tr#{table} .badge").first
    if javascript:
        expect(found).to_have_text(state, timeout=30_000)
        return
    for _ in range(60):
        if found.inner_text() == state:
            return
        page.get_by_role("link", name="Look again").click()
    pytest.fail(f"{table} is not {state}")


def test_a_token_that_is_revoked_ends_what_is_on_the_screen(visitor: Visitor, service: RunningService) -> None:
    """The next update asks to sign in."""
    with opened(service.settings) as inside:
        token = create_token(inside.database, inside.clock, "aram", Role.OPERATOR, [ALL_TABLES])
        visitor.cookies = {COOKIES["http"]: inside.sessions.begin(digest(token))}
        page = visitor.visit("/ops")
        expect(page.get_by_role("heading", name="Operations")).to_be_visible(timeout=30_000)
        revoke_token(inside.database, inside.clock, "aram")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible(timeout=20_000)


# Pages of others


class _Forger(BaseHTTPRequestHandler):
    """A page that sends a form to the operator's page as soon as it is opened."""

    def do_GET(self) -> None:
        action, _, fields = self.path.removeprefix("/?").partition("&")
        inputs = "".join(
            f"<input name='{name}' value='{value}'>" for name, _, value in map(_split, fields.split("&"))
        )
        body = f"<!doctype html><form method='post' action='{action}'>{inputs}</form><script>document.forms[0].submit()</script>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- as its base names it
        """Log nothing."""


def _split(field: str) -> tuple[str, str, str]:
    return field.partition("=")


@pytest.fixture
def forger() -> Iterator[str]:
    """The address of another service on the same machine: for cookies the same site, but another origin."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Forger) as server:
        thread = Thread(target=partial(server.serve_forever, 0.01))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_form_of_another_page_does_nothing(
    browser: Browser, service: RunningService, session: Mapping[str, str], forger: str
) -> None:
    """Although the browser sends the cookie with it, and it has the right fields."""
    context = browser.new_context()
    context.add_cookies([{"name": name, "value": value, "url": service.url} for name, value in session.items()])
    page = context.new_page()
    page.goto(f"{service.url}/ops/tables/{TABLE}/close")
    token = page.locator("form [name=form_token]").get_attribute("value")
    with page.expect_navigation(url=f"{service.url}/**") as sent:
        page.goto(f"{forger}/?{service.url}/ops/tables/{TABLE}/close&form_token={token}&name={TABLE}")
    assert sent.value.status == 403
    assert COOKIES["http"] in sent.value.request.all_headers()["cookie"]
    assert "Nothing was done" in page.inner_text("main")
    assert service.query("SELECT closing FROM tables WHERE name = ?", TABLE) == [(0,)]
    context.close()


def test_another_page_cannot_frame_it(browser: Browser, service: RunningService, session: Mapping[str, str]) -> None:
    """So clickjacking is impossible."""
    context = browser.new_context()
    context.add_cookies([{"name": name, "value": value, "url": service.url} for name, value in session.items()])
    page = context.new_page()
    page.set_content(f"<iframe src='{service.url}/ops'></iframe>")
    page.wait_for_timeout(1000)
    framed = page.frames[1]
    assert "Operations" not in framed.content()
    context.close()
