"""A service with a table of each game: the home page is short, and every page speaks to players."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from api.programs.demo import GAMES_OF
from api.server.app import create_app
from tests.support.browser.plain import not_plain
from tests.support.browser.quiet_service import QuietService, whole_catalogue
from tests.support.browser.visitor import LANGUAGES, NARROWEST, Visitor
from tests.support.http import BROWSER

_PHONE = 360
_HIGHEST = 6000
_MOST_BYTES = 16_000
"""Of the document, with the messages of its script in another language."""
_OPEN: dict[str, Any] = {"round": 7, "status": "open", "opened_at": "2026-11-28T12:00:00.000Z"}
_LOCKED = {**_OPEN, "status": "locked", "locked_at": "2026-11-28T12:00:01.000Z", "published": True}
STATES: dict[str, dict[str, Any]] = {
    "open": {"now": [_OPEN]},
    "locked": {"now": [_LOCKED]},
    "locked, and the next one open": {"now": [_LOCKED, {**_OPEN, "round": 8}]},
    "next": {"now": []},
    "halted": {"now": [_OPEN], "halted": True},
    "closed": {"now": [], "ended": True},
}
"""What the feed says of a table in each of its states."""
_STOPPED = ("paused", "halted", "closed", "witnesses", "beacon", "publication", "operator")
STATES |= {f"stopped: {why}": {"now": [_LOCKED], "stopped": why} for why in _STOPPED}
_OUTSIDE = """() => {
    const outside = [];
    const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const { data, parentElement: parent } = texts.currentNode;
        if (data.trim() === "" || parent.closest("svg, option, .unseen, .kinds") || !parent.checkVisibility()) continue;
        const range = document.createRange();
        range.selectNodeContents(texts.currentNode);
        for (let around = parent; around !== document.body; around = around.parentElement) {
            const { left, right, width } = around.getBoundingClientRect();
            if (width === 0 || getComputedStyle(around).display === "inline") continue;
            const over = [...range.getClientRects()].some(box => box.left < left - 1 || box.right > right + 1);
            if (over) outside.push(`${data.trim()} in ${around.tagName} ${around.className}`);
        }
    }
    return outside;
}"""
"""The words that reach beyond the box of something around them."""


@pytest.fixture(scope="module")
def service_of_all(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QuietService]:
    """A table of each game."""
    with whole_catalogue(tmp_path_factory.mktemp("catalogue") / "data") as running:
        yield running


@pytest.fixture
def guest(browser: Browser, service_of_all: QuietService) -> Iterator[Visitor]:
    """Its visitor."""
    visitor = Visitor(browser, service_of_all.url)
    yield visitor
    visitor.close()


def stand(page: Page, state: str) -> None:
    """Let the feeds say of every table that it is in this state."""

    def answer(route: Route) -> None:
        told = route.fetch()
        feed = told.json()
        for table in feed.get("tables", [feed]):
            table.update(STATES[state])
        feed["as_of"] += 1
        route.fulfill(response=told, json=feed)

    page.route("**/live", answer)


def shown(page: Page, address: str, state: str) -> None:
    """Open a page, and wait until its script has shown this state."""
    stand(page, state)
    page.goto(address)
    expect(page.locator("[data-live]")).not_to_contain_text("JavaScript")


@pytest.mark.lattice
@pytest.mark.parametrize(
    ("address", "state"),
    # The page of a table that has just ended is loaded again.
    [
        (address, state)
        for address in ("/", "/tables/crash-1", "/tables/keno-express-1")
        for state in STATES
        if address == "/" or state != "closed"
    ],
)
def test_no_word_reaches_beyond_its_box(reader: Visitor, address: str, state: str) -> None:
    """On cards and on a table's page, in Armenian on the narrowest phone, in every state of a round and a table."""
    page = reader.visit(width=NARROWEST, language="hy")
    shown(page, address, state)
    assert page.evaluate(_OUTSIDE) == []
    page.unroute_all(behavior="ignoreErrors")


@pytest.mark.nightly("makes a table of each game")
@pytest.mark.parametrize("state", STATES)
def test_no_word_reaches_beyond_its_row(guest: Visitor, state: str) -> None:
    """The same of the rows of many tables, which stay as low as is promised."""
    for language in LANGUAGES:
        page = guest.visit(width=NARROWEST, language=language)
        shown(page, "/", state)
        assert page.evaluate(_OUTSIDE) == [], language
        page.set_viewport_size({"width": _PHONE, "height": 640})
        assert page.evaluate("document.documentElement.scrollHeight") < _HIGHEST, language
        page.unroute_all(behavior="ignoreErrors")


@pytest.mark.nightly("makes a table of each game")
@pytest.mark.parametrize("language", LANGUAGES)
def test_many_tables_are_short_and_light(guest: Visitor, language: str) -> None:
    """Also without JavaScript: a row for each, in plain words."""
    page = guest.visit(width=_PHONE, language=language, javascript=False)
    answer = page.goto("/")
    assert answer is not None
    assert answer.request.sizes()["responseBodySize"] < _MOST_BYTES
    assert page.locator(".rows > [data-table]").count() == len(GAMES_OF["all"])
    assert page.evaluate("document.documentElement.scrollHeight") < _HIGHEST
    assert not_plain(page.locator("body").inner_text()) == []


@pytest.mark.nightly("makes a table of each game")
def test_an_answer_changes_only_what_differs(guest: Visitor) -> None:
    """One of many tables stands otherwise: no other row is touched."""
    page = guest.visit()
    page.goto("/")
    expect(page.locator("[data-live]")).to_have_text("Live")
    row = page.locator("[data-table]", has_text="open for bets").first
    name = row.get_attribute("data-table")
    page.evaluate("""() => {
        window.touched = new Set();
        new MutationObserver(all => all.forEach(({ target }) =>
            touched.add((target.nodeType === 1 ? target : target.parentElement).closest("[data-table]")?.dataset.table)
        )).observe(document.querySelector("main"), { subtree: true, childList: true, characterData: true, attributes: true });
    }""")

    def answer(route: Route) -> None:
        told = route.fetch()
        feed = told.json()
        next(table for table in feed["tables"] if table["table"] == name).update(now=[])
        route.fulfill(response=told, json=feed)

    page.route("**/live", answer)
    expect(page.locator(f'[data-table="{name}"] [data-state]')).to_have_text("comes next")
    assert set(page.evaluate("[...touched]")) - {None} == {name}
    page.unroute_all(behavior="ignoreErrors")


@pytest.mark.nightly("makes a table of each game")
@pytest.mark.parametrize("language", LANGUAGES)
def test_tables_of_all_games_speak_to_players(service_of_all: QuietService, language: str) -> None:
    """Their rules, bets and last rounds are in plain words; what is not stands under "How this is proven"."""
    client = create_app(service_of_all.inside.service).test_client()
    for game in GAMES_OF["all"]:
        text = client.get(f"/tables/{game}-1?lang={language}", headers=BROWSER).text
        text = text.partition("<main")[2].partition("</main>")[0]
        told = re.sub(r'<details class="card proven">.*?</details>', "", text, flags=re.DOTALL)
        assert told != text
        assert not_plain(re.sub("<[^>]*>", " ", told)) == [], game
