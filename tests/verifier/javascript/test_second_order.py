"""The order of a round in which players decided: the JavaScript reports the things at the positions that the Python
does.
"""

from __future__ import annotations

from tests.oracles.second_verifier import SecondVerifier
from tests.support.codes import code_of
from tests.support.dishonest_operator import KEY, Operator
from tests.support.proofs import proof_from
from tests.support.verdicts import VKEY, InMemory, hexed
from verifier.output.proof import proof_json
from verifier.output.round import round_json
from verifier.round.check import check_round
from verifier.round.proof_check import check_proof

OWN = {
    "draw": [
        ["tens", "numbers", 3, 10, 19],
        ["late", "number", 1, 6],
        ["early", "one", ["left", "right"]],
        ["*", "ends", [{"10": "x", "9": 2}]],
    ],
    "moves": 1,
}
"""Lists, one number, and words; the places are drawn in another order than that of their names, or of a script's
objects.
"""
THINGS = {"blackjack": 208, "toto-21": 37, "own": 7, "crash": 0, "roulette": 0}


def test_codes_and_proofs_have_the_same_order() -> None:
    """Of cards, of several places, of numbers; none for a game without decisions, or one that has its name."""
    operator = Operator()
    for game in THINGS:
        operator.table(game, game, declared=OWN if game == "own" else None)
        operator.batch(game, 14)
        operator.play(game, 1)
    files = operator.files()
    with SecondVerifier() as second:
        for game, things in THINGS.items():
            code, data = str(code_of(operator, game, 1)), bytes(proof_from(files, operator.tables[game].table_id, 1))
            by_code = round_json(check_round(InMemory(files), KEY.verifier_key, code))
            by_proof = proof_json("proof", check_proof(data, KEY.verifier_key), None)
            order = by_code.get("order", [])
            assert [each["position"] for each in order] == [*range(1, things + 1)]
            assert by_proof.get("order", []) == order
            assert second.ask("code", text=code, key=VKEY, files=hexed(files))["order"] == order
            assert second.ask("proof", hex=data.hex(), key=VKEY)["order"] == order


def test_a_round_that_has_not_ended_has_no_order_yet() -> None:
    """Its proof file says nothing of what is to come."""
    operator = Operator()
    operator.table("cards", "blackjack")
    operator.batch("cards", 14)
    data = bytes(proof_from(operator.files(), operator.tables["cards"].table_id, 1))
    assert "order" not in proof_json("proof", check_proof(data, KEY.verifier_key), None)
    with SecondVerifier() as second:
        assert second.ask("proof", hex=data.hex(), key=VKEY)["order"] == []
