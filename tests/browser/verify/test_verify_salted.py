"""Rounds of tables with a salt, on the page that checks and in the badge: the verdict *unknown* looks like no
other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.house import HOUSE
from tests.support.browser.checking import FIXED, choose, headline, unfold, with_key
from tests.support.browser.game_site import badge_of_a_log
from tests.support.browser.visitor import LANGUAGES, Visitor
from tests.support.log_server import serving
from tests.support.salted_log import BEACON, RECORDS, VKEY, SaltedLog

LOG = SaltedLog()
ROUND = ("crash-s", 6)
"""A round of the salted log, whose beacon nobody has named to a page."""
UNKNOWN = {
    "en": "Not everything can be checked here.",
    "hy": "Այստեղ ամեն ինչ չէ, որ կարելի է ստուգել։",
    "ru": "Здесь можно проверить не всё.",
}
SALTED = "The batch named a pulse of a beacon that is unknown here."


@pytest.fixture(scope="module")
def salted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a salted log."""
    folder: Path = tmp_path_factory.mktemp("salted")
    for path, data in LOG.files().items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    with serving(folder) as address:
        yield address


def colour(element: Locator, name: str) -> str:
    """A colour as the browser computes it."""
    found: str = element.evaluate(f"element => getComputedStyle(element).{name}")
    return found


def verdict_of(page: Page) -> Locator:
    """The verdict, which is neither green nor red, nor in the colour of a log that cannot be read."""
    verdict = page.locator(".verdict.unknown")
    expect(verdict).to_be_visible()
    others = page.evaluate(
        """() => ["held", "failed", "question"].map((state) => {
            const made = document.createElement("div");
            made.className = `verdict ${state}`;
            document.querySelector("#verdict").append(made);
            const { borderTopColor } = getComputedStyle(made);
            made.remove();
            return borderTopColor;
        })"""
    )
    assert colour(verdict, "borderTopColor") not in others
    assert len(set(others)) == len(others)
    return verdict


@pytest.mark.lattice
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_beacon_that_the_page_does_not_know(reader: Visitor, salted: str, language: str) -> None:
    """All steps hold, the outcome is shown, and the verdict says that not everything could be checked, and why."""
    reader.expect_complaint(f"request to another host: {salted}/")
    page = reader.visit(f"/verify?log={salted}#{LOG.code(*ROUND)}", language=language)
    unfold(page)
    page.locator("#own").fill(VKEY)
    page.locator("#own-key button[type=submit], #own-key button:not([type])").first.click()
    assert headline(page) == UNKNOWN[language]
    verdict = verdict_of(page)
    expect(verdict.locator(".outcome-shown")).to_be_visible()
    expect(page.locator("#steps > li.held")).to_have_count(8)
    lists = page.locator("#not-proven section")
    expect(lists).to_have_count(2)
    expect(lists.first.locator("li")).to_have_count(1)
    expect(lists.first).to_contain_text("39077563c36b845cc4f69f51b7b4ac47e75b4a161d4aa542ecdfc27aeff58569")


def test_the_salt_is_shown_and_can_be_computed_again(reader: Visitor, salted: str) -> None:
    """When it was salted, by which round of the beacon, and how the hash of the pulse is computed."""
    reader.expect_complaint(f"request to another host: {salted}/")
    page = reader.visit(f"/verify?log={salted}#{LOG.code(*ROUND)}")
    with_key(page, VKEY)
    headline(page)
    pulse = page.locator("#story li", has_text="The beacon’s pulse")
    expect(pulse).to_contain_text("Round 37 of a beacon that is unknown here")
    expect(pulse.locator("summary time")).to_have_attribute("datetime", "2026-01-02T03:05:08.821Z")
    step = page.locator("#steps > li").nth(3)
    expect(step).to_contain_text(SALTED)
    expect(step.locator(".values").first).to_contain_text("Round of the beacon")
    unfold(page)
    step.locator("summary").click()
    shown = step.locator(".recompute", has=page.locator("h4", has_text="Salt, the hash of the pulse"))
    expect(shown.first).to_contain_text("xxd -r -p | openssl dgst -sha256")


def test_a_receipt_that_awaits_its_salt(reader: Visitor) -> None:
    """Committed, and not fixed: the page says so, and still that the beacon is unknown."""
    page = reader.visit("/verify")
    with_key(page, VKEY)
    choose(page, LOG.proof(*ROUND, stage="batch"))
    assert headline(page) == UNKNOWN["en"]
    expect(page.locator("#story")).to_contain_text("and not fixed yet: its batch awaits the pulse of its beacon")
    assert page.locator("#steps > li.skipped").count() == 2


def test_a_badge_of_an_unknown_beacon(reader: Visitor) -> None:
    """The outcome, a sign that is neither the tick nor the cross, and that not everything could be checked."""
    name, number = ROUND
    badge = badge_of_a_log(reader.visit(), LOG.files(), name, number, LOG.code(name, number), VKEY)
    expect(badge.locator("section.unknown")).to_contain_text("Not everything can be checked here.")
    expect(badge.locator("div.picture > svg[role=img]")).to_be_visible()


def test_a_beacon_that_the_policy_names(reader: Visitor, salted: str) -> None:
    """Its pulses are verified in the browser, and the verdict is the green one."""
    reader.expect_complaint(f"request to another host: {salted}/")
    page = reader.visit(f"/verify?log={salted}#{LOG.code(*ROUND)}")
    with_key(page, f"log {VKEY}\nquorum none\nbeacon {BEACON}\n")
    assert headline(page) == FIXED["en"]
    expect(page.locator("#steps > li").nth(3)).to_contain_text("The beacon signed this pulse")
    expect(page.locator("#not-proven section")).to_have_count(1)
    expect(page.locator("#not-proven")).to_contain_text("the pulse of the beacon came after the commitment")


VECTORS = HOUSE / "tests" / "vectors" / "log-salted"
WITNESSED_FILES = {
    file.relative_to(VECTORS).as_posix(): file.read_bytes()
    for folder in ("witnessed", "custody", "policies")
    for file in (VECTORS / folder).rglob("*")
    if file.is_file()
}
OWN_POLICY = (VECTORS / "policy").read_text()
"""The policy of the program that made the log: two of three witnesses, and the beacon."""
LOG_TIMES = {
    event: json.loads(record)[event]
    for record in RECORDS
    if f'"round":{ROUND[1]},"' in record and f'"table":"{ROUND[0]}"' in record
    for event in ("opened", "locked", "revealed")
    if event in json.loads(record)
}
"""Of the round, by the operator's clock."""


@pytest.fixture
def witnessed(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """The address and the folder of the log with the checkpoint and the files of its own witnesses."""
    for path, data in (LOG.files() | WITNESSED_FILES | {"checkpoint": (VECTORS / "checkpoint").read_bytes()}).items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    with serving(tmp_path) as address:
        yield address, tmp_path


@pytest.mark.lattice
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_story_of_a_witnessed_round(reader: Visitor, witnessed: tuple[str, Path], language: str) -> None:
    """Six events in their order, each with its time and what proves it, on the narrowest phone, in the dark."""
    log, _ = witnessed
    reader.expect_complaint(f"request to another host: {log}/")
    page = reader.visit(f"/verify?log={log}#{LOG.code(*ROUND)}", language=language, width=320, scheme="dark")
    unfold(page)
    page.locator("#own").fill(OWN_POLICY)
    page.locator("#own-key button").first.click()
    assert headline(page) == FIXED[language]
    unfold(page)
    events = page.locator("#story ol > li")
    expect(events).to_have_count(6)
    assert page.locator("#story ol > li.done").count() == 6
    times = [each.get_attribute("datetime") for each in page.locator("#story ol time").all()]
    assert times == [
        "2026-01-02T03:04:05.004Z",
        "2026-01-02T03:04:05Z",
        "2026-01-02T03:04:06Z",
        "2026-01-02T03:05:08Z",
        *(LOG_TIMES[event] for event in ("opened", "locked", "revealed")),
    ]
    expect(events.nth(1).locator(".witnesses li")).to_have_count(2)
    expect(events.nth(1)).to_contain_text("regulator")
    events.nth(1).locator("summary").click()
    expect(events.nth(1).locator("pre")).to_contain_text("c2sp.org/tlog-proof@v1")
    for at, kind in ((0, "batch"), (2, "salt"), (4, "lock"), (5, "reveal")):
        events.nth(at).locator("summary").click()
        expect(events.nth(at).locator("pre")).to_contain_text(f'"type":"{kind}"')
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


CUSTODIANS = {"en": "Custodians", "hy": "Պահապաններ", "ru": "Хранители"}


@pytest.mark.lattice
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_custodians_said_is_told_in_the_readers_language(
    reader: Visitor, witnessed: tuple[str, Path], language: str
) -> None:
    """Their quorums too: the witnesses that the reader's own policy names, and how many it does not."""
    log, _ = witnessed
    reader.expect_complaint(f"request to another host: {log}/")
    page = reader.visit(f"/verify?log={log}#{LOG.code(*ROUND)}", language=language)
    of_two = OWN_POLICY.replace(
        next(line for line in OWN_POLICY.splitlines(keepends=True) if " press " in line), "", 1
    )
    unfold(page)
    page.locator("#own").fill(of_two.replace(" lab press", " lab"))
    page.locator("#own-key button").first.click()
    assert headline(page) == FIXED[language]
    told = page.locator("#story dt, #story dd").all_text_contents()
    said = [text for name, text in pairwise(told) if name == CUSTODIANS[language]]
    assert len(said) >= 2
    assert all("house" in text for text in said)
    assert "regulator, lab" in said[1]
    for text in said:
        assert bool(re.search(r"\b(?:and|of|witness|policy|seed)\b", text)) is (language == "en"), text
    if language == "en":
        assert any("your policy does not name" in text for text in said)


def test_without_a_policy_nobody_was_asked(reader: Visitor, witnessed: tuple[str, Path]) -> None:
    """The story says what was left out, and what to give."""
    log, _ = witnessed
    reader.expect_complaint(f"request to another host: {log}/")
    page = reader.visit(f"/verify?log={log}#{LOG.code(*ROUND)}")
    with_key(page, f"{OWN_POLICY.split()[1]}")
    assert headline(page) == UNKNOWN["en"]
    event = page.locator("#story ol > li").nth(1)
    expect(event).to_contain_text("Not checked. Use a policy in the place of the key")
    assert event.get_attribute("class") is None


def test_a_batch_that_nobody_saw_is_refused(reader: Visitor, witnessed: tuple[str, Path]) -> None:
    """It may be the fault of the copy: the page accuses nobody yet, and says what to do."""
    log, folder = witnessed
    for path in WITNESSED_FILES:
        (folder / path).unlink()
    reader.expect_complaint(f"request to another host: {log}/")
    reader.expect_complaint("status of 404")
    page = reader.visit(f"/verify?log={log}#{LOG.code(*ROUND)}")
    with_key(page, OWN_POLICY)
    assert headline(page) == "Too few outside witnesses had confirmed this in time."
    expect(page.locator("#story")).to_contain_text("batch-witnessed")
    expect(page.locator("#story ol")).to_have_count(0)
