"""The verifier that was released before judges logs of today: what it knows holds, what it does not is unknown,
nobody is accused.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from games import GAMES
from games.declared.catalogue import catalogue
from tests.oracles.made_columns import some_rules
from tests.support.codes import code_of
from tests.support.dishonest_operator import KEY, Operator
from tests.support.proofs import proof_of
from tests.support.released import released_verifier
from verifier.commands.command import FAILED, HELD, UNKNOWN

pytestmark = pytest.mark.nightly(
    "starts the file of an earlier day for each case", but="test_a_false_outcome_of_a_declared_game_is_refused"
)


NEWER = "laser-show"
OWN = {
    "draw": [["prize", "wheel", [["1", 20], ["2", 12]]], ["bonus", "number", 1, "most"]],
    "rules": {"most": [2, 10]},
}


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The released file."""
    return released_verifier(tmp_path_factory.mktemp("released"))


@pytest.fixture(scope="module")
def operator() -> Operator:
    """An honest log of today: every game of the catalogue, and an operator's own."""
    operator = Operator()
    for each in catalogue():
        if each.game in GAMES:
            operator.table(each.game, each.game)
        else:
            rules = some_rules(each.declaration.parameters)
            operator.table(each.game, each.game, rules=rules, lead=each.lead)
    operator.table("own", "own", declared=OWN, rules={"most": 6})
    for name in operator.tables:
        operator.batch(name, 14)
        operator.play(name, 2)
    return operator


def judged(old: Path, *arguments: object) -> tuple[int, dict[str, Any]]:
    """Its exit status, and its verdict."""
    command = [sys.executable, str(old), *map(str, arguments), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not done.stderr, done
    return done.returncode, json.loads(done.stdout)


def test_every_game_of_today_holds(old: Path, operator: Operator, tmp_path: Path) -> None:
    """Also those that no catalogue had then: the tables declare them."""
    log = operator.write(tmp_path / "log")
    status, verdict = judged(old, "audit", log, "--key", KEY.verifier_key)
    assert (status, verdict["verdict"]) == (HELD, "held")
    assert {table["game"] for table in verdict["tables"]} == set(operator.tables)


@pytest.mark.parametrize("game", ["blackjack", "own", "crash"])
def test_codes_and_proofs_of_today_hold(old: Path, operator: Operator, tmp_path: Path, game: str) -> None:
    """Of a game with an order, of an operator's own, and of one that is known by its name."""
    log, proof = operator.write(tmp_path / "log"), tmp_path / "round.proof"
    proof.write_bytes(bytes(proof_of(operator, game, 2)))
    for asked in (("code", code_of(operator, game, 2), "--log", log), ("proof", proof)):
        status, verdict = judged(old, *asked, "--key", KEY.verifier_key)
        assert (status, verdict["verdict"], verdict["game"]) == (HELD, "held", game)


def test_what_is_newer_is_unknown_and_nothing_worse(old: Path, tmp_path: Path) -> None:
    """A kind of draw, and a table of a later version, that no verifier knows yet."""
    operator = Operator()
    operator.table("dice", "sic-bo")
    operator.table(NEWER, NEWER, declared={"draw": [["beam", "laser", 7]]})
    for name in operator.tables:
        operator.batch(name, 14)
        operator.play(name, 2)
    operator.append(b'{"hours":3,"table":"later","type":"table","v":2}')
    log, proof = operator.write(tmp_path / "log"), tmp_path / "round.proof"
    proof.write_bytes(bytes(proof_of(operator, NEWER, 2)))
    for asked in (("audit", log), ("code", code_of(operator, NEWER, 2), "--log", log), ("proof", proof)):
        status, verdict = judged(old, *asked, "--key", KEY.verifier_key)
        assert (status, verdict["verdict"]) == (UNKNOWN, "unknown")
        assert any("laser" in each for each in verdict["unknown"])


def test_a_false_outcome_of_a_declared_game_is_refused(old: Path, tmp_path: Path) -> None:
    """What it knows it does not clear, either."""
    operator = Operator()
    operator.table("wheel", "roulette")
    operator.batch("wheel", 14)
    operator.lock("wheel")
    operator.reveal("wheel", outcome={"pocket": 37})
    status, verdict = judged(old, "audit", operator.write(tmp_path / "log"), "--key", KEY.verifier_key)
    assert (status, verdict["verdict"], verdict["check"]) == (FAILED, "failed", "outcome")
