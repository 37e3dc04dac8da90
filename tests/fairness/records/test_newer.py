"""Logs with what may come later (SPEC 4.9 and 4.10): asides, tables of later versions, games that are newer. Both
verifiers.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

import pytest

from tests.house import HOUSE
from tests.oracles.second_verifier import BROWSER, node
from verifier.conformance.driver import Program, Vectors

VECTORS = json.loads((HOUSE / "tests" / "vectors" / "newer.json").read_text("utf-8"))
COMMANDS = {
    "python": [sys.executable, "-m", "verifier.conformance.subject"],
    "javascript": [node(), str(BROWSER / "conform.js")],
}


@pytest.fixture(scope="module", params=COMMANDS)
def program(request: pytest.FixtureRequest) -> Iterator[Program]:
    """A verifier that answers line by line."""
    with Program(COMMANDS[request.param], 60) as running:
        yield running


@pytest.mark.parametrize("case", VECTORS["cases"], ids=lambda case: case["name"])
def test_the_verdict_is_the_one_of_a_stranger(program: Program, case: dict[str, object]) -> None:
    """By the same vectors as an implementation that shares no code with this one."""
    records = [{"text": record} for record in case["records"]] if isinstance(case["records"], list) else []
    given = {"input": {"origin": VECTORS["origin"], "records": records}}
    found = program.ask(Vectors("replay", "replay", []).request(given))
    assert found["valid"] is (case["verdict"] != "failed"), found
    if found["valid"]:
        unknown, tables = found["result"].get("unknown", []), found["result"]["tables"]
        verdict = "unknown" if unknown else "held" if tables else "empty"
        assert verdict == case["verdict"]
