"""Pages whose scripts are damaged in transit or cannot run: they say so, and show nothing like a verdict."""

from __future__ import annotations

import re
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.support.browser.checking import FIXED, choose, headline, unfold
from tests.support.browser.quiet_service import QuietService
from tests.support.browser.visitor import LANGUAGES, PHONE, Visitor
from tests.support.log_server import answering

FAULT = {
    "en": "This page has a fault: there is no verdict.",
    "hy": "Այս էջն անսարք է. վճիռ չկա։",
    "ru": "Эта страница неисправна: вердикта нет.",
}
NOT_STARTED = {
    "en": "has not started: there is no verdict.",
    "hy": "այն չի սկսվել. վճիռ չկա։",
    "ru": "она не началась: вердикта нет.",
}
VERDICT = ".verdict:not(.working)"
SCRIPT, PAGE = re.compile(r"/scripts/(verify|badge)\.js"), re.compile(r"/verify(\?.*)?$")
Break = Callable[[Page], None]


def changed(route: Route, old: str, new: str) -> None:
    """A file that arrives with one text replaced."""
    answer = route.fetch()
    text = answer.text()
    assert old in text
    route.fulfill(response=answer, body=text.replace(old, new))


def missing(page: Page) -> None:
    page.route(SCRIPT, lambda route: route.fulfill(status=404))


def cut_off(page: Page) -> None:
    page.route(SCRIPT, lambda route: route.fulfill(content_type="text/javascript", body=route.fetch().text()[:-20]))


def refused_by_policy(page: Page) -> None:
    def answer(route: Route) -> None:
        page_sent = route.fetch()
        policy = re.sub("script-src [^;]*", "script-src 'none'", page_sent.headers["content-security-policy"])
        route.fulfill(response=page_sent, headers={**page_sent.headers, "content-security-policy": policy})

    page.route(PAGE, answer)


def without_modules(page: Page) -> None:
    """The page as in a browser that does not support modules."""
    page.route(PAGE, lambda route: changed(route, '<script type="module" src=', '<script type="of-the-future" src='))


def failing_at_once(page: Page) -> None:
    page.route(SCRIPT, lambda route: changed(route, "new Showing(", "new (void 0)("))


NEVER_STARTED: dict[str, tuple[Break, str | None]] = {
    "missing": (missing, "404"),
    "cut off": (cut_off, "SyntaxError|error of a script"),
    "refused by a policy": (refused_by_policy, "Content Security Policy|: csp$"),
    "no modules": (without_modules, None),
}


def visit_broken(reader: Visitor, breaks: Break, path: str, language: str = "en") -> Page:
    """Visit, on a phone, a page whose script is damaged in transit."""
    page = reader.visit(width=PHONE, language=language)
    breaks(page)
    page.goto(path)
    return page


@pytest.mark.lattice
@pytest.mark.parametrize(
    ("how", "language"), [*((how, "en") for how in NEVER_STARTED), ("missing", "hy"), ("missing", "ru")]
)
def test_a_script_that_never_starts_leaves_a_notice(
    reader: Visitor, quiet: QuietService, how: str, language: str
) -> None:
    """Missing, cut off, refused by a policy, with syntax that the browser does not know: no verdict, but an
    alternative.
    """
    breaks, complaint = NEVER_STARTED[how]
    if complaint:
        reader.expect_complaint(complaint)
    page = visit_broken(reader, breaks, f"/verify#{quiet.code('hi-lo-1', 1)}", language)
    expect(page.locator("#waiting")).to_contain_text(NOT_STARTED[language])
    expect(page.locator("#waiting pre")).to_be_visible()
    expect(page.locator(VERDICT)).to_have_count(0)


def test_a_script_that_fails_at_once_says_so(reader: Visitor, quiet: QuietService) -> None:
    """It fails before it reads the code."""
    reader.expect_complaint("error of a script")
    page = visit_broken(reader, failing_at_once, f"/verify#{quiet.code('hi-lo-1', 1)}")
    expect(page.locator("#fault")).to_contain_text(FAULT["en"])
    expect(page.locator(VERDICT)).to_have_count(0)


@pytest.mark.lattice
@pytest.mark.parametrize("language", FAULT)
def test_a_script_that_fails_during_a_check_says_so(reader: Visitor, quiet: QuietService, language: str) -> None:
    """No endless "Checking…" and no partial verdict; the page accepts no other code until it is reloaded."""
    reader.expect_complaint("error of a script")
    page = reader.visit(width=PHONE, language=language)
    page.route(
        SCRIPT, lambda route: changed(route, "async openCheckpoint(", "openCheckpoint() { null.x } async unused(")
    )
    page.goto(f"/verify#{quiet.code('hi-lo-1', 1)}")
    expect(page.locator("#fault")).to_contain_text(FAULT[language])
    expect(page.locator("#fault pre")).to_be_visible()
    for place in ("#waiting", "#verdict", "#steps", "#ask"):
        expect(page.locator(place)).to_be_hidden()


def test_a_page_that_works_shows_no_notice(reader: Visitor, quiet: QuietService) -> None:
    """Neither before nor after a check, whatever is in the address or in the browser's storage."""
    page = reader.visit("/verify#%E0%A4")
    assert headline(page) == "This is not a whole round code."
    page.goto(f"/verify#{quiet.code('hi-lo-1', 1)}")
    assert headline(page) == FIXED["en"]
    page.evaluate(
        "localStorage.setItem(Object.keys(localStorage)[0], JSON.stringify({ vkey: 'none', since: '2026-01-01' }))"
    )
    page.reload()
    assert headline(page) == FIXED["en"]
    for notice in ("#waiting", "#fault"):
        expect(page.locator(notice)).to_be_hidden()


def test_a_file_that_cannot_be_read_is_no_fault(reader: Visitor, tmp_path: Path) -> None:
    """It was readable when it was chosen."""
    file = tmp_path / "round.proof"
    file.write_text("foredraw/v1/round-proof\n")
    page = reader.visit("/verify")
    page.evaluate(
        "() => { Blob.prototype.arrayBuffer = async () => { throw new DOMException('', 'NotFoundError'); }; }"
    )
    page.set_input_files("#file", file)
    assert headline(page) == "There is no verdict: the file could not be read."
    expect(page.locator("#fault")).to_be_hidden()


def test_the_page_to_keep_says_so_in_each_language(reader: Visitor, tmp_path: Path) -> None:
    """The page's own policy refuses a changed script; no language has been chosen yet."""
    file = tmp_path / "verify.html"
    file.write_bytes(reader.visit().request.get("/verify.html").body().replace(b"new Showing(", b"new  Showing("))
    reader.expect_complaint("Content Security Policy")
    page = reader.visit(width=PHONE)
    page.goto(file.as_uri())
    for language in LANGUAGES:
        expect(page.locator(f"#waiting [lang={language}]")).to_contain_text(NOT_STARTED[language])


def test_the_page_to_keep_says_that_it_failed(reader: Visitor, quiet: QuietService, tmp_path: Path) -> None:
    """In the reader's language, in the place of the verdict."""
    reader.expect_complaint("error of a script")
    file = tmp_path / "verify.html"
    file.write_bytes(reader.visit().request.get("/verify.html").body())
    page = reader.visit(width=PHONE, language="ru")
    page.goto(file.as_uri())
    expect(page.locator("#waiting")).to_be_hidden()
    # Functions of the browser that a check needs.
    page.evaluate("() => { TextDecoder.prototype.decode = () => null.x; }")
    choose(page, quiet.proof("hi-lo-1", 1))
    give_key(page, str(quiet.inside.key))
    expect(page.locator("#fault")).to_contain_text(FAULT["ru"])
    expect(page.locator("#verdict")).to_be_hidden()


def give_key(page: Page, vkey: str) -> None:
    """Enter the log's key, whatever the page's language."""
    unfold(page)
    page.locator("#own").fill(vkey)
    page.locator("#own-key button[type=submit]").click()


def test_a_reader_of_codes_that_does_not_arrive_is_not_a_missing_camera(
    browser: Browser, quiet: QuietService
) -> None:
    """The library for QR codes is loaded on demand."""
    reader = Visitor(browser, quiet.url)
    reader.expect_complaint("/static/vendor/|Failed to load resource")
    page = reader.visit()
    page.add_init_script(
        "Object.defineProperty(window, 'BarcodeDetector', { value: undefined });"
        "navigator.mediaDevices.getUserMedia = async () => new MediaStream();"
    )
    page.route("**/static/vendor/**", lambda route: route.fulfill(status=404))
    page.goto("/verify")
    page.get_by_role("button", name="Scan with the camera").click()
    expect(page.locator("#camera-trouble")).to_contain_text("The script that reads QR codes did not arrive.")
    reader.close()


# The badge, on a page that is not ours

FALLBACK = "no badge, no verdict"


def badge_on_a_game(
    browser: Browser, quiet: QuietService, breaks: Break, complaint: str | None
) -> tuple[Visitor, Locator]:
    """Show a game's own page with a badge of a round that has ended."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        body = (
            f"<!doctype html><html lang='ru'><title>A game</title><link rel='icon' href='data:,'>"
            f"<script type='module' src='{quiet.url}/scripts/badge.js'></script>"
            f"<foredraw-round table='hi-lo-1' round='1' key='{quiet.inside.key}'>{FALLBACK}</foredraw-round>"
        ).encode()
        request.send_response(200)
        request.send_header("Content-Type", "text/html; charset=utf-8")
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    with answering(answer) as game:
        visitor = Visitor(browser, game, reads_from=[quiet.url])
        if complaint:
            visitor.expect_complaint(complaint)
        page = visitor.visit()
        breaks(page)
        page.goto("/")
    return visitor, page.locator("foredraw-round")


@pytest.mark.parametrize("how", ["missing", "cut off"])
def test_a_badge_that_never_starts_leaves_the_words_of_its_page(
    browser: Browser, quiet: QuietService, how: str
) -> None:
    """The text that the game has put into the element."""
    visitor, badge = badge_on_a_game(browser, quiet, *NEVER_STARTED[how])
    expect(badge).to_be_visible()
    expect(badge).to_have_text(FALLBACK)
    expect(badge.locator("section")).to_have_count(0)
    visitor.close()


def test_a_badge_that_fails_says_so(browser: Browser, quiet: QuietService) -> None:
    """In the page's language, in the place of the verdict, and on the console."""

    def fails(page: Page) -> None:
        page.route(
            SCRIPT, lambda route: changed(route, "async openCheckpoint(", "openCheckpoint() { null.x } async unused(")
        )

    visitor, badge = badge_on_a_game(browser, quiet, fails, "console error: TypeError")
    expect(badge.locator("section.nothing-known")).to_contain_text("Этот значок неисправен: вердикта нет.")
    visitor.close()


def test_a_badge_that_works_covers_those_words(browser: Browser, quiet: QuietService) -> None:
    """That text is only for badges that never start."""
    visitor, badge = badge_on_a_game(browser, quiet, lambda _: None, None)
    expect(badge.locator("section.held")).to_be_visible()
    assert badge.evaluate("each => each.shadowRoot.querySelector('slot')") is None
    visitor.close()
