"""The dishonest operator's cases, as inputs: each that one command answers from what it is given."""

from __future__ import annotations

from collections.abc import Iterator

from tests.recipes import Case, Json, judged
from tests.recipes.cases.catalogue import CASES
from tests.recipes.cases.told import Told
from tests.recipes.verdicts.inputs import asked, failing, known_in, policy, unreadable

_ASKED = {"audit", "code", "proof", "bet", "receipt"}


def cases() -> Iterator[Case]:
    """All of them, and the proof files in which some lies show, too."""
    for case in CASES:
        if len(case.commands) == 1 and case.commands[0][0] in _ASKED and "--bet" not in case.commands[0]:
            yield _judged(case)
        if case.in_proof is not None:
            given = asked("proof", _trust(case), proof=case.files["round.proof"])
            yield failing(f"{case.what}, in its proof", given, case.in_proof)


def _judged(case: Told) -> Case:
    given, status = _input(case), case.expected["status"]
    if case.check is not None:
        return failing(case.what, given, case.check, is_shown=case.is_shown)
    if case.tells.get("verdict") == "unreadable":
        return unreadable(case.what, given)
    if given["command"] == "proof":
        return judged(case.what, given, known_in(case.files["round.proof"], status))
    return judged(case.what, given, {"status": status})


def _trust(case: Told) -> Json | None:
    return policy(case.files["policy"]) if "policy" in case.files else None


def _input(case: Told) -> Json:
    command, *arguments = case.commands[-1]
    code, file = arguments[0], case.files.get
    log = {path.removeprefix("log/"): data for path, data in case.files.items() if path.startswith("log/")}
    proof = file("round.proof") if command in {"proof", "receipt"} else None
    files = None if command == "proof" else log
    return asked(command, _trust(case), files, code=code, proof=proof, receipt=file("receipt.bet"))
