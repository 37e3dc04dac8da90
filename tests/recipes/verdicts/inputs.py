"""What a verifier is given for a verdict, and what is known of a round that holds."""

from __future__ import annotations

import json
from collections.abc import Mapping

from fairness.checks import Check
from fairness.round.proof import RoundProof
from tests.recipes import Case, Json, judged
from tests.recipes.cases.told import VKEY
from tests.support.dishonest_operator import Operator

TIME = "2027-01-01T00:00:00.000Z"
"""The verifier's own clock: after every record of ours. No status depends on it."""
KEY: Json = {"key": VKEY}

HELD, FAILED, UNREADABLE, UNKNOWN, NOT_SHOWN, MISTYPED = 0, 3, 4, 6, 7, 8


def asked(
    command: str,
    trust: Json | None = None,
    files: Mapping[str, bytes] | None = None,
    *,
    code: str = "",
    proof: bytes | None = None,
    receipt: bytes | None = None,
    paytable: bytes | None = None,
    options: Json | None = None,
) -> Json:
    """An input: the ``command``, whom to believe (by default the key of our operator's log), and what it is given.

    ``files`` are those of a log. A code or a bet without a log is checked with the ``proof``.
    """
    every = {f"log/{path}": data for path, data in (files or {}).items()}
    every |= _named(proof=proof, receipt=receipt, paytable=paytable)
    chosen: Json = {}
    if command not in {"audit", "proof"}:
        chosen = {"proof": "proof"} if files is None else {"log": "log"}
    chosen |= {} if paytable is None else {"paytable": "paytable"}
    trust = KEY if trust is None else trust
    if "policy" in trust:
        every["policy"] = trust["policy"].encode()
        trust = {"policy": "policy"}
    return {
        "command": command,
        "argument": {"audit": "log", "bet": "receipt", "code": code}.get(command, "proof"),
        "options": chosen | (options or {}) | trust,
        "files": {path: every[path].hex() for path in sorted(every)},
        "time": TIME,
    }


def _named(**files: bytes | None) -> dict[str, bytes]:
    return {name: data for name, data in files.items() if data is not None}


def policy(text: bytes) -> Json:
    """Whom to believe: a policy."""
    return {"policy": text.decode()}


def known(operator: Operator, name: str, number: int, *, ended: str = "played", status: int = HELD) -> Json:
    """What is known of a round that has ended."""
    outcome = operator.tables[name].outcome_of(number)
    return {"status": status, "table": name, "round": number, "ended": ended, "outcome": outcome}


def known_in(proof: bytes, status: int = HELD) -> Json:
    """What is known of a round by its proof file: what the reveal in it says, if it has one."""
    read = RoundProof.parse(proof)
    told: Json = {"status": status, "table": read.table_name, "round": read.number}
    if read.reveal is None:
        return told
    record = json.loads(read.reveal.data)
    return told | {"ended": record["status"], "outcome": record["outcome"]}


def without_outcome(told: Json) -> Json:
    """The same, for a command that does not check the outcome."""
    return {key: each for key, each in told.items() if key != "outcome"}


def failing(name: str, given: Json, check: Check, *, is_shown: bool = True) -> Case:
    """An input with bad news."""
    status = FAILED if is_shown else NOT_SHOWN
    if check in {Check.CODE_FORM, Check.CODE_CHECKSUM}:
        status = MISTYPED
    if status != FAILED:
        catches = f"a verifier that calls it anything but status {status}"
    else:
        catches = f"a verifier without the check {check.value}"
    return judged(name, given, {"status": status, "check": check.value}, catches)


def unreadable(name: str, given: Json) -> Case:
    """An input of which a file cannot be read."""
    return judged(
        name, given, {"status": UNREADABLE}, "a verifier that accuses or clears somebody of what nobody could read"
    )
