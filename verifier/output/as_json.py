"""Verdicts for programs: one JSON object, whose ``"v"`` says which keys to expect (SPEC 8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from msgspec import to_builtins

from fairness.checks import MEANING
from fairness.draws.game import Games
from fairness.errors import CheckFailed, NotShown, Unreadable
from fairness.log.checkpoints import Checkpoint
from fairness.policy.head import Head
from fairness.round.aids_check import AidFault
from fairness.spelling import base64_text
from games.bets.settlement import Settled
from games.declared.catalogue import is_listed
from games.order import Thing
from verifier.audit.report import AuditReport, TableReport
from verifier.caveats import report_caveats, report_unknown
from verifier.forks.evidence import EvidenceReport
from verifier.output.kind import Kind, kind_of
from verifier.output.witnesses import batch_witnessed_json, witnessed_json
from verifier.remarks import log_remarks, round_remarks
from verifier.round.bet_check import BetReport
from verifier.round.proof_report import ProofReport
from verifier.round.report import RoundReport
from verifier.sentences import MEANS
from verifier.typing_error import Mistyped
from verifier.watch.events import Event

Json = dict[str, Any]
_WHAT_FAILED = ("check", "record", "where", "expected", "found")


def _verdict(
    command: str, verdict: Kind | Literal["failed", "mistyped", "not-shown", "unknown", "unreadable"]
) -> Json:
    return {"v": 1, "command": command, "verdict": str(verdict)}


def _held(command: str, head: Head, unknown: Sequence[str], *, is_empty: bool = False) -> Json:
    return _verdict(command, kind_of(head, unknown, is_empty=is_empty)) | {"unknown": list(unknown)}


def audit_json(report: AuditReport, games: Games, now: str | None = None) -> Json:
    """``tables`` by name, what is ``unfinished``, which tables are ``silent`` or were ``never_played``, what the witnesses showed,
    ``remarks``, and what was ``not_checked``.
    """
    tables = report.tables
    return _held("audit", report.head, report_unknown(report), is_empty=report.is_empty) | {
        "log": _head(report.checkpoint),
        "witnessed": witnessed_json(report.head),
        "seen_before": report.seen_before,
        "rounds_ended": report.rounds_ended,
        "tables": [_table(table) for table in tables],
        "unfinished": [
            {
                "table": entry.table,
                "what": entry.what,
                "since": entry.since,
                "round": entry.round,
                "batch": entry.batch,
            }
            for entry in report.unfinished
        ],
        "silent": silent_json(report),
        "never_played": report.never_played,
        "witnessed_files": None if report.state.witnessing is None else report.witnessed_files,
        "clock": _clock(report),
        "custody": _custody(report),
        "asides": report.asides,
        "aids": None if report.aids is None else [_aid(fault) for fault in report.aids],
        "remarks": log_remarks(report, now),
        "not_checked": report_caveats(report, games),
    }


def _aid(fault: AidFault) -> Json:
    """``rounds`` are the first and the last; ``null`` is for what leads to the table itself."""
    rounds = None if fault.rounds is None else [fault.rounds.start, fault.rounds.stop - 1]
    return {"table": fault.table, "rounds": rounds, "what": fault.what}


def _custody(report: AuditReport) -> Json | None:
    """How many custodians' notes held, and what they show; `None` if the policy has no custodian's key."""
    custody = report.state.custody
    return None if custody is None else {"notes": custody.notes, "said": custody.said}


def _clock(report: AuditReport) -> Json | None:
    """By how many milliseconds the operator's clock was slow and fast at least, and the record that shows it.

    ``whole`` is whether the times of all records were compared.
    """
    clock, witnessing = report.clock, report.state.witnessing
    if clock is None or witnessing is None:
        return None
    return {"slow": to_builtins(clock.slow), "fast": to_builtins(clock.fast), "whole": witnessing.whole}


def silent_json(report: AuditReport) -> list[Json]:
    """The tables that fell silent with rounds left: since when, the log's newest time, and how many rounds."""
    return [to_builtins(each) for each in report.silent]


def _paytable(table: TableReport) -> Json | None:
    """What its bets pay: the file's SHA-256 in HEX, and whether it is the catalogue's of the game; ``null`` without bets."""
    named = table.paytable
    return {"sha256": named.paytable, "in_catalogue": named.is_catalogues} if named.paytable else None


def _head(checkpoint: Checkpoint) -> Json:
    return {"origin": checkpoint.origin, "size": checkpoint.size, "root": checkpoint.root.hex()}


def _cosigned_head(head: Head) -> Json:
    return _head(head.checkpoint) | {"witnessed": witnessed_json(head)}


def _table(table: TableReport) -> Json:
    # `in_catalogue`, here and below, is null for a game that records know by its name.
    state, counts = table.state, table.state.counts
    return {
        "table": state.name,
        "table_id": state.table_id.hex(),
        "game": state.game,
        "in_catalogue": is_listed(state.game, state.declaration_text),
        "custodians": state.custodians,
        "salt": state.salt,
        "bets": "required" if state.bets_required else "optional",
        "paytable": _paytable(table),
        "played": counts.played,
        "void": {
            "never_opened": counts.void_never_opened,
            "opened": counts.void_opened,
            "locked": counts.void_locked,
        },
        "unused": counts.unused,
        "unused_outcomes": table.history.unused if state.closed else None,
        "without_digest": counts.without_digest,
        "without_bets": counts.without_bets,
        "committed_through": state.committed_through,
        "lead": state.lead,
        "smallest_distance": state.smallest_distance,
        "ended": state.ended,
        "closed": state.closed,
        "rules": table.history.rules,
        "rules_changes": [
            {"batch": change.batch, "from": change.before, "to": change.after} for change in table.changes
        ],
        "unopened_batches": [
            {"batch": batch.batch, "first": batch.first, "last": batch.last, "awaits_salt": batch.awaits_salt}
            for batch in table.unopened
        ],
    }


def round_json(report: RoundReport, now: str | None = None) -> Json:
    """The round, what was ``checked`` (with the records that it rests on) and what was ``not_checked``.

    If the caller asked about bets, ``bets`` has their results; if players decided after the lock, ``order`` has the things.
    """
    return _held("code", report.head, report.unknown) | {
        "log": _head(report.checkpoint),
        "witnessed": witnessed_json(report.head),
        "table": report.table,
        "table_id": report.table_id.hex(),
        "game": report.game,
        "in_catalogue": is_listed(report.game, report.declaration),
        "round": report.round,
        "batch": report.batch,
        "status": report.status,
        "reason": report.reason,
        "outcome": report.outcome,
        "committed": report.committed,
        "batch_witnessed": batch_witnessed_json(report.witnessed),
        "salt": to_builtins(report.salt),
        "opened": report.opened,
        "locked": report.locked,
        "revealed": report.revealed,
        "lead": report.lead,
        "rounds_ahead": report.ahead,
        "checked": [{"what": passed.text, "records": list(passed.records)} for passed in report.passed],
        "remarks": round_remarks(report.revealed, now),
        "not_checked": list(report.not_checked),
        **_bets(report),
        **_order(report.order),
    }


def _order(order: Sequence[Thing]) -> Json:
    return {"order": [each._asdict() for each in order]} if order else {}


def _bets(report: RoundReport | ProofReport) -> Json:
    """The results, and by whose paytable: the ``catalogue``'s of this game, or the operator's ``own``."""
    if report.is_own is None:
        return {}
    return {"bets": [_settled(each) for each in report.bets], "paytable": "own" if report.is_own else "catalogue"}


def _settled(settled: Settled) -> Json:
    """``odds`` is ``null`` for a bet that does not win; ``pays`` is the whole payment for a stake of 1, a fraction that always has its slash.

    Without one it reads as a larger sum in programs that stop at it. It is ``null`` while the bet is open.
    """
    odds = None if settled.odds is None else str(settled.odds)
    bet = {"bet": settled.bet.text, "after": settled.bet.after or None}
    pays = None if settled.pays is None else f"{settled.pays.numerator}/{settled.pays.denominator}"
    following = {"next": settled.next} if settled.next else {}
    return bet | {"result": settled.result, "odds": odds, "pays": pays, **following}


def bet_json(report: BetReport, now: str | None = None) -> Json:
    """The bet, its round, what was ``checked`` step by step and what was ``not_checked``."""
    bet, lock, reveal = report.receipt, report.lock, report.reveal
    return _held("bet", report.head, report.unknown) | {
        "log": _head(report.checkpoint),
        "witnessed": witnessed_json(report.head),
        "table": report.table.table,
        "table_id": bet.table_id.hex(),
        "game": report.table.game,
        "in_catalogue": is_listed(report.table.game, report.table.declaration_text),
        "round": bet.round_number,
        "line": base64_text(bet.line),
        "index": bet.index,
        "bets": to_builtins(bet.bets),
        "locked": lock.record.locked,
        "revealed": reveal.record.revealed if reveal else None,
        "status": reveal.record.status if reveal else "locked",
        "outcome": reveal.record.outcome if reveal else None,
        "checked": [{"what": passed.text, "records": list(passed.records)} for passed in report.passed],
        "remarks": round_remarks(report.newest_time, now),
        "not_checked": list(report.not_checked),
    }


def comparison_json(first: Head, second: Head) -> Json:
    """Both checkpoints; the smaller tree is a prefix of the larger."""
    return _verdict("compare", kind_of(first)) | {"first": _cosigned_head(first), "second": _cosigned_head(second)}


def evidence_json(report: EvidenceReport, checked: Sequence[str], not_checked: Sequence[str]) -> Json:
    """Both checkpoints, and the root that contradicts the smaller one's; ``held`` means that the evidence is valid."""
    return _verdict("evidence", kind_of(report.larger)) | {
        "smaller": _cosigned_head(report.smaller),
        "larger": _cosigned_head(report.larger),
        "root_in_larger": report.root_in_larger.hex(),
        "cosigned_both": report.cosigned_both,
        "checked": list(checked),
        "not_checked": list(not_checked),
    }


def proof_json(command: str, report: ProofReport, written: str | None, now: str | None = None) -> Json:
    """The round as far as its proof shows it, the steps that were ``checked`` in order, and what was ``not_checked``.

    If the round has ended, and players decided after its lock, ``order`` has the things. If the file was checked with a code,
    ``code_checked`` has the steps about that code, and ``bets`` the results of the bets that the caller asked about.
    """
    table, lock, reveal = report.table.record, report.lock, report.reveal
    return _held(command, report.head, report.unknown) | {
        "log": _head(report.checkpoint),
        "witnessed": witnessed_json(report.head),
        "table": table.table,
        "table_id": report.table.record_id.hex(),
        "game": table.game,
        "in_catalogue": is_listed(table.game, table.declaration_text),
        "round": report.round,
        "batch": report.batch.record.batch,
        "stage": report.stage,
        "status": reveal.record.status if reveal else None,
        "reason": report.reason,
        "outcome": reveal.record.outcome if reveal else None,
        **_bets(report),
        **_order(report.order),
        "commitments": list(report.commitments),
        "committed": report.batch.record.committed,
        "batch_witnessed": batch_witnessed_json(report.witnessed),
        "salt": to_builtins(report.salt),
        "opened": (lock.record.opened or None) if lock else None,
        "locked": lock.record.locked if lock else None,
        "revealed": reveal.record.revealed if reveal else None,
        "fixed_at": report.fixed_at,
        "lead": table.lead,
        "rounds_ahead": report.ahead,
        **({"code_checked": list(report.of_code)} if report.of_code else {}),
        "checked": list(report.passed),
        "remarks": round_remarks(report.newest_time, now),
        "not_checked": list(report.not_checked),
        "written": written,
    }


def event_json(event: Event, time: str, origin: str, *, command: str) -> Json:
    """One line of a watch, or of a witness: ``what`` happened, whether that is an ``alarm``, and all that is known about it."""
    return {
        "v": 1,
        "command": command,
        "log": origin,
        "time": time,
        "what": event.kind.value,
        "alarm": event.is_alarm,
        "text": event.text,
        "size": event.size,
        "evidence": event.evidence,
        **(dict.fromkeys(_WHAT_FAILED) if event.failure is None else _what_failed(event.failure)),
    }


def failure_json(command: str, error: CheckFailed, evidence: str | None) -> Json:
    """Which check failed, where, what was expected and found, and what it ``means``; ``evidence`` is the file, if one was kept."""
    return _verdict(command, "failed") | {
        **_what_failed(error),
        "meaning": MEANING[error.check],
        "means": MEANS[error.fault],
        "evidence": evidence,
    }


def not_shown_json(command: str, error: NotShown) -> Json:
    """What the log does not show, like a failure; ``next`` says what that means, and the ways on."""
    return _verdict(command, "not-shown") | {
        **_what_failed(error),
        "meaning": MEANING[error.check],
        "next": list(error.ways_on),
    }


def mistyped_json(command: str, error: Mistyped) -> Json:
    """What is wrong with the form of a code; ``typing`` has the places of the error and a guess of what was meant."""
    return _verdict(command, "mistyped") | {
        "check": error.check.value,
        "expected": error.expected,
        "found": error.found,
        "meaning": MEANING[error.check],
        "typing": to_builtins(error.typing),
    }


def _what_failed(error: CheckFailed) -> Json:
    values = (error.check.value, error.index, error.where, error.expected, error.found)
    return dict(zip(_WHAT_FAILED, values, strict=True))


def unknown_json(command: str, unknown: Sequence[str]) -> Json:
    """What this verifier does not know, so that there is no verdict on the rest."""
    return _verdict(command, "unknown") | {"unknown": list(unknown)}


def unreadable_json(command: str, error: Unreadable) -> Json:
    """Which file could not be read, and why."""
    return _verdict(command, "unreadable") | {"file": error.path, "why": error.why}
