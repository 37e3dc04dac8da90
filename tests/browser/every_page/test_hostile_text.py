"""Text from an engine, and text in an invented address, is mere text on every page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from tests.support.browser.demo_service import GIVEN_UP, HOSTILE_REASONS, STILL_TABLES, VOID
from tests.support.browser.fonts import FONTS
from tests.support.browser.visitor import NARROWEST, PHONE, Visitor
from tests.support.http import BROWSER
from tests.support.running_service import RunningService

HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"'><svg onload=alert(1)>",
    "{{7*7}}${7*7}",
    "javascript:alert(1)",
    "%3Cscript%3Ealert(1)%3C/script%3E",
    "\u202e<b>\u0000",
    "W" * 3000,
)
ADDRESSES = (
    "/tables/{}",
    "/tables/{}/rounds/1",
    "/tables/still-crash/rounds/{}",
    "/tables/still-crash?from={}",
    "/?lang={}",
    "/verify?code={}",
    "/nowhere/{}",
)

_PLANTED = "script:not([type='application/json']):not([src^='/']), [onerror], [onload], img[src=x], main b"
"""What a page would contain if it took such a text for markup."""


@pytest.mark.lattice
@pytest.mark.parametrize("fonts", FONTS, indirect=True)
@pytest.mark.parametrize("number", [VOID, GIVEN_UP])
@pytest.mark.parametrize(("table", "reason"), list(zip(STILL_TABLES, HOSTILE_REASONS, strict=True)))
def test_the_reason_of_a_void_round_is_text(visitor: Visitor, table: str, reason: str, number: int) -> None:
    """It is shown literally and breaks nothing, not even the width of a phone."""
    page = visitor.visit(f"/tables/{table}/rounds/{number}", width=PHONE)
    assert reason.strip() in page.locator("main").inner_text()
    assert page.locator(_PLANTED).count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE


@pytest.mark.lattice
@pytest.mark.parametrize(("table", "reason"), list(zip(STILL_TABLES, HOSTILE_REASONS, strict=True)))
def test_a_verdict_shows_the_reason_as_text(
    visitor: Visitor, service: RunningService, table: str, reason: str
) -> None:
    """On the narrowest screen, however long its only word is."""
    code = service.get(f"/v1/tables/{table}/rounds/{VOID}").document["round_code"]
    page = visitor.visit(f"/verify#{code}", width=NARROWEST)
    expect(page.locator(".verdict.void .shows")).to_contain_text(reason.strip())
    assert page.locator("main :is(script, img, b, [onerror], [onload])").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROWEST


@pytest.mark.parametrize("fonts", FONTS, indirect=True)
def test_the_operator_reads_reasons_as_text(visitor: Visitor, session: Mapping[str, str]) -> None:
    """The last void rounds are on the operator's page with their reasons."""
    visitor.cookies = session
    page = visitor.visit("/ops", width=PHONE)
    text = page.locator("main").inner_text()
    assert any(reason.strip() in text for reason in HOSTILE_REASONS)
    assert page.locator(_PLANTED).count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_an_address_is_text(service: RunningService, address: str, text: str) -> None:
    """Whatever it contains, the page has nothing of it except, perhaps, the text."""
    answer = service.get(address.format(quote(text, safe="")), headers=BROWSER, note=False)
    assert answer.status in {200, 400, 404}
    page = answer.data.decode()
    assert page.count("<h1") == 1
    assert not re.search(r"<script>|<img src=x|<svg onload|<b>|49\$49|javascript:", page)
