"""The page /verify against fraud: a forged log, an unreadable one, and one that contradicts an earlier visit."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import expect

from fairness.player.round_code import RoundCode
from tests.support.browser.checking import (
    FIXED,
    ROUND,
    TABLE,
    Tell,
    choose,
    code_of,
    headline,
    honest,
    log_of,
    unfold,
    with_key,
)
from tests.support.browser.quiet_service import QuietService
from tests.support.browser.visitor import Visitor
from tests.support.dishonest_operator import KEY, Operator
from tests.support.log_server import serving
from verifier.forks.evidence import check_evidence
from verifier.output.forks import evidence_steps

A_YEAR_AGO = time.time() - 365 * 86400
RULE, NOT_SIGNED = "A rule was broken.", "What arrived here is not what was signed."


def false_outcome(operator: Operator) -> None:
    operator.lock(TABLE)
    operator.reveal(TABLE, outcome={"number": 101})


def revealed_before_lock(operator: Operator) -> None:
    operator.lock(TABLE)
    operator.reveal(TABLE, revealed="2026-11-20T22:49:02.000Z")


def spoilt_record(folder: Path) -> None:
    (bundle,) = folder.glob("tile/entries/000.p/*")
    bundle.write_bytes(bundle.read_bytes().replace(b'"outcome":', b'"outcomf":'))


def other_size(folder: Path) -> None:
    note = (folder / "checkpoint").read_text("utf-8").split("\n")
    note[1] = str(int(note[1]) - 1)
    (folder / "checkpoint").write_text("\n".join(note), "utf-8")


def of_one_age(folder: Path) -> None:
    """Make all files a year old: browsers cache such files for long, and a server that compares times sees no
    change.
    """
    for path in folder.rglob("*"):
        os.utime(path, (A_YEAR_AGO, A_YEAR_AGO))


@pytest.mark.parametrize(
    ("tell", "spoil", "check", "kind", "words"),
    [
        (
            false_outcome,
            None,
            "outcome",
            "The result is not the one that was fixed.",
            "the outcome is what the rules make of the seeds",
        ),
        (revealed_before_lock, None, "time-order", RULE, "no time of a table is before"),
        (honest, spoilt_record, "bundle", NOT_SIGNED, "a bundle has whole records"),
        (honest, other_size, "note-signature", NOT_SIGNED, "the log's key signed the note"),
    ],
    ids=["a false outcome", "a false time", "a changed record", "a forged signature"],
)
def test_a_forged_log_is_refused(
    reader: Visitor,
    tmp_path: Path,
    tell: Tell,
    spoil: Callable[[Path], None] | None,
    check: str,
    kind: str,
    words: str,
) -> None:
    """At another address, with its key; the page names the failed check, what was expected and what was found."""
    code = log_of(tmp_path, tell)
    if spoil:
        spoil(tmp_path)
    with serving(tmp_path) as log:
        reader.expect_complaint(f"request to another host: {log}/")
        page = reader.visit(f"/verify?log={log}#{code}")
        expect(page.locator(".verdict.question h1")).to_contain_text("Give the log’s key first")
        with_key(page)
        assert headline(page) == kind
        proven = page.locator("#story")
        for part in (words.replace("'", "’"), check, "Expected", "Found"):
            expect(proven).to_contain_text(part)
        assert page.locator("#steps > li.failed").count() == 1
        assert page.locator("#not-proven li").count() == 0


def no_hint(folder: Path) -> None:
    """A false finding aid, which nobody signs: it points at the round's lock and reveal, but at no batch."""
    (aid,) = folder.glob("find/rounds/*/*/000")
    entries, at = aid.read_bytes(), 32 * (ROUND - 1)
    aid.write_bytes(entries[:at] + bytes(8) + entries[at + 8 :])


def other_commitments(folder: Path) -> None:
    (file,) = folder.glob("commitments/*/*")
    file.write_bytes(file.read_bytes()[:-1] + b"\0")


def of_another_seed(code: str) -> str:
    """A code with another seed, which anybody can make."""
    true = RoundCode.parse(code)
    return str(replace(true, seeds=(bytes(32),)))


@pytest.mark.parametrize(
    ("spoil", "code_of_it", "headline_of_it"),
    [
        (no_hint, str, "This round is not shown here."),
        (other_commitments, str, "A file is missing here, or false."),
        (of_one_age, of_another_seed, "This code is not of this round."),
    ],
    ids=["a false finding aid", "false commitments", "a code that is made up"],
)
def test_what_the_operator_did_not_sign_accuses_nobody(
    reader: Visitor,
    tmp_path: Path,
    spoil: Callable[[Path], None],
    code_of_it: Callable[[str], str],
    headline_of_it: str,
) -> None:
    """Files and codes that anybody can replace are refused, but not attributed to the operator."""
    code = code_of_it(log_of(tmp_path, honest))
    spoil(tmp_path)
    with serving(tmp_path) as log:
        reader.expect_complaint(f"request to another host: {log}/")
        page = reader.visit(f"/verify?log={log}#{code}")
        with_key(page)
        assert headline(page) == headline_of_it
        expect(page.locator(".verdict")).not_to_contain_text("The log’s key signed this")


def test_the_text_of_a_log_is_only_text(reader: Visitor, tmp_path: Path) -> None:
    """Signed or not, a log's text is shown literally, whether it holds or is refused."""
    hostile = '<img src=x onerror=alert(1)></script>{{7*7}} "&amp;'

    def void(operator: Operator) -> None:
        operator.lock(TABLE)
        operator.void(TABLE, reason=hostile)

    def no_outcome(operator: Operator) -> None:
        operator.lock(TABLE)
        operator.reveal(TABLE, outcome={"number": hostile})

    for number, (tell, shown) in enumerate([(void, ".verdict.void"), (no_outcome, "#story")]):
        code = log_of(tmp_path / str(number), tell)
        with serving(tmp_path / str(number)) as log:
            reader.expect_complaint(f"request to another host: {log}/")
            page = reader.visit(f"/verify?log={log}#{code}")
            with_key(page)
            expect(page.locator(shown)).to_contain_text("onerror=alert(1)></script>{{7*7}}")
            assert page.locator("main img").count() == 0


def test_a_log_that_cannot_be_read_is_no_fraud(reader: Visitor, tmp_path: Path) -> None:
    """It is a third state, with separate words."""
    code = log_of(tmp_path, honest)
    shutil.rmtree(tmp_path / "tile" / "entries")
    with serving(tmp_path) as log:
        reader.expect_complaint(f"request to another host: {log}/")
        reader.expect_complaint("404")
        page = reader.visit(f"/verify?log={log}#{code}")
        with_key(page)
        assert headline(page) == "There is no verdict: a file could not be read."
        expect(page.locator(".verdict.question")).to_contain_text("nobody has been shown to cheat")
        assert page.locator("#steps > li.failed").count() == 0


def test_a_round_that_has_not_ended_has_no_code(reader: Visitor, tmp_path: Path) -> None:
    """The code of an unopened round is either leaked or invented: the page says so, and what that means about its
    source.
    """
    early = ""

    def tell(operator: Operator) -> None:
        nonlocal early
        early = code_of(operator, ROUND + 3)

    log_of(tmp_path, tell)
    with serving(tmp_path) as log:
        reader.expect_complaint(f"request to another host: {log}/")
        page = reader.visit(f"/verify?log={log}#{early}")
        with_key(page)
        assert headline(page) == "This round is not shown here."


def test_a_round_that_is_locked_waits(reader: Visitor, tmp_path: Path) -> None:
    """The log shows when its bets were closed, and no result: neither a tick nor a cross."""
    operator = Operator()
    operator.table(TABLE, "keno-express")
    operator.batch(TABLE, 20)
    operator.play(TABLE, ROUND - 1)
    operator.lock(TABLE)
    operator.write(tmp_path)
    with serving(tmp_path) as log:
        reader.expect_complaint(f"request to another host: {log}/")
        page = reader.visit(f"/verify?log={log}#{code_of(operator, ROUND)}")
        with_key(page)
        assert headline(page) == "Betting is closed. No result is shown yet."
        expect(page.locator(".verdict.waiting .shows time")).to_have_count(1)


def test_a_rewritten_log_is_an_alarm_with_evidence(reader: Visitor, tmp_path: Path) -> None:
    """What was seen at one visit is remembered at the next; the file convinces anybody with the key."""
    folder = tmp_path / "log"
    code = log_of(folder, honest)
    of_one_age(folder)
    with serving(folder) as log:
        reader.expect_complaint(f"request to another host: {log}/")
        page = reader.visit(f"/verify?log={log}#{code}")
        with_key(page)
        assert headline(page) == FIXED["en"]
        expect(page.locator("#memory")).to_contain_text("still continues what it was")

        def void_instead(operator: Operator) -> None:
            operator.lock(TABLE)
            operator.void(TABLE)

        shutil.rmtree(folder)
        log_of(folder, void_instead)
        of_one_age(folder)
        page.reload()
        expect(page.locator("#alarm")).to_contain_text("its history was rewritten")
        with page.expect_download() as download:
            page.get_by_role("link", name="Save the evidence").click()
        evidence = Path(download.value.path()).read_bytes()
        choose(page, evidence, "fork.txt")
        assert headline(page) == "Two histories were signed."
        assert page.locator("#steps > li.held").count() == len(
            evidence_steps(check_evidence(evidence, KEY.verifier_key, name="evidence"))
        )
        expect(page.locator("#not-proven li")).to_have_count(2)
        choose(page, evidence + b"\n\n", "fork.txt")
        expect(page.locator(".verdict.failed h1")).to_have_text("This file is damaged, or made up.")
        _head, smaller, signature, *_ = evidence.split(b"\n\n")
        choose(page, b"\n\n".join([b"foredraw/v1/fork", smaller, signature, smaller, signature]) + b"\n", "fork.txt")
        expect(page.locator(".verdict.failed h1")).to_have_text("This file proves nothing against anybody.")


def three_more(operator: Operator) -> None:
    operator.play(TABLE, 4)


def test_an_older_copy_is_no_alarm(reader: Visitor, tmp_path: Path) -> None:
    """Nobody is accused; both signed checkpoints can be saved, and what was seen stays remembered."""
    folder = tmp_path / "log"
    code = log_of(folder, three_more)
    seen = (folder / "checkpoint").read_text("utf-8")
    of_one_age(folder)
    with serving(folder) as log:
        reader.expect_complaint(f"request to another host: {log}/")
        page = reader.visit(f"/verify?log={log}#{code}")
        with_key(page)
        expect(page.locator("#memory")).to_contain_text("still continues what it was")
        shutil.rmtree(folder)
        assert log_of(folder, honest) == code
        of_one_age(folder)
        for _ in range(2):
            page.reload()
            expect(page.locator("#alarm .notice.caution")).to_contain_text("It may be an older copy")
            expect(page.locator("#alarm .notice.bad")).to_have_count(0)
        reader.expect_complaint("404")
        assert headline(page) == FIXED["en"]
        with page.expect_download() as download:
            page.get_by_role("link", name="Save both heads").click()
        assert Path(download.value.path()).read_text("utf-8").endswith(seen)


def test_another_key_than_remembered_is_an_alarm(reader: Visitor, quiet: QuietService) -> None:
    """The remembered key is used; the reader's own has precedence over the page's."""
    page = reader.visit(f"/verify#{quiet.code('crash-1', 1)}")
    assert headline(page) == FIXED["en"]
    with_key(page)
    expect(page.locator("#alarm")).to_contain_text(
        "The key on this page is not the one that you gave. Yours is used."
    )
    assert headline(page) == "There is no verdict: the key does not fit."
    page.reload()
    expect(page.locator("#alarm")).to_contain_text("The key on this page is not the one that you gave.")
    unfold(page)
    page.get_by_role("button", name="Forget this log").click()
    expect(page.locator("#alarm")).to_be_empty()
    with_key(page, "no key")
    expect(page.locator("#own-trouble")).to_contain_text("This is not a log’s key.")
