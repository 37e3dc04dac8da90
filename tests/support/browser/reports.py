"""Reports of checks as the page says them: of every kind, verdict and stage of a round."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from fairness.checks import FAULT, Check

Report = dict[str, object]
"""What differs from a report as it is when a check begins."""

LOCKED: Report = {
    "stage": "locked",
    "openedAt": "2026-11-20T12:00:01.000Z",
    "lockedAt": "2026-11-20T12:00:02.000Z",
    "isGivenUp": False,
    "roundsAhead": 5,
    "firstAfter": 7,
    "lead": 5,
}
PLAYED: Report = LOCKED | {"stage": "ended", "status": "played", "revealedAt": "2026-11-20T12:00:03.000Z"}
VOID: Report = PLAYED | {"status": "void", "reason": "the wheel stuck"}
GIVEN_UP: Report = VOID | {"isGivenUp": True}
NEVER_OPENED: Report = GIVEN_UP | {"openedAt": None}
COMMITTED: Report = {"stage": "committed"}
AWAITING: Report = COMMITTED | {"headline": {"awaitsSalt": True}}
HEADLINE: Report = {"code": "held-code", "awaitsSalt": False}
BET: Report = {"bet": {"line": "red 5", "hex": "7265642035", "index": 1, "count": 3}}
STAGES: Mapping[str, Report] = {
    "none": {},
    "committed": COMMITTED,
    "awaiting": AWAITING,
    "locked": LOCKED,
    "played": PLAYED,
    "void": VOID,
    "given up": GIVEN_UP,
    "never opened": NEVER_OPENED,
}
FAILURE: Report = {
    "check": "code-round",
    "meaning": "",
    "means": "fault-of-code",
    "index": None,
    "where": None,
    "expected": "",
    "found": "",
}
UNREADABLE: Report = {"path": "tile/0/000", "why": "no answer", "isForeign": False}


def every_report() -> list[Report]:
    """Every combination of kind, verdict and stage; every check that can fail, and every file that cannot be read."""
    verdicts = ("held", "unknown", "sandbox", "mistyped", "not-shown")
    rounds: list[Report] = [
        {"kind": kind, "verdict": verdict} | dict(stage)
        for kind, verdict, stage in product(("code", "proof"), verdicts, STAGES.values())
        if verdict != "held" or stage
    ]
    bets: list[Report] = [
        {"kind": "bet", "verdict": verdict} | dict(stage) | dict(BET)
        for verdict in verdicts
        for stage in (LOCKED, PLAYED, VOID)
    ]
    failures: list[Report] = [
        {"kind": kind, "verdict": "failed", "failure": FAILURE | {"check": check, "means": str(FAULT[check])}}
        for kind, check in product(("code", "proof", "bet", "evidence"), Check)
    ]
    unread: list[Report] = [
        {"kind": kind, "verdict": "unreadable", "unreadable": UNREADABLE | {"isForeign": foreign}}
        for kind, foreign in product(("code", "proof", "bet", "evidence"), (True, False))
    ]
    return [*rounds, *bets, *failures, *unread]
