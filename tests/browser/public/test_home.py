"""The home page shows what the service says, at once and then live: a few tables as cards, many as rows."""

from __future__ import annotations

import itertools
import re

import pytest
import urllib3
from playwright.sync_api import Page, Route, expect

from api.rounds.tables import add_table, request_close
from tests.support.browser.demo_service import OPEN_TABLES, add_tables
from tests.support.browser.quiet_service import QuietService
from tests.support.browser.visitor import LANGUAGES, Visitor
from tests.support.running_service import RunningService, wait_until

_SEEN_WITHIN_MILLISECONDS = 5_000
"""A watcher sees a reveal within a second and a half (`make bench` measures it), but a test's machine may be busy."""
_names = itertools.count(1)


def own_table(service: RunningService, game: str) -> str:
    """Add a table whose first round is open. A page cached within the last second may lack it, so request another
    address.
    """
    name = f"home-{next(_names)}"
    add_tables(service, {name: game})
    return name


def card(page: Page, table: str) -> str:
    """The selector of a table's card or row, once the script has begun."""
    expect(page.locator("[data-live]")).to_have_text(re.compile("^(Live|no round now)$"))
    return f'[data-table="{table}"]'


@pytest.fixture(name="quiet")
def _quiet(few_tables: QuietService) -> QuietService:
    return few_tables


def own_card(quiet: QuietService, game: str) -> str:
    """Add a table to a service with a few; returns its name."""
    name = f"home-{next(_names)}"
    add_table(quiet.inside.service.writer, name, game)
    quiet.inside.settle()
    # A page is made of the feed, which is remembered for a moment.
    wait_until(lambda: f'"{name}"' in urllib3.request("GET", f"{quiet.url}/v1/live").data.decode(), "the feed")
    return name


def test_a_played_round_appears_by_itself(visitor: Visitor, service: RunningService) -> None:
    """Open, locked, revealed, with its picture and its link, without a reload; the outcome never before the
    reveal.
    """
    table = own_table(service, "hi-lo")
    page = visitor.visit(f"/?with={table}")
    here = page.locator(card(page, table))
    expect(here.locator("[data-state]")).to_have_text("open for bets")
    locked = service.act(table, 1, "lock").document
    expect(here.locator("[data-state]")).to_have_text("bets are closed", timeout=_SEEN_WITHIN_MILLISECONDS)
    assert here.locator("[data-strip] li").count() == 0
    service.act(table, 1, "reveal")
    link = here.locator("[data-strip] a")
    expect(link).to_have_count(1, timeout=_SEEN_WITHIN_MILLISECONDS)
    assert locked["outcome"]["card"] in (link.get_attribute("aria-label") or "")
    assert link.get_attribute("href") == f"/tables/{table}/rounds/1"
    assert link.locator("svg.picture").count() == 1
    expect(here.locator("[data-state]")).to_have_text("comes next")


def test_a_flight_is_only_a_flight(reader: Visitor, quiet: QuietService) -> None:
    """During a flight the next round takes bets: both are named, and the flight's end is not on the page."""
    table = own_card(quiet, "crash")
    quiet.inside.open(table, 1)
    outcome = quiet.inside.lock(table, 1)
    assert isinstance(outcome, dict)
    quiet.inside.open(table, 2)
    page = reader.visit(f"/?with={table}")
    here = page.locator(card(page, table))
    expect(here.locator("[data-state]")).to_have_text("in flight")
    expect(here.locator("[data-second]")).to_have_text("Round 2 takes bets already.")
    assert outcome["multiplier"] not in here.inner_text()


@pytest.mark.nightly("plays a table to its end")
def test_a_table_that_ends_is_no_longer_counted(reader: Visitor, quiet: QuietService) -> None:
    """On an open page: its rounds no longer count, and there is no next one."""
    table = own_card(quiet, "keno-express")
    page = reader.visit(f"/?with={table}")
    here = page.locator(card(page, table))
    expect(here.locator("[data-running]")).to_contain_text("Rounds fixed ahead")
    request_close(quiet.inside.service.writer, table)
    quiet.inside.settle()
    expect(here.locator("[data-over]")).to_have_text("This table takes no more rounds.")
    expect(here.locator("[data-running]")).to_be_hidden()
    expect(here.locator("[data-state]")).to_have_text("closed")
    expect(here.locator(".words [data-round]")).to_be_empty()


def test_rounds_that_await_their_salt_are_not_counted(reader: Visitor) -> None:
    """On an open page, in the sum, on a card and on its table's page: only what is fixed."""

    def awaiting(route: Route) -> None:
        answer = route.fetch()
        told = answer.json()
        for table in told.get("tables", [told]):
            table["fixed_through"] = (table["now"][-1]["round"] if table["now"] else table["next_round"] - 1) + 2
        route.fulfill(response=answer, json=told)

    page = reader.visit()
    page.route("**/live", awaiting)
    page.goto("/")
    running = page.locator("[data-table]:has([data-running]:not([hidden]))")
    expect(page.locator('[data-table="crash-1"] [data-ahead]')).to_have_text("2")
    expect(page.locator("[data-all-ahead]")).to_have_text(str(2 * running.count()))
    page.goto("/tables/crash-1")
    expect(page.locator("[data-ahead]")).to_have_text("2")


def test_what_the_script_shows_is_what_the_service_had_sent(visitor: Visitor, reader: Visitor) -> None:
    """The same words, numbers and pictures in every language, for tables on which nothing happens, as cards and as
    rows.
    """
    table = next(name for name, game in OPEN_TABLES.items() if game == "sic-bo")
    cards = ["crash-1", "penalty-1"], ("[data-state]", ".words [data-round]", "[data-strip]", ".ahead")
    rows = [table, table.replace("open", "still")], ("[data-state]", "[data-strip]")
    for language in LANGUAGES:
        for guest, (names, parts) in ((reader, cards), (visitor, rows)):
            plain = guest.visit("/", language=language, javascript=False)
            live = guest.visit("/", language=language)
            expect(live.locator("[data-live]")).to_have_class(re.compile("good"))
            for selector in (f'[data-table="{name}"] {part}' for name in names for part in parts):
                expect(live.locator(selector)).to_have_text(plain.locator(selector).inner_text(), use_inner_text=True)


def test_a_table_is_found_while_its_name_is_typed(visitor: Visitor) -> None:
    """Also by its game; kinds without a table are away, and all are back when the field is empty."""
    page = visitor.visit("/")
    rows, kinds = page.locator("[data-table]:visible"), page.locator(".kinds a:visible")
    expect(page.locator("[data-live]")).to_have_text("Live")
    all_rows, all_kinds = rows.count(), kinds.count()
    field = page.get_by_label("Find a table or a game")
    field.press_sequentially("Open SicBo")
    expect(rows).to_have_count(1)
    expect(rows.locator(".name a")).to_have_text("open-sic-bo")
    expect(kinds).to_have_text(["Dice"])
    expect(page.locator("[data-found]")).to_have_text("Found: 1")
    field.fill("no such table")
    expect(rows).to_have_count(0)
    expect(page.locator("[data-found]")).to_have_text("Found: 0")
    field.fill("")
    expect(page.locator("[data-found]")).to_be_empty()
    assert (rows.count(), kinds.count()) >= (all_rows, all_kinds)


def test_a_table_is_found_without_javascript(visitor: Visitor) -> None:
    """By a plain form; a kind is a link on the page."""
    page = visitor.visit("/", javascript=False)
    page.get_by_label("Find a table or a game").fill("still crash")
    page.get_by_role("button", name="Find").click()
    expect(page.locator("[data-table]:visible .name a")).to_have_text(["still-crash"])
    expect(page.get_by_label("Find a table or a game")).to_have_value("still crash")
    expect(page.locator("[data-found]")).to_have_text("Found: 1")
    expect(page.locator(".kinds a:visible")).to_have_attribute("href", "#flights")


def test_without_javascript_the_page_says_how_old_it_is(visitor: Visitor) -> None:
    """The page is complete, and says that it is not live."""
    page = visitor.visit("/", javascript=False)
    expect(page.locator("[data-live]")).to_contain_text("live only with JavaScript")
    assert page.locator("[data-table]").count() >= len(OPEN_TABLES)


def test_a_page_without_an_answer_says_so_and_comes_back(visitor: Visitor) -> None:
    """It reports the lost connection, and is live again later without a reload."""
    page = visitor.visit("/")
    expect(page.locator("[data-live]")).to_have_text("Live")
    visitor.expect_complaint("/v1/live")
    page.route("**/v1/live", lambda route: route.abort("connectionrefused"))
    expect(page.locator("[data-live]")).to_have_text("Not connected. Trying again.")
    page.unroute("**/v1/live")
    expect(page.locator("[data-live]")).to_have_text("Live")


@pytest.mark.nightly("waits for calls that become less frequent")
@pytest.mark.parametrize(
    "body", ["<html><body>Please sign in</body></html>", "{}", "[]", "null", '{"tables":{}}', ""]
)
def test_an_answer_of_another_program_is_no_connection(visitor: Visitor, body: str) -> None:
    """A network's page with status 200 for instance, also if it comes again and again."""
    page = visitor.visit("/")
    expect(page.locator("[data-live]")).to_have_text("Live")
    page.route("**/v1/live", lambda route: route.fulfill(status=200, body=body))
    expect(page.locator("[data-live]")).to_have_text("Not connected. Trying again.")
    for _ in range(2):
        with page.expect_response("**/v1/live"):
            pass
    expect(page.locator("[data-live]")).to_have_text("Not connected. Trying again.")
    page.unroute("**/v1/live")
    expect(page.locator("[data-live]")).to_have_text("Live")


def test_a_hidden_page_asks_nothing(visitor: Visitor) -> None:
    """A hidden page costs nothing; when it is visible again it is up to date at once."""
    page = visitor.visit("/")
    expect(page.locator("[data-live]")).to_have_text("Live")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.evaluate("""() => {
        Object.defineProperty(document, "hidden", { configurable: true, get: () => true });
    }""")
    page.wait_for_timeout(1_500)
    asked.clear()
    page.wait_for_timeout(2_500)
    assert asked == []
    page.evaluate("() => { delete document.hidden; document.dispatchEvent(new Event('visibilitychange')); }")
    page.wait_for_timeout(500)
    assert asked
