"""Where nothing goes on, every public page and the badge stand still and say why, and go on afterwards.

The witness, the beacon and the database of a real service are switched off; its operator pauses, halts and closes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from api.pages.shell.languages import gettext_in
from api.rounds.control import pause_table
from tests.support.browser.quiet_service import QuietService
from tests.support.browser.stoppable_service import FLIGHT, ROUNDS_AHEAD, SALTED, StoppableService, stoppable_service
from tests.support.browser.visitor import LANGUAGES, NARROWEST, Visitor
from tests.support.browser.watched import NOTE_SHIFTS

pytestmark = pytest.mark.nightly(
    "a service of its own, whose outsiders go away", but="test_a_paused_table_is_not_live_and_its_page_says_why"
)
WITNESSES = "Waiting: the outside witnesses have not confirmed yet. Your bet stands; nothing is lost."
STORAGE = "Waiting: the service cannot read what it has stored. Your bet stands; nothing is lost."
BEACON = (
    "Waiting: the random number from outside has not come yet, and without it no round is opened. Nothing is lost."
)
PAUSED = "The operator has paused play. Nothing is lost."
HALTED = "Halted. No round is played until the operator has found out why. What stands in the log is not affected."
CLOSED = "This table takes no more rounds."
LONG_MILLISECONDS = 60_000
"""A witness or a service that is back is asked again after a while."""
_WATCHED = """async (shown) => {
    const looks = () => [...document.querySelectorAll(shown)].map(each => (each.shadowRoot ?? each).innerHTML).join();
    const seen = new Set();
    let running = 0;
    for (let frame = 0; frame < 150; frame++) {
        await new Promise(requestAnimationFrame);
        seen.add(looks());
        const moves = ({ playState, effect }) => playState === "running" && effect.target.closest(shown);
        running += document.getAnimations().filter(moves).length;
    }
    return [seen.size, running];
}"""
"""How many looks a part of the page had in 150 frames, more than two seconds, and what ran meanwhile."""
MOST_SHIFT = 0.1
"""As in the test of layout."""


class Opened(NamedTuple):
    """The pages that somebody has before him in a language."""

    language: str
    home: Page
    table: Page
    badge: Page
    round: Page | None = None
    """That of a round that is to come after the next ones, as in the badge; English alone."""
    verify: Page | None = None

    def said(self, message: str) -> str:
        """The message in the language."""
        return gettext_in(self.language)(message)

    @property
    def card(self) -> Locator:
        """The table's card on the home page."""
        return self.home.locator(f'[data-table="{FLIGHT}"]')


@pytest.fixture(name="quiet")
def _quiet(few_tables: QuietService) -> QuietService:
    return few_tables


@pytest.fixture(name="place", scope="module")
def _place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoppableService]:
    with stoppable_service(tmp_path_factory.mktemp("stoppable")) as made:
        yield made


@pytest.fixture(name="guest")
def _guest(browser: Browser, place: StoppableService) -> Iterator[Visitor]:
    visitor = Visitor(browser, place.running.url)
    yield visitor
    visitor.close()


@pytest.fixture(name="opened")
def _opened(guest: Visitor, place: StoppableService) -> list[Opened]:
    """Pages on which everything goes on."""
    later = place.running.next_round(FLIGHT) + ROUNDS_AHEAD
    pages = []
    for language in LANGUAGES:
        paths = ["/", f"/tables/{FLIGHT}", "/badge"]
        paths += [f"/tables/{FLIGHT}/rounds/{later}", "/verify"] if language == "en" else []
        pages.append(Opened(language, *(guest.visit(path, language=language, moving=True) for path in paths)))
    for each in pages:
        for page in (each.home, each.table):
            expect(page.locator("[data-live]")).to_have_text(each.said("Live"))
        each.badge.evaluate(f"() => document.querySelector('foredraw-round[table={FLIGHT}]').round = {later}")
        expect(badge(each.badge)).to_contain_text(each.said("Fixed, and still to come"))
    return pages


def badge(page: Page) -> Locator:
    """The badge of the table, the first on its page."""
    return page.locator(f"foredraw-round[table={FLIGHT}]").first


def stands_still(page: Page, shown: str) -> None:
    """Nothing is drawn again, no animation runs, no seconds are counted."""
    assert page.evaluate(_WATCHED, shown) == [1, 0]


def goes_on(opened: list[Opened]) -> None:
    """All is live again, without a reload."""
    for each in opened:
        for page in (each.home, each.table):
            expect(page.locator("[data-live]")).to_have_text(each.said("Live"), timeout=LONG_MILLISECONDS)
            expect(page.locator("[data-why]")).to_be_hidden()
        assert each.table.evaluate(_WATCHED, "[data-now], [data-sight]")[0] > 1


@pytest.mark.parametrize(
    ("switched_off", "why", "is_answered"),
    [(StoppableService.without_witness, WITNESSES, True), (StoppableService.without_database, STORAGE, False)],
    ids=["witness", "database"],
)
def test_all_tables_wait(
    place: StoppableService,
    guest: Visitor,
    opened: list[Opened],
    switched_off: Callable[[StoppableService], AbstractContextManager[None]],
    why: str,
    is_answered: bool,
) -> None:
    """Every page says it once, and no card anything else."""
    if not is_answered:
        guest.expect_complaint("status of 503")
    with switched_off(place):
        for each in opened:
            for page in (each.home, each.table):
                expect(page.locator("[data-why]")).to_have_text(each.said(why))
                expect(page.locator("[data-live]")).to_have_text(each.said("waiting…"))
            expect(each.card.locator("[data-state]")).to_have_text(each.said("waiting…"))
            expect(each.card.locator("[data-time]")).to_have_text("")
            expect(badge(each.badge)).to_contain_text(each.said(why))
            if each.round is not None:
                expect(each.round.locator("[data-why]")).to_have_text(each.said(why))
            for page in filter(None, (each.home, each.table, each.round, each.verify)):
                stands_still(page, "main")
            stands_still(each.badge, f"foredraw-round[table={FLIGHT}]")
            if is_answered:
                for path in ("/", f"/tables/{FLIGHT}"):
                    plain = guest.visit(path, language=each.language, javascript=False)
                    expect(plain.locator("[data-why]")).to_have_text(each.said(why))
    goes_on(opened)
    for each in opened:
        expect(badge(each.badge)).not_to_contain_text(each.said(why), timeout=LONG_MILLISECONDS)


@pytest.mark.parametrize(
    ("stopped", "state", "why"),
    [(StoppableService.paused, "paused", PAUSED), (StoppableService.halted, "halted", HALTED)],
    ids=["paused", "halted"],
)
def test_one_table_stands_still(
    place: StoppableService,
    guest: Visitor,
    opened: list[Opened],
    stopped: Callable[[StoppableService], AbstractContextManager[None]],
    state: str,
    why: str,
) -> None:
    """The home page is live, because another table is played; the card says why this one is not."""
    with stopped(place):
        for each in opened:
            is_so(each, state, why)
            if each.round is not None:
                expect(each.round.locator("[data-why]")).to_have_text(each.said(why))
                stands_still(each.round, "main")
            expect(badge(each.badge)).to_contain_text(each.said(why))
            stands_still(each.badge, f"foredraw-round[table={FLIGHT}]")
            plain = guest.visit(f"/tables/{FLIGHT}", language=each.language, javascript=False)
            expect(plain.locator("[data-why]")).to_have_text(each.said(why))
            expect(plain.locator("[data-now]")).to_contain_text(each.said(state))
    goes_on(opened)


def test_a_page_that_is_opened_again_shows_a_feed_that_has_not_changed(reader: Visitor) -> None:
    """The browser has kept it, and the service says that it still holds."""
    page = reader.visit("/tables/hi-lo-1")
    expect(page.locator("[data-live]")).to_have_text("no round now")
    page.reload()
    expect(page.locator("[data-live]")).to_have_text("no round now")


def is_so(each: Opened, state: str, why: str) -> None:
    """The table's page and its card stand still in a state, and the page says why, as the card does."""
    expect(each.table.locator("[data-live]")).to_have_text(each.said(state), timeout=LONG_MILLISECONDS)
    expect(each.table.locator("[data-why]")).to_have_text(each.said(why))
    expect(each.card.locator("[data-state]")).to_have_text(each.said(state))
    expect(each.card).to_contain_text(each.said(why))
    expect(each.home.locator("[data-live]")).to_have_text(each.said("Live"))
    stands_still(each.table, "main")
    stands_still(each.home, f'[data-table="{FLIGHT}"]')


def test_a_table_whose_beacon_is_away_waits_for_it(place: StoppableService, guest: Visitor) -> None:
    """It is new, and its first rounds get no number from outside; when the beacon is back, it is played."""
    with place.without_beacon():
        pages = {language: guest.visit(f"/tables/{SALTED}", language=language, moving=True) for language in LANGUAGES}
        for language, page in pages.items():
            said = gettext_in(language)
            expect(page.locator("[data-why]")).to_have_text(said(BEACON))
            expect(page.locator("[data-live]")).to_have_text(said("waiting…"))
            stands_still(page, "main")
    for language, page in pages.items():
        expect(page.locator("[data-live]")).to_have_text(gettext_in(language)("Live"), timeout=LONG_MILLISECONDS)


def test_a_closed_table_is_never_live_again(place: StoppableService, opened: list[Opened]) -> None:
    """The last of these tests: nobody plays at the table any more."""
    place.close()
    for each in opened:
        # The table's page loads itself again, and looks different from then on.
        expect(each.table.locator("[data-table][data-ended]")).to_be_attached(timeout=LONG_MILLISECONDS)
        is_so(each, "closed", CLOSED)
        expect(badge(each.badge)).to_contain_text(each.said("Never played"), timeout=LONG_MILLISECONDS)
        stands_still(each.badge, f"foredraw-round[table={FLIGHT}]")


def test_a_paused_table_is_not_live_and_its_page_says_why(reader: Visitor, quiet: QuietService) -> None:
    """At rendering, and live; also on the smallest phone."""
    table, writer = "sic-bo-1", quiet.inside.service.writer
    page = reader.visit(width=NARROWEST)
    page.add_init_script(NOTE_SHIFTS)
    page.goto(f"/tables/{table}")
    expect(page.locator("[data-live]")).to_have_text("no round now")
    pause_table(writer, table, paused=True)
    expect(page.locator("[data-why]")).to_have_text(PAUSED)
    expect(page.locator("[data-live]")).to_have_text("paused")
    assert page.evaluate("shifted") < MOST_SHIFT
    plain = reader.visit("/", javascript=False)
    expect(plain.locator(f'[data-table="{table}"] [data-time]')).to_have_text(PAUSED)
    pause_table(writer, table, paused=False)
    expect(page.locator("[data-why]")).to_be_hidden()
