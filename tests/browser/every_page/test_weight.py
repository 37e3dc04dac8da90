"""Every page is small and loads at once: the first answer is enough to read it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Response

from tests.support.browser.addresses import OPERATORS
from tests.support.browser.visitor import PHONE, Visitor

MOST_BYTES = 160_000
MOST_BYTES_OF_A_SCRIPT = 110_000
"""What a verdict needs of script, and so what any page needs before it does what it is for."""
MOST_BYTES_OF_FIRST_FLIGHT = 14_600
"""Ten segments of 1,460 bytes, which a server sends before it waits for the first acknowledgement (RFC 6928)."""
_LEAST_RULES = 10


@pytest.mark.lattice
def test_all_that_is_fetched_is_less_than_160_kilobytes(visitor: Visitor, address: str) -> None:
    """As sent, each address counted once, without the log that is checked.

    One script, which a page names, does what the page is for; what it imports later comes after that, as one more.
    """
    page = visitor.visit(width=PHONE)
    answers: dict[str, Response] = {}
    page.on("response", lambda response: answers.update({response.url: response}))
    page.goto(address)
    page.wait_for_load_state("networkidle")
    own = {url: answer for url, answer in answers.items() if "/log/" not in url}
    sizes = {url: answer.request.sizes()["responseBodySize"] for url, answer in own.items()}
    assert sum(sizes.values()) < MOST_BYTES, sizes
    scripts = [url for url, answer in own.items() if answer.request.resource_type == "script"]
    named = page.locator("script[src]").evaluate_all("all => all.map(each => each.src)")
    assert len(named) <= 1
    assert scripts[:1] == named
    assert all("-later.js" in url for url in scripts[1:])
    assert len(scripts) <= 2, scripts
    assert all(sizes[url] < MOST_BYTES_OF_A_SCRIPT for url in named), sizes


@pytest.mark.lattice
def test_the_first_view_needs_one_round_trip(visitor: Visitor, address: str) -> None:
    """With the document alone, which fits into the first flight of packets, the page is laid out and readable."""
    page = visitor.visit(width=PHONE, document_only=True)
    answer = page.goto(address)
    assert answer is not None
    # An operator's pages are not compressed, and never a player's first view; neither is the one to sign in.
    if address not in (*OPERATORS, "/ops/login"):
        assert answer.request.sizes()["responseBodySize"] < MOST_BYTES_OF_FIRST_FLIGHT
    assert page.locator("h1").is_visible()
    assert page.locator("main").inner_text().strip()
    rules = page.evaluate("() => [...document.styleSheets].reduce((sum, each) => sum + each.cssRules.length, 0)")
    assert rules > _LEAST_RULES
