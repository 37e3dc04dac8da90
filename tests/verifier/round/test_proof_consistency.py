"""A fork in hand is never held: proof files that another program made, in both languages, by a policy and by a bare
key (SPEC 8.6).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from fairness.errors import CheckFailed
from fairness.log.notes import VerifierKey
from fairness.policy.policy import Policy, Trust
from tests.house import HOUSE
from tests.oracles.second_verifier import SecondVerifier
from verifier.forks.evidence import check_evidence
from verifier.forks.extension import NotAnExtension
from verifier.round.proof_check import check_proof

VECTORS: dict[str, Any] = json.loads((HOUSE / "tests" / "vectors" / "proof-consistency.json").read_text())
CASES = VECTORS["cases"]
TRUSTS: dict[str, Trust] = {
    "policy": Policy.parse(VECTORS["policy"].encode()),
    "key": VerifierKey.parse(VECTORS["key"]),
}
SHOW_A_FORK = {"a fork of the head's size was witnessed", "a smaller fork was witnessed"}


@pytest.fixture(name="second", scope="module")
def _second() -> Iterator[SecondVerifier]:
    with SecondVerifier() as second:
        yield second


@pytest.mark.parametrize("trust", TRUSTS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_each_file_has_its_verdict(case: dict[str, Any], trust: str) -> None:
    """The check that fails, or none; and evidence exactly if the log is shown to have signed two histories."""
    data = case["file"].encode()
    if case["check"] is None:
        assert check_proof(data, TRUSTS[trust]).reveal is not None
        return
    with pytest.raises(CheckFailed) as failed:
        check_proof(data, TRUSTS[trust])
    assert failed.value.check.value == case["check"]
    assert isinstance(failed.value, NotAnExtension) == (case["name"] in SHOW_A_FORK)
    if isinstance(failed.value, NotAnExtension):
        check_evidence(bytes(failed.value.fork), TRUSTS["key"], name="evidence")


@pytest.mark.parametrize("trust", TRUSTS)
def test_the_other_language_agrees(second: SecondVerifier, trust: str) -> None:
    """On every file, and on the bytes of the evidence."""
    given = {"policy": VECTORS["policy"]} if trust == "policy" else {"key": VECTORS["key"]}
    for case in CASES:
        report = second.ask("proof", hex=case["file"].encode().hex(), **given)
        assert (report["failure"] or {}).get("check") == case["check"], case["name"]
        assert (report["evidence"] is not None) == (case["name"] in SHOW_A_FORK)
        if report["evidence"] is not None:
            with pytest.raises(NotAnExtension) as forked:
                check_proof(case["file"].encode(), TRUSTS[trust])
            assert report["evidence"].encode() == bytes(forked.value.fork)


CUSTODY = VECTORS["custody"]


@pytest.mark.parametrize("case", CUSTODY["cases"], ids=lambda case: case["name"])
def test_what_custodians_said_has_its_verdict(second: SecondVerifier, case: dict[str, Any]) -> None:
    """By a policy with their keys; a bare key looks at the form alone."""
    data, policy = case["file"].encode(), Policy.parse(CUSTODY["policy"].encode())
    answer = second.ask("proof", hex=data.hex(), policy=CUSTODY["policy"])
    if case["check"] is None:
        report = check_proof(data, policy)
        assert any(each.text.startswith("each of house and lab vouched") for each in report.passed)
        assert ("lab demands no witnesses" in [each.text for each in report.passed]) == (
            "demands no witnesses" in case["name"]
        )
        assert answer["verdict"] == "held"
    else:
        with pytest.raises(CheckFailed) as failed:
            check_proof(data, policy)
        assert failed.value.check.value == case["check"] == answer["failure"]["check"]
    assert check_proof(data, TRUSTS["key"]).reveal is not None


def test_there_are_so_many_files() -> None:
    """None is left out."""
    assert (len(CASES), len(CUSTODY["cases"])) == (13, 7)
