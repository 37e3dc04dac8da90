"""Helpers of the tests of the page /verify: its verdict, and logs with a lie."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from fairness.player.round_code import RoundCode
from tests.support.dishonest_operator import KEY, Operator

FIXED = {
    "en": "Nobody changed this result.",
    "hy": "Այս արդյունքը ոչ ոք չի փոխել։",
    "ru": "Этот результат никто не менял.",
}
"""The verdict on a round that was played, in every language."""
VOID = {"en": "This round does not count.", "hy": "Այս ռաունդը չի հաշվվում։", "ru": "Этот раунд не в счёт."}
"""The verdict on a void one."""
VKEY = str(KEY.verifier_key)
TABLE, ROUND = "keno-1", 3

Tell = Callable[[Operator], object]


def headline(page: Page) -> str:
    """The verdict, once there is one."""
    verdict = page.locator(".verdict:not(.working) h1")
    expect(verdict).to_be_visible()
    return verdict.inner_text()


def unfold(page: Page) -> None:
    """Unfold what stands below the verdict."""
    page.evaluate("() => { for (const fold of document.querySelectorAll('details.fold')) fold.open = true; }")


def choose(page: Page, file: bytes, name: str = "round.proof") -> None:
    """Choose a file."""
    page.set_input_files("#file", {"name": name, "mimeType": "text/plain", "buffer": file})


def with_key(page: Page, vkey: str = VKEY) -> None:
    """Enter the log's key."""
    unfold(page)
    page.locator("#own").fill(vkey)
    page.get_by_role("button", name="Use and remember it").click()


def honest(operator: Operator) -> None:
    """Tell no lie."""
    operator.play(TABLE)


def log_of(folder: Path, tell: Tell) -> str:
    """Write a log whose third round ``tell`` makes; returns the round's code as its operator gives it to players."""
    operator = Operator()
    operator.table(TABLE, "keno-express")
    operator.batch(TABLE, 20)
    operator.play(TABLE, ROUND - 1)
    tell(operator)
    operator.play(TABLE, 2)
    operator.write(folder)
    return code_of(operator, ROUND)


def code_of(operator: Operator, number: int) -> str:
    """The code of any round, including one that has not ended."""
    table = operator.tables[TABLE]
    return str(RoundCode.of(table.game, table.table_id, number, table.seeds_of(number)))
