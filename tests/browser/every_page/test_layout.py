"""Every page keeps its layout: nothing in sight moves while it loads, and nothing is wider than the screen, whatever
the font.
"""

from __future__ import annotations

import re
from zlib import crc32

import pytest
from playwright.sync_api import Page, Route

from tests.support.browser.fonts import FONTS
from tests.support.browser.visitor import DESKTOP, LANGUAGES, NARROWEST, PATIENCE_MILLISECONDS, PHONE, TABLET, Visitor
from tests.tiers.selection import Lattice

MOST_SHIFT = 0.1
"""The largest cumulative layout shift that the Web Vitals call good."""
WIDTHS = (NARROWEST, PHONE, TABLET, DESKTOP)
_SCRIPT_OR_LOG = re.compile("/(scripts|log)/")

_NOTE = """
    window.asked = 0;
    const fetched = window.fetch;
    window.fetch = (...all) => {
        asked++;
        return fetched(...all).finally(() => asked--);
    };
    window.shifts = [];
    const named = ({ node }) => node?.outerHTML?.slice(0, 120) ?? node?.data;
    new PerformanceObserver(list => {
        for (const { value, sources } of list.getEntries()) shifts.push({ value, moved: sources.map(named) });
    }).observe({ type: "layout-shift", buffered: true });
"""
"""Count the requests that have no answer yet, and note what moves."""
_NEXT_VIEW = """async () => {
    await new Promise(seen => new PerformanceObserver(list => {
        if (list.getEntriesByName("first-contentful-paint").length) seen();
    }).observe({ type: "paint", buffered: true }));
    await new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)));
}"""
_QUIET_MILLISECONDS = 150
_QUIET = """async ([milliseconds, patience]) => {
    const end = performance.now() + patience;
    for (let since = performance.now(), at = since; at < Math.min(since + milliseconds, end); at = performance.now()) {
        await new Promise(later => setTimeout(later, 10));
        if (asked) since = performance.now();
    }
}"""
"""Wait until the page has asked for nothing for a while. One that always asks has arrived when patience ends."""
_TOO_WIDE = """() => document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll("body *")]
    .filter(each => each.getBoundingClientRect().right > innerWidth + 0.5 && each.checkVisibility())
    .map(each => each.outerHTML.slice(0, 120))"""
"""The elements that reach beyond the right edge, if one can scroll there."""


_OTHERS = (
    pytest.param(name, marks=pytest.mark.nightly("all pages in another family of fonts")) for name in FONTS[1:]
)


@pytest.mark.lattice
@pytest.mark.parametrize("fonts", [FONTS[0], *_OTHERS], indirect=True)
def test_nothing_moves_and_all_fits(visitor: Visitor, address: str, lattice: Lattice) -> None:
    """In each language, on phones, tablets and desktops; although the script and the log's files arrive slowly."""
    # Where `make test` chooses one language, it is not the same one for every page.
    first = crc32(address.encode())
    for language in (LANGUAGES[at % len(LANGUAGES)] for at in lattice(range(first, first + len(LANGUAGES)))):
        # They wait together for their last answers.
        pages = {width: slowly(visitor, address, width, language) for width in WIDTHS}
        for width, page in pages.items():
            page.evaluate(_QUIET, [_QUIET_MILLISECONDS, PATIENCE_MILLISECONDS])
            shifts = page.evaluate("shifts")
            assert sum(shift["value"] for shift in shifts) < MOST_SHIFT, (language, width, shifts)
            assert page.evaluate(_TOO_WIDE) == [], (language, width)
            # A page that always asks has a request on its way when it is closed.
            page.unroute_all(behavior="ignoreErrors")
            page.context.close()


def slowly(visitor: Visitor, address: str, width: int, language: str) -> Page:
    """The page as over a slow connection: it is seen before its script arrives, and again before each file of the log
    does.
    """

    def answer(route: Route) -> None:
        page.evaluate(_NEXT_VIEW)
        route.continue_()

    page = visitor.visit(width=width, language=language)
    page.add_init_script(_NOTE)
    page.route(_SCRIPT_OR_LOG, answer)
    page.goto(address)
    return page


@pytest.mark.nightly("opens every page at each width in three languages with three families of fonts once more")
@pytest.mark.parametrize("fonts", FONTS, indirect=True)
def test_all_fits_without_javascript(visitor: Visitor, address: str) -> None:
    """On the narrowest phone, in each language."""
    for language in LANGUAGES:
        page = visitor.visit(address, javascript=False, width=NARROWEST, language=language)
        assert page.evaluate(_TOO_WIDE) == [], language
