"""Verdicts (SPEC 8): what a verifier must say about whole logs, rounds, bets and receipts, honest and dishonest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tests.recipes import Case, Format, Json, judged
from tests.recipes.cases.catalogue import CASES
from tests.recipes.cases.told import VKEY, Told

TIME = "2027-01-01T00:00:00.000Z"
"""The verifier's own clock: after every record. No status depends on it."""
_ASKED = {"audit", "code", "proof", "bet", "receipt"}


def _trust(case: Told) -> Json:
    return {"policy": case.files["policy"].decode()} if "policy" in case.files else {"key": VKEY}


def _log(files: Mapping[str, bytes]) -> Json:
    return {path.removeprefix("log/"): data.hex() for path, data in sorted(files.items()) if path.startswith("log/")}


def _input(case: Told) -> Json:
    """What the case's command is asked, as an input of the format."""
    command, *arguments = case.commands[-1]
    given: Json = {"command": command} | _trust(case) | {"time": TIME}
    if command == "code":
        given["code"] = arguments[0]
    if command == "bet":
        given["receipt"] = case.files["receipt.bet"].hex()
    if command in {"proof", "receipt"}:
        given["proof"] = case.files["round.proof"].hex()
    return given if command == "proof" else given | {"files": _log(case.files)}


def _of_cases() -> Iterator[Case]:
    """The dishonest operator's cases, each that one command answers from what it is given."""
    for case in CASES:
        if len(case.commands) > 1 or case.commands[0][0] not in _ASKED:
            continue
        status = case.expected["status"]
        result: Json = {"status": status}
        if case.check is not None:
            result["check"] = case.check.value
        elif case.commands[0][0] == "proof":
            result |= _PROVEN
        yield judged(case.what, _input(case), result, _catches(case))
        if case.in_proof is not None:
            given = {"command": "proof", "key": VKEY, "time": TIME, "proof": case.files["round.proof"].hex()}
            bad = {"status": 3, "check": case.in_proof.value}
            yield judged(f"{case.what}, in its proof", given, bad, _catches(case))


_PROVEN: Json = {"table": "salty-1", "round": 5, "ended": "played", "outcome": {"number": 73}}
"""The one round of which the cases have a proof that holds."""


def _catches(case: Told) -> str | None:
    if case.check is None:
        return None
    return f"a verifier without the check {case.check.value}"


def _make() -> Sequence[Case]:
    return [*_of_cases()]


FORMATS = [Format("verdict", "judge", "8", _make)]
