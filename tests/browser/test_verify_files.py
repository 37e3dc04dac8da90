"""Proof files in a browser: on the page that checks, and offline in the page that players keep."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from fairness.bets import receipts
from tests.browser.checking import FIXED, choose, headline, with_key
from tests.browser.quiet_service import QuietService
from tests.browser.visitor import LANGUAGES, PHONE, Visitor
from verifier.cli import parser

NO_KEY = {"en": "Give the log’s key first", "hy": "բանալի", "ru": "ключ"}
"""What is asked for before anything is checked."""


def test_a_proof_file_is_checked_and_confronted_with_the_log(reader: Visitor, quiet: QuietService) -> None:
    """Chosen or dropped; a receipt is one, too. What the log says of it today is said."""
    page = reader.visit("/verify")
    choose(page, quiet.proof("rocketon-1", 2))
    assert headline(page) == FIXED["en"]
    expect(page.locator(".verdict")).to_contain_text("continues the log of the file")
    page.evaluate(
        """text => {
            const data = new DataTransfer();
            data.items.add(new File([text], "receipt.proof"));
            document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data }));
        }""",
        quiet.proof("rocketon-1", 9).decode(),
    )
    expect(page.locator(".verdict h2")).to_have_text("Fixed, and still to come")
    assert page.locator("#steps > li.skipped").count() == 2
    choose(page, quiet.proof("rocketon-1", 2).replace(b"1", b"2", 1))
    expect(page.locator(".verdict.failed h2")).to_have_text("The file is damaged, or made up")


def test_a_receipt_of_a_bet_is_named(reader: Visitor) -> None:
    """It is no proof of a round: the page says what it is, and which command checks it, whatever the file is called."""
    (receipt,) = receipts([b"a bet"], table_id=bytes(32), round_number=2)
    page = reader.visit("/verify")
    choose(page, bytes(receipt), "my bet's receipt.bet")
    assert headline(page) == "This is the receipt of a bet"
    command = page.locator(".verdict dd").inner_text()
    words = shlex.split(command)
    assert words[:3] == ["foredraw-verify", "bet", "my bet's receipt.bet"]
    parser().parse_args(words[1:])


class Kept:
    """The page, saved from the one that checks, and opened from disk where there is no network."""

    def __init__(self, reader: Visitor, quiet: QuietService, folder: Path) -> None:
        self._reader, self._file = reader, folder / "verify.html"
        self.key = str(quiet.inside.key)
        self.requests: list[str] = []
        page = reader.visit("/verify")
        with page.expect_download() as download:
            page.get_by_role("link", name="Save verify.html").click()
        download.value.save_as(self._file)

    def open(self, language: str = "en") -> Page:
        """In a browser that cannot reach anything."""
        page = self._reader.visit(language=language, width=PHONE)
        page.context.set_offline(offline=True)
        page.context.on("request", lambda request: self.requests.append(request.url))
        page.goto(self._file.as_uri())
        return page

    def check(self, page: Page, proof: bytes) -> str:
        """The verdict on a file, with the log's key; nothing was asked for but the page itself."""
        choose(page, proof)
        expect(page.locator("#own-trouble")).to_contain_text(NO_KEY[page.evaluate("document.documentElement.lang")])
        page.locator("#own").fill(self.key)
        page.locator("#own-key button[type=submit]").click()
        told = headline(page)
        assert set(self.requests) == {self._file.as_uri()}
        return told


@pytest.fixture
def kept(reader: Visitor, quiet: QuietService, tmp_path: Path) -> Kept:
    """The page to keep."""
    return Kept(reader, quiet, tmp_path)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_kept_page_checks_offline(kept: Kept, quiet: QuietService, language: str) -> None:
    """From the disk, in the reader's language: a proof, with its picture and every step."""
    page = kept.open(language)
    assert kept.check(page, quiet.proof("sic-bo-1", 1)) == FIXED[language]
    expect(page.locator(".verdict.held svg.picture")).to_be_visible()
    assert page.locator("#steps > li.held").count() == page.locator("#steps > li").count() > 0


def test_the_kept_page_checks_a_receipt(kept: Kept, quiet: QuietService) -> None:
    """What was fixed, of a round that is still to come."""
    assert kept.check(kept.open(), quiet.proof("keno-express-1", 9)) == "Fixed, and still to come"


def test_the_kept_page_refuses_a_changed_proof(kept: Kept, quiet: QuietService) -> None:
    """A record in it that says something else than the log; and a proof of another log."""
    page = kept.open()
    proof = quiet.proof("crash-1", 2)
    kept.check(page, re.sub(rb'"revealed":"20..', b'"revealed":"2099', proof))
    expect(page.locator(".verdict.failed")).to_contain_text("inclusion")
    choose(page, proof)
    expect(page.locator(".verdict.held")).to_be_visible()
    with_key(page)
    expect(page.locator(".verdict.failed")).to_be_visible()
