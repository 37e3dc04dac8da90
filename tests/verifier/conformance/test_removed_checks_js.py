"""A verifier that lacks one check fails conformance: every check of the JavaScript verifier's steps is removed, one
at a time.
"""

from __future__ import annotations

import re

import pytest

from tests.oracles.removed_checks_js import SWITCHED, checks, noticed
from tests.oracles.second_verifier import BROWSER

SHADOWED = {
    "check/lead.js: after.index <= fixed.index": "the hint, which is where the lock stands, was compared with it",
    "check/lead.js: before && before.index >= fixed.index": "the hint, which is where the lock stands, was compared with it",
    'check/proof.js: calls must(this.leadLock || !this.lock, "proof-form", {': "the form demands it of every round but the first",
    "declared/parameters.js: calls demand(number <= MOST_PARAMETERS + 1, `at most": "the names are counted once more",
    'records/replay.js: calls must(last < ROUNDS_END, "batch-last", {': "no log is long enough: batch-first",
    "round/placed.js: record.aside !== undefined": "an aside is of no type that is looked for: round-records",
    "round/proof.js: calls require(/^[a-z0-9-]{1,32}$/.test(name ??": "it is one of the table's custodians",
    "round/proof.js: calls require(commitments.length >= 1 &&": "there are as many as custodians",
    'round/proof.js: calls require(content !== "", `the content': "a record of nothing: record-form",
    "round/proof.js: calls require(note.at(-2) !== 0x0a,": "no note of the log: batch-witnessed",
}
"""How the checks begin that no input can show to be missing, each with what hides it."""
MOST_SHADOWED = 10

_THROWN = re.compile(r"^\s+(?:await )?must\(|^\s+if \(.*\) throw new (?:CheckFailed|NotShown)\(", re.MULTILINE)


def begins(name: str) -> bool:
    """Whether a check is listed, by how its name begins."""
    return any(name.startswith(each) for each in SHADOWED)


def test_few_checks_are_hidden_by_another() -> None:
    """Each is in the source, and says which one hides it."""
    names = checks()
    assert len(SHADOWED) <= MOST_SHADOWED
    for each in SHADOWED:
        assert sum(name.startswith(each) for name in names) == 1, each


def test_the_switches_find_every_check_of_the_usual_form() -> None:
    """A line that begins with ``must(…)``, or with a condition and an error behind it, has one."""
    names = checks()
    for module in SWITCHED:
        lines = len(_THROWN.findall((BROWSER / module).read_text("utf-8")))
        # The function by which all throw, and one in a handler of another kind of error.
        ours = sum(name.startswith(f"{module}: ") for name in names)
        assert ours >= lines - 2 * (module in {"records/rules.js", "records/salts.js"}), module


@pytest.mark.nightly("removes every check in turn")
def test_conformance_notices_each_check_that_is_missing() -> None:
    """Some vector that the check refuses is answered otherwise without it; but for those that are listed."""
    found = noticed()
    assert len(found) > 200
    unnoticed = {name for name, vectors in found.items() if not vectors}
    assert {name for name in found if begins(name)} == unnoticed
