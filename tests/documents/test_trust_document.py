"""docs/trust.md is true: what its quorums are worth is what the policy's code counts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fairness.log.notes import SigningKey
from fairness.policy.policy import Policy
from tests.support.documents import PAGES, fenced
from tests.support.witnesses import Cosigner

PAGE = PAGES[Path("docs/trust.md")]
KEY = SigningKey("fore.example/log", bytes(32))
NAMES = ("lab", "press", "regulator", "university")


def policy(groups: str) -> Policy:
    """A policy with these groups over some witnesses."""
    named = [name for name in NAMES if re.search(rf"\b{name}\b", groups)]
    lines = [f"log {KEY.verifier_key}", *(f"witness {name} {Cosigner(name).key}" for name in named)]
    return Policy.parse(("\n".join(lines) + f"\n{groups}").encode())


def groups_only() -> list[str]:
    """The examples that show only groups and the quorum."""
    return [block for block in fenced(PAGE, "text") if block.startswith("group ")]


@pytest.mark.parametrize(
    "row", re.findall(r"^\| (\d) of (\d) \| (\d) \| (\d) \| (\d) \| (\d) \|$", PAGE, re.MULTILINE)
)
def test_the_table_of_quorums(row: tuple[str, ...]) -> None:
    """What any two share, the liars for two histories and for any time, and the absent ones that stop play."""
    asked, count, shared, forking, dating, stopping = map(int, row)
    names = " ".join(f"w{each}" for each in range(count))
    lines = "".join(f"witness {each} {Cosigner(each).key}\n" for each in names.split())
    text = f"log {KEY.verifier_key}\n{lines}group all-of-them {asked} {names}\nquorum all-of-them\n"
    quorum = Policy.parse(text.encode()).quorum
    assert quorum is not None
    assert (quorum.least_shared, quorum.least, quorum.least_missing) == (shared, dating, stopping)
    assert forking == shared


def test_an_exchanged_witness_keeps_old_batches_and_costs_the_shared_one() -> None:
    """The example's new policy accepts the lines of old and of new batches; two quorums of it may share nobody."""
    _, exchanged = groups_only()
    trust = policy(exchanged)
    quorum = trust.quorum
    assert quorum is not None
    by_name = {each.name: each for each in trust.witnesses}
    for sufficient in ("lab press", "lab university", "regulator university"):
        assert quorum.is_met_by([by_name[name] for name in sufficient.split()])
    assert not quorum.is_met_by([by_name["press"], by_name["university"]])
    assert quorum.least_shared == 0


def test_groups_in_groups() -> None:
    """The regulator, and two of three others: any two quorums share the regulator and another."""
    nested, _ = groups_only()
    quorum = policy(nested).quorum
    assert quorum is not None
    assert (quorum.least, quorum.least_shared) == (3, 2)
