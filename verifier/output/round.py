"""The verdict on a round that was checked in the log by its code."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from msgspec import to_builtins

from games.declared.catalogue import is_listed
from verifier.output.as_json import head_json, held_json
from verifier.output.kind import kind_of, last_line
from verifier.output.printing import (
    Console,
    count,
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
    records_in_words,
    show_game,
    show_order,
    show_settled,
)
from verifier.output.witnesses import batch_witnessed_json, show_batch_witnessed, show_witnesses, witnessed_json
from verifier.remarks import round_remarks
from verifier.sentences import Verdict

if TYPE_CHECKING:
    from verifier.answers.rounds import RoundChecked
    from verifier.round.report import RoundReport


def show_round(console: Console, report: RoundReport, now: str | None = None) -> None:
    """Show the round, how far ahead it was fixed, what was checked and what was not, and the verdict in the last
    line.
    """
    line(console, "Table", f"{report.table} of {report.checkpoint.origin}")
    line(console, "Round", f"{report.round} ({report.game}, batch {report.batch})")
    show_game(console, report.game, report.declaration)
    line(console, "Outcome", json.dumps(report.outcome, separators=(",", ":")))
    line(console, "Status", report.status + (f": {report.reason}" if report.reason is not None else ""))
    for settled in report.bets:
        show_settled(console, settled)
    show_order(console, report.order)
    console.print()
    ahead = ahead_in_words(report)
    line(console, "Committed", report.committed_at + (f", {ahead}" if report.salt is None else ""))
    show_batch_witnessed(console, report.witnessed)
    show_salt(console, report.salt, f", {ahead}")
    line(console, "Opened", report.opened_at or "never")
    line(console, "Locked", report.locked_at)
    line(console, "Revealed", report.revealed_at)
    show_witnesses(console, report.head)
    console.print()
    heading(console, "Checked")
    for passed in report.passed:
        item(console, passed.text + records_in_words(passed), "green")
    show_remarks(console, round_remarks(report.revealed_at, now))
    show_unknown(console, report.unknown)
    show_not_checked(console, report.not_checked)
    console.print()
    plain(console, round_verdict(report), kind_of(report.head, report.unknown).colour)


def round_json(report: RoundReport, now: str | None = None) -> RoundChecked:
    """Return the round, what was ``checked`` (with the records that it rests on) and what was ``not_checked``.

    If the caller asked about bets, ``bets`` has their results; if players decided after the lock, ``order`` has the
    things.
    """
    return {
        **held_json("code", report.head, report.unknown),
        "log": head_json(report.checkpoint),
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
        "committed_at": report.committed_at,
        "batch_witnessed": batch_witnessed_json(report.witnessed),
        "salt": to_builtins(report.salt),
        "opened_at": report.opened_at,
        "locked_at": report.locked_at,
        "revealed_at": report.revealed_at,
        "lead": report.lead,
        "rounds_ahead": report.ahead,
        "checked": checked_json(report.passed),
        "remarks": round_remarks(report.revealed_at, now),
        "not_checked": list(report.not_checked),
        **bets_json(report),
        **order_json(report.order),
    }


def round_verdict(report: RoundReport) -> str:
    """Return what the check of a code has shown."""
    number, ahead = report.round, report.ahead
    fixed = Verdict.FIXED_AHEAD.fill(round=number, table=report.table, first=number - ahead, ahead=ahead)
    if number - ahead == 1:
        fixed = before_first(number, report.table, ahead, report.lead)
    return last_line(
        kind_of(report.head, report.unknown),
        fixed,
        *([Verdict.FROM_WHAT_WAS_FIXED] if report.is_outcome_known else []),
    )


def ahead_in_words(report: RoundReport) -> str:
    """Return how far ahead the commitment was in the log.

    A table's first rounds get no number: no round before them could show the lead, and theirs is smaller.
    """
    first = report.round - report.ahead
    before = "before the table's first round was locked" if first == 1 else f"before round {first} was locked"
    return f"{count(report.ahead, 'round')} ahead, {before}" if report.ahead >= report.lead else before
