"""Round codes with the proof files of their rounds: which belong together, and what neither of the two may hide."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

from fairness.player.bech32m import encode
from fairness.player.round_code import RoundCode
from tests.lies.witnessed import Log
from tests.recipes import Case, Format, Json, invalid, spelled, valid
from tests.support.beacons import OURS
from tests.support.codes import code_of
from tests.support.dishonest_operator import KEY, Operator
from tests.support.proofs import proof_from, proof_of
from tests.support.witnessed import salted_operator, witnessed_file
from verifier.round.proof_check import check_proof

VKEY = str(KEY.verifier_key)
TABLE = "keno-1"
MISTYPED: Json = {"mistyped": True}
NOT_SHOWN: Json = {"not_shown": True}
UNKNOWN: Json = {"unknown": True}


def _operator(custodians: list[str]) -> Operator:
    """Seven rounds are committed; two were played, one is void, the fourth is locked; and another table was
    played.
    """
    operator = Operator()
    operator.table(TABLE, "keno-express", custodians)
    operator.table("keno-2", "keno-express", custodians)
    for name in (TABLE, "keno-2"):
        operator.batch(name, 7)
        operator.play(name, 2)
    operator.lock(TABLE)
    operator.void(TABLE)
    operator.lock(TABLE)
    return operator


def _given(code: RoundCode | str, proof: bytes) -> Json:
    return {"code": str(code)} | spelled(proof) | {"key": VKEY}


def _told(proof: bytes) -> Json:
    report = check_proof(proof, KEY.verifier_key)
    outcome = report.reveal.record.outcome if report.reveal else None
    told = {"outcome": outcome, "round": report.round, "rounds_ahead": report.ahead, "stage": report.stage}
    return told | {"table": report.table.record.table} | (UNKNOWN if report.unknown else {})


def _of_later_versions(code: RoundCode, proof: bytes) -> list[Case]:
    seed = code.seeds[0]
    later = encode(code.game, b"\x02" + code.table_prefix + code.round_number.to_bytes(6, "big") + seed)
    newer = proof.replace(b"foredraw/v1/", b"foredraw/v2/", 1)
    return [
        valid("a code of a later version", _given(later, proof), UNKNOWN),
        valid("a file of a later version", _given(code, newer), UNKNOWN),
        invalid("a mistyped code, and a file of a later version", _given(_mistyped(code), newer), _SAYS, MISTYPED),
    ]


_SAYS = "a code that is none, told as if somebody had done something"


def _mistyped(code: RoundCode) -> str:
    text = str(code)
    return text[:-1] + ("q" if text[-1] != "q" else "p")


def _forked() -> list[Case]:
    """A file whose checkpoint does not extend the one in which witnesses saw the batch."""
    log = Log(salted_operator().play("salty-1", 3))
    operator, beacons = log.operator, {"beacons": [str(OURS)]}
    table_id = operator.tables["salty-1"].table_id
    others = [operator.records[0].replace(b"salty", b"siltx"), *operator.records[1:]]
    fork = witnessed_file(others, log.batch.index, log.pulse)
    code = code_of(operator, "salty-1", 5)
    good, false = (bytes(proof_from(log.files(each), table_id, 5)) for each in (log.honest(), fork))
    told: Json = {
        "outcome": operator.tables["salty-1"].outcome_of(5),
        "round": 5,
        "rounds_ahead": 2,
        "stage": "ended",
        "table": "salty-1",
    }
    return [
        valid("a round that is salted by a beacon that is known", _given(code, good) | beacons, told),
        valid("a round that is salted by an unknown beacon", _given(code, good), told | UNKNOWN),
        invalid(
            "a fork in the file", _given(code, false) | beacons, "a code that matches, taken for the whole check"
        ),
    ]


def _of_a_lie() -> list[Case]:
    """Files that are false, whatever the code is."""
    operator = Operator()
    operator.table(TABLE, "keno-express")
    operator.batch(TABLE, 7)
    operator.play(TABLE, 2)
    code = code_of(operator, TABLE, 3)
    late = deepcopy(operator)
    late.lock(TABLE, opened="2999-12-31T23:59:59.999Z")
    of_late = bytes(proof_of(late, TABLE, 3))
    operator.lock(TABLE)
    operator.reveal(TABLE, outcome={"number": 101})
    lied = bytes(proof_of(operator, TABLE, 3))
    return [
        invalid(
            "a false outcome, and the code of its round", _given(code, lied), "a code that stands for the outcome"
        ),
        invalid(
            "a false receipt, and the code of its round",
            _given(code, of_late),
            "what is not shown, before what is false",
        ),
    ]


def _cases() -> list[Case]:
    one, two = _operator(["house"]), _operator(["house", "lab"])
    played, void, locked = (bytes(proof_of(one, TABLE, number)) for number in (2, 3, 4))
    code, of_locked = code_of(one, TABLE, 2), code_of(one, TABLE, 4)
    of_two, by_two = code_of(two, TABLE, 2), bytes(proof_of(two, TABLE, 2))
    prefix = code.table_prefix

    def false(name: str, other: RoundCode | str, catches: str, proof: bytes = played) -> Case:
        return invalid(name, _given(other, proof), catches)

    return [
        valid("a played round", _given(code, played), _told(played)),
        valid("a void round", _given(code_of(one, TABLE, 3), void), _told(void)),
        valid("a round of two custodians", _given(of_two, by_two), _told(by_two)),
        valid("a code in upper case", _given(str(code).upper(), played), _told(played)),
        valid("a receipt of a locked round", _given(of_locked, locked), NOT_SHOWN),
        valid("a receipt, and other seeds", _given(replace(of_locked, seeds=(bytes(32),)), locked), NOT_SHOWN),
        *_of_later_versions(code, played),
        *_forked(),
        invalid("a mistyped character", _given(_mistyped(code), played), _SAYS, MISTYPED),
        invalid("upper and lower case mixed", _given(str(code).capitalize(), played), _SAYS, MISTYPED),
        invalid("a mistyped code, and a false file", _given(_mistyped(code), b"\n"), _SAYS, MISTYPED),
        false("another seed", replace(code, seeds=(bytes(32),)), "seeds that are not compared"),
        false("another round's code", code_of(one, TABLE, 3), "a round that is not compared"),
        false(
            "another round, with the seed of this one", replace(code, round_number=3), "a round that is not compared"
        ),
        false("another table's code", code_of(one, "keno-2", 2), "a table that is not compared"),
        false(
            "another table, with the seed of this one",
            replace(code, table_prefix=prefix[:3] + bytes([prefix[3] ^ 1])),
            "three bytes of the table's id that are compared",
        ),
        false("another game, with the seed of this one", replace(code, game="hi-lo"), "a game that is not compared"),
        false(
            "one seed of two",
            replace(of_two, seeds=of_two.seeds[:1]),
            "seeds compared as far as there are some",
            by_two,
        ),
        false(
            "two seeds in the other order",
            replace(of_two, seeds=of_two.seeds[::-1]),
            "seeds that are compared as a set",
            by_two,
        ),
        false("a receipt of another round", code, "what is not shown, before what is another round's", locked),
        *_of_a_lie(),
        false(
            "the key of another log",
            code,
            "a file that nobody signed",
            played.replace(b"\xe2\x80\x94 ", b"\xe2\x80\x94 x", 1),
        ),
    ]


FORMATS = [Format("code-proof", "check", "8.6", _cases)]
