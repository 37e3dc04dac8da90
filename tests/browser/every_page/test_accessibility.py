"""Every page is accessible: with a screen reader, with a keyboard, in the dark, on a phone."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from playwright.sync_api import Page

from tests.support.browser.visitor import DESKTOP, PHONE, Visitor

_TARGETS = {"target-size": {"enabled": True}}
_ONLY_COLOURS = ["color-contrast", "link-in-text-block"]

_MARK_STOPS = """() => {
    const kinds = "a[href], button, input, select, textarea, summary, audio[controls], [tabindex]";
    const within = root => [...root.querySelectorAll("*")].flatMap(each =>
        each.shadowRoot ? [each, ...within(each.shadowRoot)] : [each]);
    const stops = within(document).filter(each => each.matches(kinds) &&
        each.checkVisibility({ visibilityProperty: true }) && !each.disabled && each.tabIndex >= 0 &&
        !(each.type === "radio" && !each.checked));
    window.unreached = new Set(stops);
    return stops.length;
}"""
"""Note every element that Tab should reach; returns their number."""

_NOTE_STOP = """() => {
    let at = document.activeElement;
    while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    window.unreached.delete(at);
    const style = getComputedStyle(at);
    const seen = at === document.body || (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2);
    const unreached = [...window.unreached].filter(each => each.isConnected).map(each => each.outerHTML.slice(0, 120));
    return { unseen: seen ? null : at.outerHTML.slice(0, 120), unreached };
}"""
"""Note the element with the focus; returns it if its focus is not visible, and those that had none yet."""


@pytest.mark.lattice
def test_axe_finds_nothing(visitor: Visitor, address: str) -> None:
    """At desktop and phone width, light and dark."""
    page = visitor.visit(address, width=DESKTOP, scheme="light")
    page.evaluate(AXE_SCRIPT)
    check(page, {"rules": _TARGETS})
    page.emulate_media(color_scheme="dark")
    check(page, {"runOnly": _ONLY_COLOURS})
    page.set_viewport_size({"width": PHONE, "height": 844})
    check(page, {"rules": _TARGETS})
    page.emulate_media(color_scheme="light")
    check(page, {"runOnly": _ONLY_COLOURS})


def check(page: Page, options: dict[str, Any]) -> None:
    """Fail with axe's own report if it found anything."""
    found = AxeResults(page.evaluate("axe.run", {"resultTypes": ["violations"], **options}))
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.lattice
def test_tab_reaches_everything_and_the_focus_is_seen(visitor: Visitor, address: str) -> None:
    """Everything can be done with a keyboard."""
    page = visitor.visit(address)
    page.wait_for_load_state("networkidle")
    # Pages are live: the number of elements may grow meanwhile.
    unreached: list[str] = []
    for _ in range(2 * page.evaluate(_MARK_STOPS) + 1):
        page.keyboard.press("Tab")
        noted = page.evaluate(_NOTE_STOP)
        assert noted["unseen"] is None
        unreached = noted["unreached"]
        if not unreached:
            return
    assert unreached == []
