"""A round's page is sent on by the device's own dialog, or as a copied link; and printed on one page."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import PdfMargins, expect

from tests.support.browser.demo_service import COMMITTED, PLAYED, VOID
from tests.support.browser.visitor import LANGUAGES, PHONE, Visitor
from tests.support.running_service import RunningService

_ROUND = f"/tables/still-crash/rounds/{PLAYED}"
_SHARE = "navigator.share = async (what) => { window.shared = what }"
_SHARE_REFUSED = "navigator.share = async () => { throw new DOMException('', 'AbortError') }"
_MARGINS: PdfMargins = {"top": "1cm", "right": "1cm", "bottom": "1cm", "left": "1cm"}
_SEEN = """() => [...document.querySelectorAll("form, button, .button, nav, summary")]
    .filter(each => each.checkVisibility()).map(each => each.outerHTML.slice(0, 80))"""


def test_the_device_shares_the_rounds_own_page(visitor: Visitor) -> None:
    """Without what the reader has asked there; a reader who thinks better of it sees no error."""
    page = visitor.visit()
    page.add_init_script(_SHARE)
    page.goto(f"{_ROUND}?lang=en&bet=2.00&stake=100")
    page.get_by_role("button", name="Share", exact=True).click()
    address = page.evaluate("location.origin") + _ROUND
    assert page.evaluate("shared") == {"title": page.title(), "url": address}
    assert re.fullmatch(r"Round 1 of still-crash: [\d.,]+× · Foredraw", page.title())
    refused = visitor.visit()
    refused.add_init_script(_SHARE_REFUSED)
    refused.goto(_ROUND)
    refused.get_by_role("button", name="Share", exact=True).click()
    expect(refused.get_by_role("button", name="Share", exact=True)).to_be_enabled()


def test_without_such_a_dialog_the_link_is_copied(visitor: Visitor) -> None:
    """And the page says so."""
    page = visitor.visit(_ROUND)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy the link").click()
    expect(page.get_by_role("status").filter(has_text="Copied.")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.evaluate("location.href")


@pytest.mark.lattice
@pytest.mark.parametrize("number", [PLAYED, VOID, COMMITTED])
@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_printed_on_one_page(visitor: Visitor, service: RunningService, number: int, language: str) -> None:
    """With its code and address; nothing that can only be pressed."""
    address = f"/tables/still-keno-express/rounds/{number}"
    page = visitor.visit(address, width=PHONE, language=language)
    assert page.pdf(format="A4", margin=_MARGINS).count(b"/Type /Page\n") == 1
    page.emulate_media(media="print")
    assert page.evaluate(_SEEN) == []
    assert f"{service.url}{address}" in page.locator("main").inner_text()
    code = service.get(f"/v1{address}").document.get("round_code")
    if code is not None:
        expect(page.locator("#code")).to_have_text(code)
