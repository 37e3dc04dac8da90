"""What the page says of every verdict: how it looks, in one sentence, and nothing that a player need not know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

import pytest
from playwright.sync_api import expect

from tests.support.browser.checking import choose, headline
from tests.support.browser.plain import not_plain
from tests.support.browser.quiet_service import QuietService
from tests.support.browser.reports import (
    AWAITING,
    BET,
    COMMITTED,
    FAILURE,
    GIVEN_UP,
    HEADLINE,
    LOCKED,
    NEVER_OPENED,
    PLAYED,
    UNREADABLE,
    VOID,
    Report,
    every_report,
)
from tests.support.browser.visitor import LANGUAGES, Visitor

LOOKS = {"held", "void", "failed", "question", "unknown", "sandbox", "waiting"}
LONGEST_HEADLINE = 64


class Said(TypedDict):
    """What `sayVerdict` returns."""

    look: str
    headline: str
    facts: list[dict[str, object]]
    limits: str | None
    meaning: str | None
    advice: str | None


SAID: Mapping[str, tuple[Report, str, str, list[str]]] = {
    "played": (
        {"verdict": "held"} | PLAYED,
        "held",
        "Nobody changed this result.",
        ["Fixed 5 rounds before yours.", "Bets closed 02, Result published 03", "Checked on this device, not by us."],
    ),
    "one round ahead": (
        {"verdict": "held"} | PLAYED | {"roundsAhead": 1, "lead": 1},
        "held",
        "Nobody changed this result.",
        ["Fixed one round before yours.", "Bets closed 02, Result published 03", "Checked on this device, not by us."],
    ),
    "one round ahead, by a proof file": (
        {"verdict": "held", "kind": "proof"} | PLAYED | {"roundsAhead": 1, "lead": 1},
        "held",
        "Nobody changed this result.",
        [
            "Fixed at least one round before yours.",
            "Bets closed 02, Result published 03",
            "Checked on this device, not by us.",
        ],
    ),
    "a table's first rounds": (
        {"verdict": "held"} | PLAYED | {"roundsAhead": 2, "firstAfter": 1},
        "held",
        "Nobody changed this result.",
        ["Fixed before the table’s first round.", "Bets closed 02, Result published 03", "Checked on this device, not by us."],
    ),
    "void": (
        {"verdict": "held"} | VOID,
        "void",
        "This round does not count.",
        [
            "The reason in the record: “the wheel stuck”",
            "It was called off after the bets were closed. Bets closed 02, Called off 03",
            "Checked on this device, not by us.",
        ],
    ),
    "given up": (
        {"verdict": "held"} | GIVEN_UP,
        "void",
        "This round does not count.",
        [
            "The reason in the record: “the wheel stuck”",
            "It was opened for bets, and called off before they were closed. Opened for bets 01, Called off 02",
            "Checked on this device, not by us.",
        ],
    ),
    "never opened": (
        {"verdict": "held"} | NEVER_OPENED,
        "void",
        "This round does not count.",
        [
            "The reason in the record: “the wheel stuck”",
            "It was called off before it was opened for bets. Called off 02",
            "Checked on this device, not by us.",
        ],
    ),
    "a receipt, awaiting": ({"verdict": "held", "kind": "proof"} | AWAITING, "waiting", "This result was not fixed yet.", []),
    "a receipt, fixed": ({"verdict": "held", "kind": "proof"} | COMMITTED, "waiting", "This result is fixed. The round comes later.", []),
    "a receipt, locked": (
        {"verdict": "held", "kind": "proof"} | LOCKED,
        "waiting",
        "Betting was closed. The result is not in this file.",
        ["Fixed at least 5 rounds before yours.", "Bets closed 02", "Checked on this device, not by us."],
    ),
    "a bet": (
        {"verdict": "held", "kind": "bet"} | PLAYED | BET,
        "held",
        "Your bet was in before the result.",
        ["Your bet: “red 5”, number 2 of 3.", "Bets closed 02, Result published 03", "Checked on this device, not by us."],
    ),
    "a bet, no result": (
        {"verdict": "held", "kind": "bet"} | LOCKED | BET,
        "waiting",
        "Your bet is in. No result is shown yet.",
        ["Your bet: “red 5”, number 2 of 3.", "Bets closed 02", "Checked on this device, not by us."],
    ),
    "a bet on a void round": (
        {"verdict": "held", "kind": "bet"} | VOID | BET,
        "void",
        "This round does not count.",
        [
            "Your bet: “red 5”, number 2 of 3.",
            "The reason in the record: “the wheel stuck”",
            "It was called off after the bets were closed. Bets closed 02, Called off 03",
        ],
    ),
    "evidence": ({"verdict": "held", "kind": "evidence"}, "failed", "Two histories were signed.", []),
    "unknown": ({"verdict": "unknown"} | PLAYED, "unknown", "Not everything can be checked here.", []),
    "newer": ({"verdict": "unknown", "headline": {"code": "nothing-checked"}}, "unknown", "This is newer than the program that checks it.", []),
    "sandbox": ({"verdict": "sandbox"} | PLAYED, "sandbox", "A test, not a real round.", []),
    "mistyped": ({"verdict": "mistyped"}, "question", "This is not a whole round code.", []),
    "not shown": ({"verdict": "not-shown"}, "question", "This round is not shown here.", []),
    "a bet, not shown": ({"verdict": "not-shown", "kind": "bet"}, "question", "The round of this bet is not shown here.", []),
    "its lead not shown": ({"verdict": "not-shown"} | PLAYED, "question", "Not everything about this round is shown here.", []),
    "locked, not shown": ({"verdict": "not-shown"} | LOCKED, "waiting", "Betting is closed. No result is shown yet.", ["Bets closed 02"]),
    "a file before its round": ({"verdict": "not-shown", "kind": "proof"} | COMMITTED, "waiting", "This file ends before its round was played.", []),
    "another key": ({"verdict": "unreadable", "unreadable": UNREADABLE | {"isForeign": True}}, "question", "There is no verdict: the key does not fit.", []),
    "unreadable": ({"verdict": "unreadable", "unreadable": UNREADABLE}, "question", "There is no verdict: a file could not be read.", []),
    "evidence without hashes": ({"verdict": "unreadable", "kind": "evidence", "unreadable": UNREADABLE}, "question", "There is no verdict: the file proves nothing by itself.", []),
}  # fmt: skip
"""A report, and what is said of it; of times only the seconds."""


def say(visitor: Visitor, language: str, reports: list[Report]) -> list[Said]:
    """What the page says in a language of reports, of which everything else is as when a check begins."""
    page = visitor.visit("/verify", language=language)
    given = [{"kind": "code", "headline": HEADLINE, "failure": FAILURE} | dict(report) for report in reports]
    said: list[Said] = page.evaluate(
        """async (given) => {
          const { newReport } = await import("/verifier/report/report.js");
          const { sayVerdict } = await import("/static/checking/say.js");
          return given.map((each) => sayVerdict({ ...newReport(each.kind), ...each }));
        }""",
        given,
    )
    return said


def in_short(fact: dict[str, object]) -> str:
    """A fact with the seconds of its times."""
    times = fact["times"]
    assert isinstance(times, list)
    told = ", ".join(f"{each['words']} {each['time'][17:19]}" for each in times)
    return f"{fact['words']} {told}".strip()


def test_each_verdict_has_its_own_look_and_sentence(reader: Visitor) -> None:
    """And says when, where it is known; what is void, waits, or says nothing about anybody looks so."""
    reports = [report for report, *_ in SAID.values()]
    for (name, (_, *wanted)), said in zip(SAID.items(), say(reader, "en", reports), strict=True):
        assert [said["look"], said["headline"], [in_short(each) for each in said["facts"]]] == wanted, name


@pytest.mark.lattice
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_verdict_is_said_plainly(reader: Visitor, language: str) -> None:
    """Only a round that was played has a tick, whatever was checked of it; no word of the protocol is in sight."""
    reports = every_report()
    for report, said in zip(reports, say(reader, language, reports), strict=True):
        assert said["look"] in LOOKS
        assert (said["look"] == "held") == (report["verdict"] == "held" and report.get("status") == "played"), report
        assert 0 < len(said["headline"]) <= LONGEST_HEADLINE, said["headline"]
        assert len(said["facts"]) <= 3
        assert said["facts"] or said["meaning"] or said["advice"]
        sentences = [said["headline"], said["limits"], said["meaning"], said["advice"], *map(in_short, said["facts"])]
        words = " ".join(sentence for sentence in sentences if sentence)
        assert not_plain(words) == []
        assert "%(" not in words
        assert "undefined" not in words
        assert "null" not in words


@pytest.mark.lattice
@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_in_sight_is_of_the_protocol(reader: Visitor, quiet: QuietService, language: str) -> None:
    """On the page as a whole, without a code, with a round that was played, a void one, and a receipt."""
    page = reader.visit("/verify", language=language)
    assert not_plain(page.locator("main").inner_text()) == []
    for number in (1, 4):
        page.goto(f"/verify#{quiet.code('hi-lo-1', number)}")
        page.reload()
        headline(page)
        assert not_plain(page.locator("main").inner_text()) == []
        # What is exact stands folded.
        assert not_plain(page.locator("main").text_content() or "") != []
    choose(page, quiet.proof("hi-lo-1", 9))
    expect(page.locator(".verdict.waiting")).to_be_visible()
    assert not_plain(page.locator("main").inner_text()) == []
