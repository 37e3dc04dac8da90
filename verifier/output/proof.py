"""The verdict on a proof file: what was fixed where in the log."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from msgspec import to_builtins

from games.declared.catalogue import is_listed
from verifier.output.as_json import head_json, held_json
from verifier.output.kind import kind_of, last_line
from verifier.output.printing import (
    Console,
    heading,
    item,
    line,
    plain,
    show_not_checked,
    show_remarks,
    show_salt,
    show_unknown,
)
from verifier.output.round_parts import (
    before_first,
    bets_json,
    checked_json,
    order_json,
    show_game,
    show_order,
    show_settled,
)
from verifier.output.witnesses import batch_witnessed_json, show_batch_witnessed, show_witnesses, witnessed_json
from verifier.remarks import round_remarks
from verifier.sentences import Verdict

if TYPE_CHECKING:
    from verifier.answers.rounds import ProofChecked
    from verifier.round.proof_report import ProofReport


def show_proof(console: Console, report: ProofReport, written: str | None, now: str | None = None) -> None:
    """Show the round, the steps in the order of SPEC 8.6, those about a code first, what was not checked, and the
    verdict in the last line.
    """
    table, lock, reveal = report.table.record, report.lock, report.reveal
    line(console, "Table", f"{table.table} of {report.checkpoint.origin}")
    line(console, "Round", f"{report.round} ({table.game}, batch {report.batch.record.batch})")
    show_game(console, table.game, table.declaration_text)
    for commitment in report.commitments:
        line(console, "Commitment", commitment)
    if reveal is not None:
        line(console, "Outcome", json.dumps(reveal.record.outcome, separators=(",", ":")))
        line(console, "Status", reveal.record.status + (f": {report.reason}" if report.reason is not None else ""))
    for settled in report.bets:
        show_settled(console, settled)
    show_order(console, report.order)
    console.print()
    line(console, "Committed", f"{report.batch.record.committed}, record {report.batch.index}")
    show_batch_witnessed(console, report.witnessed)
    show_salt(console, report.salt, "" if report.salt is None else f", record {report.salt.record}")
    if lock is not None:
        line(console, "Opened", lock.record.opened or "never")
        given_up = f", given up: {report.reason}" if reveal is None and lock.record.given_up else ""
        line(console, "Locked", f"{lock.record.locked}, record {lock.index}{given_up}")
    if reveal is not None:
        line(console, "Revealed", f"{reveal.record.revealed}, record {reveal.index}")
    show_witnesses(console, report.head)
    console.print()
    heading(console, "Checked")
    for number, step in enumerate((*report.of_code, *report.passed), 1):
        item(console, step.text, "green", mark=f"{number}.")
    show_remarks(console, round_remarks(report.newest_time, now))
    show_unknown(console, report.unknown)
    show_not_checked(console, report.not_checked)
    console.print()
    if written is not None:
        line(console, "Written", written)
    plain(console, proof_verdict(report), kind_of(report.head, report.unknown).colour)


def proof_json(command: str, report: ProofReport, written: str | None, now: str | None = None) -> ProofChecked:
    """Return the round as far as its proof shows it, the steps that were ``checked`` in order, and what was
    ``not_checked``.

    If the round has ended, and players decided after its lock, ``order`` has the things. If the file was checked with
    a code, ``code_checked`` has the steps about that code, and ``bets`` the results of the bets that the caller asked
    about.
    """
    table, lock, reveal = report.table.record, report.lock, report.reveal
    return {
        **held_json(command, report.head, report.unknown),
        "log": head_json(report.checkpoint),
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
        **bets_json(report),
        **order_json(report.order),
        "commitments": list(report.commitments),
        "committed_at": report.batch.record.committed,
        "batch_witnessed": batch_witnessed_json(report.witnessed),
        "salt": to_builtins(report.salt),
        "opened_at": (lock.record.opened or None) if lock else None,
        "locked_at": lock.record.locked if lock else None,
        "revealed_at": reveal.record.revealed if reveal else None,
        "fixed_by": report.fixed_by,
        "lead": table.lead,
        "rounds_ahead": report.ahead,
        "code_checked": checked_json(report.of_code) or None,
        "checked": checked_json(report.passed),
        "remarks": round_remarks(report.newest_time, now),
        "not_checked": list(report.not_checked),
        "written": written,
    }


def proof_verdict(report: ProofReport) -> str:
    """Return what the check of a proof file has shown."""
    number, table, first = report.round, report.table.record.table, report.lead_round
    if report.fixed_by is None:
        fixed = Verdict.AWAITS_SALT.fill(round=number, table=table)
    elif report.ahead is None:
        fixed = Verdict.FIXED_IN_LOG.fill(round=number, table=table)
    elif first == 1:
        fixed = before_first(number, table, report.ahead, report.table.record.lead)
    else:
        fixed = Verdict.FIXED_AT_LEAST_AHEAD.fill(round=number, table=table, first=first, ahead=report.ahead)
    kind = kind_of(report.head, report.unknown)
    if report.stage != "ended":
        return last_line(kind, fixed, Verdict.NOT_TO_ITS_END)
    return last_line(kind, fixed, *([Verdict.FROM_WHAT_WAS_FIXED] if report.is_outcome_known else []))
