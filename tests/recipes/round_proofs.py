"""Proof files of rounds: of every stage, and every lie that a dishonest operator could sign into one."""

from __future__ import annotations

from tests.dishonest_operator import KEY, Operator
from tests.recipes import Case, Format, Json, invalid, spelled, valid
from tests.test_round_proof import proof_of
from tests.test_round_proof_of_lies import LIES, forged
from verifier.proof_check import check_proof

VKEY = str(KEY.verifier_key)


def _given(proof: bytes) -> Json:
    return spelled(proof) | {"key": VKEY}


def _operator(custodians: list[str]) -> Operator:
    """Seven rounds are committed; two were played, one is void, the fourth is locked."""
    operator = Operator()
    operator.table("keno-1", "keno-express", custodians)
    operator.batch("keno-1", 7)
    operator.play("keno-1", 2)
    operator.lock("keno-1")
    operator.void("keno-1")
    operator.lock("keno-1")
    return operator


def _accepted(name: str, operator: Operator, number: int) -> Case:
    proof = bytes(proof_of(operator, "keno-1", number))
    report = check_proof(proof, KEY.verifier_key)
    outcome = report.reveal.record.outcome if report.reveal else None
    told = {"outcome": outcome, "round": number, "rounds_ahead": report.ahead, "stage": report.stage}
    return valid(name, _given(proof), told | {"table": "keno-1"})


def _cases() -> list[Case]:
    one, two = _operator(["house"]), _operator(["house", "lab"])
    good = bytes(proof_of(one, "keno-1", 3))
    sections = good.split(b"\n\n")
    first = sections[1].split(b"\n")[3]

    def false(name: str, old: bytes, new: bytes, catches: str) -> Case:
        return invalid(name, _given(good.replace(old, new, 1)), catches)

    def lied(name: str, check: str, proof: bytes) -> Case:
        return invalid(name, _given(proof), f"a verifier without the rule {check}")

    lies = []
    for name, check, tell in LIES:
        operator = Operator()
        tell(operator)
        lies.append(lied(name, check.value, bytes(forged(operator))))
    return [
        _accepted("a played round", one, 2),
        _accepted("a void round", one, 3),
        _accepted("a locked round, not over", one, 4),
        _accepted("a round to come, with its lead-lock", one, 6),
        _accepted("a round to come, fixed before any lock that is told", one, 7),
        _accepted("the first round", one, 1),
        _accepted("two custodians", two, 3),
        *lies,
        false("another version", b"/v1/", b"/v2/", "a version that is not looked at"),
        false("another round", b"round keno-1 3", b"round keno-1 2", "a line that is not compared with the records"),
        false("another table", b"round keno-1 3", b"round keno-2 3", "a line that is not compared with the records"),
        false("a round with a leading zero", b"keno-1 3", b"keno-1 03", "int() of Python"),
        false("a changed record", b'"lead":2', b'"lead":3', "records that are not hashed"),
        false("another index", b"index 1\n", b"index 2\n", "an index that does not decide left and right"),
        false("a hash too few", first + b"\n", b"", "a path that ends early"),
        false("a hash without padding", first, first.rstrip(b"="), "a lenient decoder of Base64"),
        false("a section of no known name", b"\n\nlock\n", b"\n\nlook\n", "sections that are passed over"),
        false("carriage returns", b"\n", b"\r\n", "lines that end in two ways"),
        invalid("no lock", _given(b"\n\n".join([*sections[:4], *sections[5:]])), "a reveal without its lock"),
        invalid("no lead-lock", _given(b"\n\n".join([*sections[:3], *sections[4:]])), "a lead that is not shown"),
        invalid("no commitment", _given(b"\n\n".join([*sections[:6], *sections[7:]])), "a commitment not shown"),
        invalid(
            "a section twice",
            _given(b"\n\n".join([*sections[:3], sections[2], *sections[3:]])),
            "a reader that takes the last of two sections",
        ),
        invalid(
            "two sections exchanged",
            _given(b"\n\n".join([sections[0], sections[2], sections[1], *sections[3:]])),
            "sections that are found by name",
        ),
        invalid("an empty line more", _given(good.replace(b"\n\n", b"\n\n\n", 1)), "a reader that passes over lines"),
        invalid("nothing", _given(b""), "a reader that reads past the end"),
    ]


FORMATS = [Format("round-proof", "check", "5.6, 8.6", _cases())]
