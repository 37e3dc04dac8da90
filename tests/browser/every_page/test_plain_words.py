"""What players read without unfolding anything is in plain words: none of the protocol's, no long hexadecimal digits,
no JSON. What these pages prove stands folded, and is complete.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser.addresses import OPERATORS, PAGES, filled_in
from tests.support.browser.demo_service import COMMITTED, GIVEN_UP, LOCKED, PLAYED, VOID
from tests.support.browser.plain import not_plain
from tests.support.browser.visitor import LANGUAGES, Visitor
from tests.support.running_service import RunningService
from tests.tiers.selection import Lattice

_PUBLIC = [each for each in PAGES if each not in {*OPERATORS, "/ops/login", "/nowhere"}]
_OTHERS = [f"/tables/still-hi-lo/rounds/{number}" for number in (VOID, GIVEN_UP, LOCKED, COMMITTED)]
_IN_SIGHT = """() => {
    const within = root => [...root.querySelectorAll("*")].flatMap(each =>
        each.shadowRoot ? [each, ...within(each.shadowRoot)] : [each]);
    const texts = each => [...each.childNodes].filter(node => node.nodeType === Node.TEXT_NODE).map(node => node.data);
    return within(document.body)
        .filter(each => each.checkVisibility({ visibilityProperty: true }) && !each.closest(".reason, script, style"))
        .flatMap(each => [...texts(each), ...["aria-label", "alt", "title", "placeholder"].map(name => each.getAttribute(name) ?? "")])
        .filter(text => text.trim()).join("\\n");
}"""
"""All text in sight, and what a screen reader says in its place; but for an operator's own words."""
_ROUND_CODE = re.compile(r"[a-z0-9-]+1q[a-z0-9]{50,}")


def in_sight(page: Page) -> str:
    """What a player reads of a page that has said what it has to say."""
    if page.locator("foredraw-round").count():
        expect(page.locator("foredraw-round section").first).to_be_visible()
    else:
        page.wait_for_load_state("networkidle")
    if "#" in page.url:
        expect(page.locator(".verdict.working")).to_have_count(0)
    return _ROUND_CODE.sub("", page.evaluate(_IN_SIGHT))


@pytest.mark.lattice
@pytest.mark.parametrize("address", [*_PUBLIC, *_OTHERS])
def test_a_public_page_is_in_plain_words(
    visitor: Visitor, service: RunningService, address: str, lattice: Lattice
) -> None:
    """In every language."""
    for language in (LANGUAGES[at] for at in lattice(range(len(LANGUAGES)))):
        page = visitor.visit(filled_in(address, service), language=language)
        text = in_sight(page)
        assert len(text.split()) > 20
        assert not_plain(text) == [], language
        page.context.close()


def test_what_is_proven_is_folded_and_complete(visitor: Visitor, service: RunningService) -> None:
    """Of a round: its commitments and seeds, its batch, and its records as they stand in the log."""
    address = f"/tables/still-hi-lo/rounds/{PLAYED}"
    page = visitor.visit(address)
    known = service.get(f"/v1{address}").document
    before = in_sight(page)
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    text = in_sight(page)
    for value in (*known["commitments"], *known["seeds"], known["batch_id"]):
        assert value not in before
        assert value in text
    assert {"batch", "lock", "reveal"} <= set(re.findall(r'"type":"([a-z]+)"', text))
    assert not_plain(text) != []
