"""The verdict on a proof file, for people: what was fixed where in the log, in words."""

from __future__ import annotations

import json

from verifier.output.kind import kind_of
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
from verifier.output.show import show_game, show_order, show_settled
from verifier.output.verdicts import proof_verdict
from verifier.output.witnesses import show_batch_witnessed, show_witnesses
from verifier.remarks import round_remarks
from verifier.round.proof_report import ProofReport


def show_proof(console: Console, report: ProofReport, written: str | None, now: str | None = None) -> None:
    """The round, the steps in the order of SPEC 8.6, those about a code first, what was not checked, and the verdict in the last line."""
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
        item(console, step, "green", mark=f"{number}.")
    show_remarks(console, round_remarks(report.newest_time, now))
    show_unknown(console, report.unknown)
    show_not_checked(console, report.not_checked)
    console.print()
    if written is not None:
        line(console, "Written", written)
    plain(console, proof_verdict(report), kind_of(report.head, report.unknown).colour)
