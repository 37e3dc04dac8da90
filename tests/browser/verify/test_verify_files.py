"""Proof files in a browser: on the page /verify, and offline in the page that players keep."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from fairness.hashing import sha256
from fairness.log.notes import SigningKey
from fairness.player.bets import digest, receipts
from tests.support.browser.checking import FIXED, VKEY, choose, headline, unfold, with_key
from tests.support.browser.quiet_service import QuietService
from tests.support.browser.visitor import LANGUAGES, PHONE, Visitor
from tests.support.calls import call_of
from verifier.cli import parser

NO_KEY = {"en": "Give the log’s key first", "hy": "բանալի", "ru": "ключ"}
"""What is fetched before anything is checked."""


def test_a_proof_file_is_checked_and_confronted_with_the_log(reader: Visitor, quiet: QuietService) -> None:
    """Chosen or dropped, including receipts. The page reports what the log has now."""
    page = reader.visit("/verify")
    choose(page, quiet.proof("rocketon-1", 2))
    assert headline(page) == FIXED["en"]
    expect(page.locator("#story")).to_contain_text("continues the log of the file")
    page.evaluate(
        """text => {
            const data = new DataTransfer();
            data.items.add(new File([text], "receipt.proof"));
            document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data }));
        }""",
        quiet.proof("rocketon-1", 9).decode(),
    )
    expect(page.locator(".verdict h1")).to_have_text("This result is fixed. The round comes later.")
    assert page.locator("#steps > li.skipped").count() == 2
    choose(page, quiet.proof("rocketon-1", 2).replace(b"\nround ", b"\nround  ", 1))
    expect(page.locator(".verdict.failed h1")).to_have_text("This file is damaged, or made up.")


def test_the_address_names_no_other_round_than_the_files(reader: Visitor, quiet: QuietService) -> None:
    """It is printed with the verdict: the code that was checked before is no longer in it."""
    page = reader.visit(f"/verify#{quiet.code('rocketon-1', 1)}")
    assert headline(page) == FIXED["en"]
    choose(page, quiet.proof("rocketon-1", 2))
    expect(page.locator("#story")).to_contain_text("continues the log of the file")
    assert page.url == f"{quiet.url}/verify"
    page.emulate_media(media="print")
    expect(page.locator(".printed").first).to_contain_text(f"{quiet.url}/verify")
    expect(page.locator("body")).not_to_contain_text("/verify#")


def test_a_file_that_was_helped_on_its_way_holds_and_the_page_says_so(reader: Visitor, quiet: QuietService) -> None:
    """A byte order mark and line ends of Windows, as editors and mail programs leave them."""
    page = reader.visit("/verify")
    choose(page, b"\xef\xbb\xbf" + quiet.proof("rocketon-1", 2).replace(b"\n", b"\r\n"))
    assert headline(page) == FIXED["en"]
    noticed = page.locator("#not-proven section").first
    expect(noticed.locator("h2")).to_have_text("Noticed")
    expect(noticed.locator("li")).to_contain_text(["a byte order mark", "line ends of Windows"])
    choose(page, quiet.proof("rocketon-1", 2))
    expect(page.locator("#not-proven")).not_to_contain_text("Noticed")


BETS = [b"c05e88d1 red 500 AMD", b"7f3a19c2 <b>hi</b> 200 AMD", b"\xff\x00\x1b"]


def test_the_receipt_of_a_bet_is_checked_with_the_log(reader: Visitor, quiet: QuietService) -> None:
    """Before and after the outcome is public; for a bet that was not fixed, and for a round that is not open yet."""
    inside, table = quiet.inside, "hi-lo-1"
    number = inside.state(table).next_round
    inside.open(table, number)
    inside.service.rounds.lock(table, number, digest(BETS), call=call_of(table, number))
    inside.settle()
    mine, other, unseen = receipts_of(quiet, table, number, BETS)
    page = reader.visit("/verify")
    choose(page, other, "my.bet")
    assert headline(page) == "Your bet is in. No result is shown yet."
    expect(page.locator(".verdict")).not_to_contain_text("published")
    expect(page.locator("#not-proven")).to_contain_text("Whether the outcome is public")
    expect(page.locator("#story dl")).to_contain_text("7f3a19c2 <b>hi</b> 200 AMD")
    expect(page.locator("#story dl")).to_contain_text("2 of 3")
    assert (page.locator("#steps > li.held").count(), page.locator("#steps > li").count()) == (5, 6)
    inside.reveal(table, number)
    inside.settle()
    choose(page, mine, "my.bet")
    expect(page.locator("#story")).to_contain_text("before the outcome was published")
    # Another check shows the outcome.
    assert page.locator(".verdict svg.picture, #bets *").count() == 0
    choose(page, unseen, "my.bet")
    expect(page.locator("#story dl")).to_contain_text("ff001b")
    choose(page, receipts_of(quiet, table, number, [b"c05e88d1 black 500 AMD", *BETS[1:]])[0], "my.bet")
    expect(page.locator(".verdict.failed h1")).to_have_text("This bet is not among those that were in.")
    choose(page, receipts_of(quiet, table, number + 1, BETS)[0], "my.bet")
    expect(page.locator(".verdict.question h1")).to_have_text("The round of this bet is not shown here.")
    choose(page, mine.replace(b"count 3", b"count 03"), "my.bet")
    expect(page.locator(".verdict.failed h1")).to_have_text("This file is damaged, or made up.")


def receipts_of(quiet: QuietService, table: str, number: int, lines: list[bytes]) -> list[bytes]:
    """The receipts that an engine gives to the players of a round."""
    table_id = quiet.inside.state(table).table_id
    return [bytes(receipt) for receipt in receipts(lines, table_id=table_id, round_number=number)]


class Kept:
    """The page, saved from /verify, and opened from disk without a network."""

    def __init__(self, reader: Visitor, quiet: QuietService, folder: Path) -> None:
        self._reader, self._file = reader, folder / "verify.html"
        self.key = str(quiet.inside.key)
        self.requests: list[str] = []
        page = reader.visit("/verify")
        with page.expect_download() as download:
            page.get_by_role("link", name="Save verify.html").click()
        download.value.save_as(self._file)

    def open(self, language: str = "en") -> Page:
        """Open it in a browser without a network."""
        page = self._reader.visit(language=language, width=PHONE)
        page.context.set_offline(offline=True)
        page.context.on("request", lambda request: self.requests.append(request.url))
        page.goto(self._file.as_uri())
        return page

    def check(self, page: Page, proof: bytes) -> str:
        """The verdict on a file, with the log's key; nothing but the page itself was requested."""
        choose(page, proof)
        expect(page.locator(".verdict.question h1")).to_contain_text(
            NO_KEY[page.evaluate("document.documentElement.lang")]
        )
        unfold(page)
        page.locator("#own").fill(self.key)
        page.locator("#own-key button[type=submit]").click()
        told = headline(page)
        assert set(self.requests) == {self._file.as_uri()}
        return told


@pytest.fixture
def kept(reader: Visitor, quiet: QuietService, tmp_path: Path) -> Kept:
    """The page to keep."""
    return Kept(reader, quiet, tmp_path)


@pytest.mark.lattice
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_kept_page_checks_offline(kept: Kept, quiet: QuietService, language: str) -> None:
    """From disk, in the reader's language: a proof, with its picture and every step."""
    page = kept.open(language)
    assert kept.check(page, quiet.proof("sic-bo-1", 1)) == FIXED[language]
    expect(page.locator(".verdict.held svg.picture")).to_be_visible()
    assert page.locator("#steps > li.held").count() == page.locator("#steps > li").count() > 0


def test_on_the_kept_page_a_bet_needs_the_file_of_what_it_pays(kept: Kept, quiet: QuietService) -> None:
    """No proof file has it, so it is chosen; another one settles nothing."""
    page = kept.open()
    assert kept.check(page, quiet.proof("sic-bo-1", 1)) == FIXED["en"]
    expect(page.locator("#bets form")).to_have_count(0)
    unfold(page)
    files = {path.name: path.read_bytes() for path in (quiet.inside.settings.folder / "log" / "paytables").iterdir()}
    (name,) = (name for name in files if f"paytables/{name}" in page.locator("#bets label").inner_text())
    page.set_input_files("#paytable", {"name": name, "mimeType": "text/plain", "buffer": files[name]})
    page.locator("#bet-text").fill("small")
    page.locator("#bets form button").click()
    expect(page.locator("#bets .notice strong")).to_contain_text("The bet ")
    choose(page, quiet.proof("sic-bo-1", 2))
    expect(page.locator("#bets label").first).to_contain_text(name)
    unfold(page)
    page.set_input_files("#paytable", {"name": name, "mimeType": "text/plain", "buffer": files[name] + b" "})
    expect(page.locator("#bets .notice.bad")).to_contain_text("paytable-file")


def test_on_the_kept_page_a_file_says_of_which_of_several_logs_it_is(kept: Kept, quiet: QuietService) -> None:
    """The page has no log, so there is no address that could."""
    other = SigningKey("other.example/log", sha256(b"another log's key")).verifier_key
    kept.key = f"log {other}\nlog {kept.key}\nquorum none\n"
    assert kept.check(kept.open(), quiet.proof("sic-bo-1", 1)) == FIXED["en"]


def test_the_kept_page_names_the_receipt_of_a_bet(kept: Kept) -> None:
    """It has no log to check it with, so it names the command that does, whatever the file's name is."""
    (receipt,) = receipts([b"a bet"], table_id=bytes(32), round_number=2)
    page = kept.open()
    choose(page, bytes(receipt), "my bet's receipt.bet")
    assert headline(page) == "This is the receipt of a bet."
    command = page.locator(".verdict dd").inner_text()
    words = shlex.split(command.replace("KEY", VKEY))
    assert words[:3] == ["foredraw-verify", "bet", "my bet's receipt.bet"]
    parser().parse_args(words[1:])


def test_the_kept_page_checks_a_receipt(kept: Kept, quiet: QuietService) -> None:
    """What was fixed for a round that has not been opened."""
    assert kept.check(kept.open(), quiet.proof("keno-express-1", 9)) == "This result is fixed. The round comes later."


def test_the_kept_page_refuses_a_changed_proof(kept: Kept, quiet: QuietService) -> None:
    """A changed record, or a proof of another log."""
    page = kept.open()
    proof = quiet.proof("crash-1", 2)
    kept.check(page, re.sub(rb'"revealed":"20..', b'"revealed":"2099', proof))
    expect(page.locator("#story")).to_contain_text("inclusion")
    choose(page, proof)
    expect(page.locator(".verdict.held")).to_be_visible()
    with_key(page)
    expect(page.locator(".verdict.question")).to_contain_text("not signed by the key that is used here")
