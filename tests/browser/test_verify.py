"""The page that checks: a round to its end, and a forged log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from fairness.round_code import RoundCode
from tests.browser.quiet_service import QuietService, quiet_service
from tests.browser.visitor import PATIENCE_MILLISECONDS, Visitor
from tests.dishonest_operator import KEY, Operator
from tests.log_server import serving

expect.set_options(timeout=PATIENCE_MILLISECONDS)

VKEY = str(KEY.verifier_key)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QuietService]:
    """A service that stands still."""
    with quiet_service(tmp_path_factory.mktemp("verify") / "data") as running:
        yield running


@pytest.fixture
def visitor(browser: Browser, service: QuietService) -> Iterator[Visitor]:
    """Opens its pages, and complains."""
    visitor = Visitor(browser, service.url)
    yield visitor
    visitor.close()


def headline(page: Page) -> str:
    """The verdict, once there is one."""
    verdict = page.locator(".verdict:not(.working) h2")
    expect(verdict).to_be_visible()
    return verdict.inner_text()


def test_it_works_with_the_keyboard_alone(visitor: Visitor, service: QuietService) -> None:
    """Type or paste, and Enter; then to the first step's bytes. A code may stand in a link, with space around it."""
    code = service.code("sic-bo-1", 1)
    page = visitor.visit("/verify")
    page.locator("#code").focus()
    page.keyboard.insert_text(f"  https://fore.example/verify#{code[:20]}\n{code[20:]} ")
    page.keyboard.press("Enter")
    assert headline(page) == "Fixed before the round"
    assert page.url.endswith(f"/verify#{code}")
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.tagName") == "SUMMARY":
            break
    page.keyboard.press("Enter")
    expect(page.locator("#steps details[open] .recompute").first).to_be_visible()
    assert page.locator("#verdict").get_attribute("aria-live") == "polite"


def with_key(page: Page, vkey: str = VKEY) -> None:
    """Give the log's key."""
    page.locator("#own").fill(vkey)
    page.get_by_role("button", name="Use and remember it").click()


def lying_log(folder: Path, tell: Callable[[Operator], object]) -> str:
    """A log with a lie about the third round of keno-1; gives the round's code, as its operator gives it out."""
    operator = Operator()
    operator.table("keno-1", "keno-express")
    operator.batch("keno-1", 20)
    operator.play("keno-1", 2)
    tell(operator)
    operator.play("keno-1", 2)
    operator.write(folder)
    table = operator.tables["keno-1"]
    return str(RoundCode.of(table.game, table.table_id, 3, table.seeds_of(3)))


def false_outcome(operator: Operator) -> None:
    operator.lock("keno-1")
    operator.reveal("keno-1", outcome={"number": 101})


def revealed_before_lock(operator: Operator) -> None:
    operator.lock("keno-1")
    operator.reveal("keno-1", revealed="2026-11-20T22:49:02.000Z")


@pytest.mark.parametrize(
    ("tell", "check", "words"),
    [
        (false_outcome, "outcome", "the outcome is what the rules make of the seeds"),
        (revealed_before_lock, "time-order", "no time of a table is before"),
    ],
    ids=["a false outcome", "a false time"],
)
def test_a_forged_log_is_refused(
    visitor: Visitor, tmp_path: Path, tell: Callable[[Operator], object], check: str, words: str
) -> None:
    """At another address, with its key; the check that fails is named, with what was expected and what was found."""
    code = lying_log(tmp_path, tell)
    with serving(tmp_path) as log:
        visitor.expect_complaint(f"request to another host: {log}/")
        page = visitor.visit(f"/verify?log={log}#{code}")
        expect(page.locator("#own-trouble")).to_contain_text("Give the log’s key first")
        with_key(page)
        assert headline(page) == "Refused: a rule is broken"
        verdict = page.locator(".verdict.failed")
        for part in (words, check, "Expected", "Found"):
            expect(verdict).to_contain_text(part)
        assert page.locator("#steps > li.failed").count() == 1
        assert page.locator("#not-proven li").count() == 0
