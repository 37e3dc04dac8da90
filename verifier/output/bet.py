"""The verdict on the receipt of a bet."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from msgspec import to_builtins

from fairness.spelling import base64_text
from games.declared.catalogue import is_listed
from verifier.output.as_json import head_json, held_json
from verifier.output.kind import kind_of, last_line
from verifier.output.printing import Console, heading, item, line, plain, show_not_checked, show_remarks, show_unknown
from verifier.output.round_parts import checked_json, records_in_words
from verifier.output.witnesses import show_witnesses, witnessed_json
from verifier.remarks import round_remarks
from verifier.sentences import Verdict

if TYPE_CHECKING:
    from verifier.answers.rounds import BetChecked
    from verifier.round.bet_check import BetReport


def show_bet(console: Console, report: BetReport, now: str | None = None) -> None:
    """Show the bet and its round, each step that held, what was not checked, and the verdict in the last line."""
    bet, lock, reveal = report.receipt, report.lock, report.reveal
    line(console, "Table", f"{report.table.table} of {report.checkpoint.origin}")
    line(console, "Round", f"{bet.round_number} ({report.table.game})")
    line(console, "Bet", _bet_in_words(console, bet.line))
    line(console, "Place", f"{bet.index} of {bet.count:,}, counted from 0")
    console.print()
    line(console, "Locked", lock.record.locked)
    line(console, "Revealed", reveal.record.revealed if reveal else "not yet" if report.is_whole else "not shown")
    if reveal:
        line(console, "Outcome", json.dumps(reveal.record.outcome, separators=(",", ":")))
        line(console, "Status", reveal.record.status)
    show_witnesses(console, report.head)
    console.print()
    heading(console, "Checked")
    for number, passed in enumerate(report.passed, 1):
        item(console, passed.text + records_in_words(passed), "green", mark=f"{number}.")
    show_remarks(console, round_remarks(report.newest_time, now))
    show_unknown(console, report.unknown)
    show_not_checked(console, report.not_checked)
    console.print()
    plain(console, bet_verdict(report), kind_of(report.head, report.unknown).colour)


def _bet_in_words(console: Console, line_of_bet: bytes) -> str:
    """Return a bet's line, without anything that this terminal would interpret or cannot show."""
    text = line_of_bet.decode(errors="backslashreplace")
    plain_text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return plain_text.encode(console.encoding, "backslashreplace").decode(console.encoding)


def bet_json(report: BetReport, now: str | None = None) -> BetChecked:
    """Return the bet, its round, what was ``checked`` step by step and what was ``not_checked``."""
    bet, lock, reveal = report.receipt, report.lock, report.reveal
    return {
        **held_json("bet", report.head, report.unknown),
        "log": head_json(report.checkpoint),
        "witnessed": witnessed_json(report.head),
        "table": report.table.table,
        "table_id": bet.table_id.hex(),
        "game": report.table.game,
        "in_catalogue": is_listed(report.table.game, report.table.declaration_text),
        "round": bet.round_number,
        "line": base64_text(bet.line),
        "index": bet.index,
        "bets": to_builtins(bet.bets),
        "locked_at": lock.record.locked,
        "revealed_at": reveal.record.revealed if reveal else None,
        "status": reveal.record.status if reveal else "locked",
        "outcome": reveal.record.outcome if reveal else None,
        "checked": checked_json(report.passed),
        "remarks": round_remarks(report.newest_time, now),
        "not_checked": list(report.not_checked),
    }


def bet_verdict(report: BetReport) -> str:
    """Return what the check of a receipt has shown."""
    bet = report.receipt
    absent = Verdict.BET_WITHOUT_OUTCOME if report.is_whole else Verdict.BET_FIXED
    fixed = Verdict.BET_BEFORE_OUTCOME if report.reveal else absent
    return last_line(
        kind_of(report.head, report.unknown),
        fixed.fill(round=bet.round_number, table=report.table.table, count=bet.count),
    )
