"""Times are shown in the reader's own zone, with UTC beneath, and nothing moves for it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser.demo_service import PLAYED
from tests.support.browser.quiet_service import QuietService
from tests.support.browser.visitor import PHONE
from tests.support.running_service import SIX_TABLES

_TABLE = next(iter(SIX_TABLES))
_PARTS = """async ([iso, language]) => {
    const { timeParts } = await import("/static/times.js");
    return timeParts(iso, language);
}"""
_DAY = {"en": "2026-11-28", "hy": "28.11.2026", "ru": "28.11.2026"}


def opened(
    browser: Browser, quiet: QuietService, zone: str, *, javascript: bool = True, language: str = "en"
) -> Page:
    """The page of a round that was played, for a reader in this zone."""
    context = browser.new_context(
        base_url=quiet.url,
        timezone_id=zone,
        locale=language,
        java_script_enabled=javascript,
        viewport={"width": PHONE, "height": 844},
    )
    page = context.new_page()
    page.goto(f"/tables/{_TABLE}/rounds/{PLAYED}")
    return page


@pytest.mark.parametrize("language", list(_DAY))
def test_a_time_in_words(browser: Browser, quiet: QuietService, language: str) -> None:
    """To the second; UTC's day only if it is another one; in a zone like UTC it is said once."""
    day = _DAY[language]
    for zone, iso, local, utc in (
        ("Asia/Yerevan", "2026-11-28T11:26:57.999Z", f"{day} 15:26:57", "11:26:57 UTC"),
        ("Asia/Kathmandu", "2026-11-27T23:59:59Z", f"{day} 05:44:59", f"{day.replace('28', '27')} 23:59:59 UTC"),
        ("Africa/Abidjan", "2026-11-28T11:26:57.000Z", None, f"{day} 11:26:57 UTC"),
        (
            "America/St_Johns",
            "2026-11-29T03:29:59.000Z",
            f"{day} 23:59:59",
            f"{day.replace('28', '29')} 03:29:59 UTC",
        ),
    ):
        page = opened(browser, quiet, zone)
        assert page.evaluate(_PARTS, [iso, language]) == {"local": local, "utc": utc}
        page.context.close()


def test_every_time_of_a_page(browser: Browser, quiet: QuietService) -> None:
    """As the record has it; without JavaScript in UTC alone, at the same place."""
    bare = opened(browser, quiet, "Asia/Yerevan", javascript=False)
    times = bare.locator("time")
    texts = [each.text_content() or "" for each in times.all()]
    assert texts
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", text) for text in texts)
    page = opened(browser, quiet, "Asia/Yerevan")
    expect(page.locator("time small")).to_have_count(len(texts))
    for each, before in zip(page.locator("time").all(), texts, strict=True):
        assert before.endswith(each.locator("small").text_content() or "nothing")
    page.context.close()
    bare.context.close()
