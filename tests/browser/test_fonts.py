"""The browser shows pages with the fonts of one family alone, whatever is installed."""

from __future__ import annotations

import pytest

from tests.support.browser.fonts import FONTS, Fonts
from tests.support.browser.visitor import Visitor

IN_USE: dict[Fonts, dict[str, set[str]]] = {
    "dejavu": {"h1": {"DejaVu Sans"}, "[lang=hy]": {"DejaVu Sans"}, "code": {"DejaVu Sans Mono"}},
    "noto": {"h1": {"Noto Sans"}, "[lang=hy]": {"Noto Sans Armenian"}, "code": {"DejaVu Sans Mono"}},
    "liberation": {"h1": {"Liberation Sans"}, "[lang=hy]": {"DejaVu Sans"}, "code": {"Liberation Mono"}},
}


@pytest.mark.parametrize("fonts", FONTS, indirect=True)
def test_each_family_is_used(reader: Visitor, fonts: Fonts) -> None:
    """By our own pages, also for Armenian and for code."""
    page = reader.visit("/")
    page.locator(".languages summary").click()
    page.get_by_text("How this is proven").click()
    session = page.context.new_cdp_session(page)
    session.send("DOM.enable")
    session.send("CSS.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    for selector, families in IN_USE[fonts].items():
        node = session.send("DOM.querySelector", {"nodeId": root, "selector": selector})["nodeId"]
        used = session.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
        assert {font["familyName"] for font in used} == families, selector
