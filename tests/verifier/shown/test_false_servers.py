"""Whatever a server changes in an honest log's files, no verdict says that the log's key did it (SPEC 8.3, "whose
fault it can be").
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from fairness.checks import Fault
from fairness.errors import CheckFailed, NotShown, NotThisLogs, Unreadable
from fairness.policy.policy import Policy, Trust
from tests.lies.witnessed import TABLE as SALTED
from tests.lies.witnessed import Log
from tests.support import shown
from tests.support.codes import code_of
from tests.support.custodians import custodian_lines, custody_files
from tests.support.shown import VKEY, Files, honest_log
from tests.support.verdicts import InMemory
from tests.support.witnessed import POLICY, TWO, salted_operator, witnessed_log
from tests.support.witnesses import cosigned, policy_text
from verifier.audit.audit import audit_log
from verifier.round.check import check_round
from verifier.round.proving import prove_code

TURNS = 25
Check = Callable[[Files], object]


def by_key() -> tuple[Files, dict[str, Check]]:
    """A log, and what is asked about it with its key."""
    checks: dict[str, Check] = {way: _asked(way) for way in shown.WAYS}
    return honest_log().files(), checks | {
        "whole": lambda files: shown.ask("code", files, whole=True),
        "audit": lambda files: audit_log(InMemory(files), VKEY, jobs=1),
    }


def _asked(way: str) -> Check:
    return lambda files: shown.ask(way, files)


def by_policy() -> tuple[Files, dict[str, Check]]:
    """A log with witnesses and custodians, and what is asked about it with a policy that names them."""
    operator = Log(salted_operator().play(SALTED, 3)).operator
    files = witnessed_log(operator) | custody_files(operator, policy_text(VKEY))
    files["checkpoint"] = cosigned(operator.files()["checkpoint"], *TWO)
    trust: Trust = Policy.parse(POLICY + custodian_lines())
    code = str(code_of(operator, SALTED, 5))
    return files, {
        "code": lambda each: check_round(InMemory(each), trust, code),
        "prove": lambda each: prove_code(InMemory(each), trust, code),
        "prove with a key": lambda each: prove_code(InMemory(each), VKEY, code),
        "audit": lambda each: audit_log(InMemory(each), trust, jobs=1),
    }


def served(files: Files, dice: random.Random) -> Files:
    """One or two files are changed, cut, exchanged or lost."""
    found = dict(files)
    for path in dice.sample(sorted(files), dice.randint(1, 2)):
        data = found[path]
        at = dice.randrange(len(data))
        changed = (
            data[:at] + bytes([data[at] ^ 1 << dice.randrange(8)]) + data[at + 1 :],
            data[:at] + data[at + 1 :],
            data[:at],
            data + data[:at],
            b"<html>",
            found[dice.choice(sorted(found))],
        )
        found[path] = dice.choice(changed)
        if dice.random() < 0.1:
            del found[path]
    return found


def said(check: Check, files: Files) -> str:
    """How a verdict ends, and for a failure whose fault it can be."""
    try:
        check(files)
    except NotShown:
        return "not shown"
    except (NotThisLogs, Unreadable):
        return "unreadable"
    except CheckFailed as failure:
        return failure.fault.value
    return "held"


@pytest.mark.parametrize("made", [by_key, by_policy])
def test_whatever_a_server_changes_is_not_called_the_keys_doing(
    made: Callable[[], tuple[Files, dict[str, Check]]],
) -> None:
    """Each way of asking holds for the log as it is; of a false copy it says whose fault that can be."""
    files, checks = made()
    assert {name: said(check, files) for name, check in checks.items()} == dict.fromkeys(checks, "held")
    dice, seen = random.Random(1), set()
    for _ in range(TURNS):
        false = served(files, dice)
        seen |= {said(check, false) for check in checks.values()}
    assert seen <= {"held", "not shown", "unreadable", Fault.SERVER, Fault.MISSING, Fault.WITNESSES}
    assert Fault.SERVER in seen
