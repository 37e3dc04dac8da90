"""What the page /verify says of a paytable that is not there, is another one, or is the operator's own."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.support.browser.checking import FIXED, headline
from tests.support.browser.quiet_service import QuietService
from tests.support.browser.visitor import PHONE, Visitor

FALSE = ".notice.bad", "The file of what bets pay is missing, or not what the table’s record names", "paytable-file"
AWAY = ".notice.caution", "What bets pay could not be read, so no bet is settled here", ""


@pytest.mark.parametrize(
    ("status", "told"),
    [(200, FALSE), (404, FALSE), (403, AWAY)],
    ids=["another one", "none", "forbidden"],
)
def test_without_its_paytable_no_bet_is_settled(
    reader: Visitor, quiet: QuietService, status: int, told: tuple[str, str, str]
) -> None:
    """The verdict on the round stays."""
    if status != 200:
        reader.expect_complaint(str(status))
    page = reader.visit("/verify", width=PHONE)
    page.route("**/log/paytables/*", lambda route: route.fulfill(status=status, body='{"options":[]}'))
    page.goto(f"{quiet.url}/verify#{quiet.code('sic-bo-1', 1)}")
    page.reload()
    assert headline(page) == FIXED["en"]
    notice, words, check = told
    expect(page.locator(f"#bets {notice}")).to_contain_text(words)
    expect(page.locator(f"#bets {notice}")).to_contain_text(check)
    expect(page.locator("#bets form")).to_have_count(0)


def test_the_page_says_whose_paytable_it_is(reader: Visitor, quiet: QuietService) -> None:
    """The catalogue's, of a table that the operator gave no other."""
    page = reader.visit(f"/verify#{quiet.code('sic-bo-1', 1)}")
    expect(page.locator("#bets")).to_contain_text("before its first round: the catalogue’s paytable of the game")
