"""The badge as a page's author has it: its event, its properties, where its script may lie, and what it asks."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Request, Route, expect

from api.pages.files.scripts import BADGE_PATH, badge_script
from tests.support.browser.game_site import GameSite, game_site
from tests.support.browser.quiet_service import QuietService

TABLE = "keno-express-1"
LISTEN = "window.told = []; document.addEventListener('foredraw-verdict', (event) => window.told.push(event.detail))"
LOAD = "async (address) => { await import(address) }"
ATTRIBUTES = ("table", "round", "vkey", "key", "policy", "log", "lang", "service")
MANY = 20


@pytest.fixture
def site(browser: Browser, quiet: QuietService) -> Iterator[GameSite]:
    """A game's own site."""
    with game_site(browser, quiet) as made:
        yield made


def script(quiet: QuietService) -> str:
    """The line of the documents."""
    return f"<script type='module' src='{quiet.url}{BADGE_PATH}'></script>"


def element(quiet: QuietService, number: int, *more: str) -> str:
    """An element of the table, with other attributes."""
    return f"<foredraw-round table='{TABLE}' round='{number}' vkey='{quiet.inside.key}' {' '.join(more)}></foredraw-round>"


def note(page: Page, asked: list[Request]) -> None:
    """Keep what the page asks for."""
    page.on("request", lambda request: asked.append(request))  # noqa: PLW0108 -- a list's method has no signature


def told(page: Page) -> list[object]:
    """What the page was told so far."""
    return list(page.evaluate("() => window.told"))


def play(quiet: QuietService) -> None:
    """Play the next round until it is published."""
    quiet.inside.play(TABLE)
    quiet.inside.settle()


def test_a_page_learns_of_each_mark_once(site: GameSite, quiet: QuietService) -> None:
    """Also out of another element's shadow tree: table, round and state, and nothing else."""
    number = quiet.inside.state(TABLE).next_round
    page = site.show(
        f"{script(quiet)}<p id='host'>{element(quiet, number)}</p>", prepare=lambda page: page.add_init_script(LISTEN)
    )
    badge = page.locator("foredraw-round")
    page.evaluate(
        "() => document.getElementById('host').attachShadow({ mode: 'open' }).append(document.querySelector('foredraw-round'))"
    )
    expect(badge.locator("section.fixed")).to_be_visible()
    assert told(page) == [{"table": TABLE, "round": number, "state": "fixed"}]
    badge.evaluate("badge => { badge.lang = 'ru' }")
    expect(badge.locator("section.fixed")).to_contain_text("Определён")
    play(quiet)
    expect(badge.locator("section.held")).to_be_visible()
    badge.evaluate("badge => { badge.round = 1 }")
    expect(badge.locator("section.held")).to_contain_text(f"Раунд 1, стол {TABLE}")
    assert told(page) == [
        {"table": TABLE, "round": number, "state": "fixed"},
        {"table": TABLE, "round": number, "state": "held"},
        {"table": TABLE, "round": 1, "state": "held"},
    ]


@pytest.mark.parametrize("when", ["before the script comes", "afterwards"])
def test_every_attribute_is_a_property(site: GameSite, quiet: QuietService, when: str) -> None:
    """As React 19 and others set them: whatever came first, the attribute has the value; without one it is gone."""
    page = site.show("<p>A game</p>")
    if when == "afterwards":
        page.evaluate(LOAD, f"{quiet.url}{BADGE_PATH}")
    given: dict[str, object] = {"table": TABLE, "round": 1, "vkey": str(quiet.inside.key), "lang": "hy"}
    page.evaluate(
        "(given) => document.body.append(Object.assign(document.createElement('foredraw-round'), given))", given
    )
    if when != "afterwards":
        page.evaluate(LOAD, f"{quiet.url}{BADGE_PATH}")
    badge = page.locator("foredraw-round")
    expect(badge.locator("section.held")).to_contain_text("Ռաունդ")
    assert badge.evaluate("(badge, names) => names.map((name) => badge[name])", ATTRIBUTES) == [
        str(given.get(name, "")) for name in ATTRIBUTES
    ]
    for value in ("null", "undefined"):
        for name in ATTRIBUTES:
            badge.evaluate(f"badge => {{ badge.{name} = 'x'; badge.{name} = {value} }}")
    assert badge.evaluate("badge => badge.getAttributeNames()") == []


@pytest.mark.parametrize("trust", ["vkey=''", "policy=''", "key=''", "policy='' vkey='x'"])
def test_an_empty_key_is_not_replaced_by_the_services(site: GameSite, quiet: QuietService, trust: str) -> None:
    """The page meant to name one, so there is no verdict; an empty policy leaves the key in force."""
    page = site.show(f"{script(quiet)}<foredraw-round table='{TABLE}' round='1' {trust}></foredraw-round>")
    expect(page.locator("section.nothing-known .headline")).to_have_text("There is no verdict: the key does not fit.")
    page.locator("foredraw-round").evaluate("(badge, key) => { badge.vkey = key }", str(quiet.inside.key))
    expect(page.locator("section.held")).not_to_contain_text("did not name one")


def test_the_script_may_lie_anywhere(site: GameSite, quiet: QuietService) -> None:
    """Beside the page, under any name, as a part of a larger script: `service` says whom to ask."""
    site.scripts["/app.js"] = badge_script().data + b"\nwindow.isLarger = true;\n"
    body = "<script type='module' src='/app.js'></script>"
    for service in (quiet.url, f"{quiet.url}/"):
        page = site.show(f"{body}{element(quiet, 1, f'service={service}')}")
        expect(page.locator("section.held")).to_be_visible()
        expect(page.get_by_role("link")).to_have_attribute("href", f"{quiet.url}/verify#{quiet.code(TABLE, 1)}")
    site.visitor.expect_complaint('console error: foredraw-round: .* needs service="https://')
    page = site.show(f"{body}{element(quiet, 1)}")
    expect(page.locator("section.nothing-known")).to_contain_text("Nothing is known yet")
    page.locator("foredraw-round").evaluate("(badge, service) => { badge.service = service }", quiet.url)
    expect(page.locator("section.held")).to_be_visible()


def test_a_log_that_was_away_is_asked_again(site: GameSite, quiet: QuietService) -> None:
    """A moment without it is no last word: without loading the page again, the round gets its verdict."""
    site.visitor.expect_complaint("404 .*/log/checkpoint")
    page = site.show(
        script(quiet) + element(quiet, 1),
        prepare=lambda page: page.route("**/log/checkpoint", lambda route: route.fulfill(status=404)),
    )
    expect(page.locator("section.nothing-known")).to_contain_text("There is no verdict: a file could not be read.")
    page.unroute("**/log/checkpoint")
    expect(page.locator("section.held")).to_be_visible()


def test_the_script_may_come_twice(site: GameSite, quiet: QuietService) -> None:
    """From two addresses, as when two parts of a page bring it."""
    page = site.show(
        f"{script(quiet)}<script type='module' src='{quiet.url}/scripts/badge.js'></script>{element(quiet, 1)}"
    )
    expect(page.locator("section.held")).to_be_visible()


@pytest.mark.nightly("lets some seconds pass")
def test_what_is_older_or_missing_is_passed_over(site: GameSite, quiet: QuietService) -> None:
    """Of two caches one is behind: the badge does not go back. One answer that does not come changes nothing; without
    a second nothing is known, until there is one again.
    """
    number = quiet.inside.state(TABLE).next_round
    steps = iter([(200, "locked"), *[(100, "open")] * 3, (0, ""), (201, "locked"), (0, ""), (0, ""), (300, "open")])

    def answer(route: Route) -> None:
        as_of, status = next(steps, (301, "open"))
        said = {"as_of": as_of, "now": [{"round": number, "status": status}]}
        if as_of:
            route.fulfill(json={**route.fetch().json(), **said})
        else:
            route.fulfill(status=503)

    site.visitor.expect_complaint("503 .*/live")
    page = site.show(
        script(quiet) + element(quiet, number),
        prepare=lambda page: page.route(f"**/v1/tables/{TABLE}/live", answer),
    )
    expect(page.locator("section")).to_contain_text("Betting is over.")
    page.locator("foredraw-round").evaluate(
        """({ shadowRoot }) => {
          window.shown = [];
          new MutationObserver(() => window.shown.push(shadowRoot.querySelector("[role=status]").textContent))
            .observe(shadowRoot, { subtree: true, childList: true, characterData: true, attributes: true });
        }"""
    )
    expect(page.locator("section")).to_contain_text("Bets are taken now", timeout=60_000)
    nothing, again = page.evaluate("() => window.shown")
    assert "Not connected" in nothing
    assert "Bets are taken now" in again


@pytest.mark.nightly("lets a second pass, again and again")
def test_many_badges_of_a_page_ask_as_one(site: GameSite, quiet: QuietService) -> None:
    """The small feed, once a second; the round itself for its commitment, and when the feed says that it is over."""
    number, asked, live = quiet.inside.state(TABLE).next_round, list[Request](), f"{quiet.url}/v1/tables/{TABLE}/live"
    page = site.show(
        script(quiet) + element(quiet, number) * MANY,
        prepare=lambda page: note(page, asked),
    )
    expect(page.locator("section.fixed")).to_have_count(MANY)
    quiet.inside.open(TABLE, number)
    for _ in range(3):
        with page.expect_response(live):
            pass
    quiet.inside.lock(TABLE, number)
    quiet.inside.settle()
    quiet.inside.reveal(TABLE, number)
    quiet.inside.settle()
    expect(page.locator("section.held")).to_have_count(MANY)
    urls = [request.url for request in asked if "/v1/" in request.url]
    assert urls[:2] == [live, f"{quiet.url}/v1/tables/{TABLE}/rounds/{number}"]
    assert set(urls[2:-1]) == {live}
    assert urls[-1] == urls[1]
    times = [request.timing["startTime"] for request in asked if request.url == live]
    assert min(later - earlier for earlier, later in itertools.pairwise(times)) >= 1000
