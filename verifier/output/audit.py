"""The verdict on a whole log: what held, what is unfinished, and what nobody could check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import to_builtins

from fairness.draws.game import Games
from fairness.limits import ROUNDS_AFTER_END
from fairness.records.rules import UNSALTED
from fairness.round.aids_check import AidFault
from games.declared.catalogue import is_listed
from verifier.audit.report import AuditReport, Silent, TableReport
from verifier.caveats import clock_in_words, report_caveats, report_unknown
from verifier.output.as_json import head_json, held_json
from verifier.output.kind import Kind, kind_of, last_line
from verifier.output.outcome_words import outcome_in_words
from verifier.output.printing import (
    Console,
    count,
    heading,
    item,
    line,
    paragraph,
    plain,
    show_not_checked,
    show_remarks,
    show_unknown,
)
from verifier.output.round_parts import NOT_LISTED
from verifier.output.witnesses import show_witnesses, witnessed_json
from verifier.remarks import log_remarks
from verifier.sentences import MOST_NAMED

if TYPE_CHECKING:
    from verifier.answers.logs import AidFound, ClockSeen, CustodySeen, LogAudited, TableAudited

_COLUMNS = (
    *("table", "game", "state", "played", "void-unopened", "void-opened", "void-locked"),
    *("unused", "committed", "lead", "smallest"),
)
_LEFT_COLUMNS = 3
_OUTCOMES_SHOWN = 10
_LEGEND = (
    "void-unopened: given up before it was opened; void-opened: given up after; void-locked: void after betting was over;"
    " unused: committed, and left over when the table was closed; committed: through this round; smallest: the least"
    " number of rounds played between the commitment of a round and its lock"
)
_ONLY_LATER = "If an audit of a later checkpoint still finds it unfinished, it hangs; no single log can show that."
_SALTS_COME_LATE = " A salt may come as late as an hour after its batch."


def show_audit(console: Console, report: AuditReport, games: Games, now: str | None = None) -> None:
    """Show the tables, their batches and rules, what is unfinished, what was not checked, and the verdict."""
    checkpoint = report.checkpoint
    line(console, "Log", checkpoint.origin)
    line(console, "Records", f"{checkpoint.size:,}" + _seen_before(report))
    line(console, "Root", checkpoint.root.hex())
    show_witnesses(console, report.head)
    console.print()
    _show_summary(console, report)
    for table in report.tables:
        _show_own_game(console, table)
        _show_rules(console, table)
        _show_bets(console, table)
        _show_unopened(console, table)
        _show_unused(console, table)
    console.print()
    _show_unfinished(console, report)
    heading(console, "Silent", "" if report.silent else "no table")
    for silent in report.silent:
        item(console, str(silent), "yellow")
    heading(console, "Never played", ", ".join(report.never_played) or "no table")
    _show_witnessed(console, report)
    _show_custody(console, report)
    if report.asides:
        total, names = sum(report.asides.values()), ", ".join(list(report.asides)[:MOST_NAMED])
        heading(console, "Asides", f"{count(total, 'record')} at which no rule looks ({names})")
    if report.aids is not None:
        heading(
            console,
            "Index",
            "not every entry leads to its record, see the remarks"
            if report.aids
            else "every entry leads to its record",
        )
    show_remarks(console, log_remarks(report, now))
    unknown = report_unknown(report)
    show_unknown(console, unknown)
    show_not_checked(console, report_caveats(report, games))
    console.print()
    kind = kind_of(report.head, unknown, is_empty=report.is_empty)
    plain(console, _audit_verdict(report, kind), "yellow" if report.unfinished else kind.colour)


def _show_own_game(console: Console, table: TableReport) -> None:
    state = table.state
    if is_listed(state.game, state.declaration_text) is False:
        plain(console, f"{state.name}: plays {state.game}, {NOT_LISTED}", "yellow")
    if table.paytable.paytable and not table.paytable.is_catalogues:
        plain(console, f"{state.name}: its bets pay by a paytable of the operator's own", "yellow")


def _seen_before(report: AuditReport) -> str:
    return f", of which {report.seen_before:,} were checked before" if report.seen_before else ""


def _show_summary(console: Console, report: AuditReport) -> None:
    rows = [_COLUMNS, *(_row(table) for table in report.tables)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for number, row in enumerate(rows):
        cells = (
            cell.ljust(width) if at < _LEFT_COLUMNS else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        plain(console, "  ".join(cells).rstrip(), "bold" if number == 0 else "")
    paragraph(console, _LEGEND, "dim")
    console.print()


def _row(table: TableReport) -> tuple[str, ...]:
    state, counts = table.state, table.state.counts
    return (
        state.name,
        state.game,
        "unknown" if state.newer else "closed" if state.closed else "ended" if state.ended else "open",
        f"{counts.played:,}",
        f"{counts.void_never_opened:,}",
        f"{counts.void_opened:,}",
        f"{counts.void_locked:,}",
        f"{counts.unused:,}",
        f"{state.committed_through:,}",
        str(state.lead),
        "-" if state.smallest_distance is None else f"{state.smallest_distance:,}",
    )


def _show_rules(console: Console, table: TableReport) -> None:
    bets = "; bets required" if table.state.bets_required else ""
    plain(console, f"{table.name}: rules {_spelled(table.history.rules)}{bets}")
    # Of a table whose own record is newer than this verifier, neither is known.
    if table.state.game:
        item(console, f"salt: {table.state.salt}; custodians: {', '.join(table.state.custodians)}")
    for change in table.changes:
        text = f"rules changed with batch {change.batch}: from {_spelled(change.before)} to {_spelled(change.after)}"
        item(console, text, "yellow")


def _show_bets(console: Console, table: TableReport) -> None:
    locked, counts = table.state.engine_locks, table.state.counts
    if locked:
        item(
            console,
            f"bets: {count(locked, 'round')} locked for play, {counts.without_digest:,} without a digest,"
            f" {counts.without_bets:,} with the digest of no bets",
        )


def _show_unopened(console: Console, table: TableReport) -> None:
    for batch in table.unopened:
        rounds = f"rounds {batch.first} to {batch.last}"
        text = f"batch {batch.batch}, {rounds}: not yet opened; its commitments are the published ones"
        item(console, text + ("; it awaits its salt" if batch.awaits_salt else ""))


def _show_unused(console: Console, table: TableReport) -> None:
    unused, outcomes = table.state.counts.unused, table.history.unused
    if not unused or outcomes is None:
        return
    text = f"closed with {count(unused, 'round')} unused"
    if not outcomes:
        item(console, f"{text}, which have no outcomes, because their batch never got its salt")
        return
    shown = ", ".join(outcome_in_words(outcome) for outcome in outcomes[:_OUTCOMES_SHOWN])
    more = ", …" if len(outcomes) > _OUTCOMES_SHOWN else ""
    if len(outcomes) < min(unused, ROUNDS_AFTER_END):
        more += "; the next batch never got its salt"
    item(console, f"{text}, which would have gone on: {shown}{more}")


def _show_unfinished(console: Console, report: AuditReport) -> None:
    heading(console, "Unfinished", "" if report.unfinished else "nothing")
    for entry in report.unfinished:
        item(console, str(entry), "yellow")
    if report.unfinished:
        late = _SALTS_COME_LATE if any(entry.what == "awaits-salt" for entry in report.unfinished) else ""
        paragraph(console, f"The newest time in this log is {report.newest_time}. {_ONLY_LATER}{late}")


def _show_witnessed(console: Console, report: AuditReport) -> None:
    """Show how many batches witnesses saw in time, and what that says about the operator's clock; nothing if nobody
    asked.
    """
    if report.state.witnessing is None:
        return
    files = report.witnessed_files
    # Of an unknown beacon nobody knows when a pulse was due.
    has_unknown = any(table.state.unverified for table in report.tables)
    in_time = "in time, where the beacon is known" if has_unknown else "each in time"
    heading(console, "Witnessed", f"{files:,} {'batch' if files == 1 else 'batches'} that named a pulse, {in_time}")
    if report.clock is not None:
        errors = clock_in_words(report.clock)
        unknown = "unknown for some records, which were read while a witnessed file was missing; audit once without the state file"
        right = "not wrong, as far as pulses and witnesses show"
        whole = report.state.witnessing.whole
        heading(console, "Operator's clock", "" if errors else right if whole else unknown)
        for text in errors if whole or not errors else [*errors, unknown]:
            item(console, text, "yellow")


def _show_custody(console: Console, report: AuditReport) -> None:
    """Show what custodians said of their batches; nothing if nobody asked."""
    custody = report.state.custody
    if custody is not None:
        heading(console, "Custodians", f"{custody.notes:,} {'note' if custody.notes == 1 else 'notes'} held")
        for sentence in custody.said:
            item(console, sentence)


def _spelled(rules: dict[str, int]) -> str:
    return ", ".join(f"{name} {value}" for name, value in sorted(rules.items())) or "none yet"


def _audit_verdict(report: AuditReport, kind: Kind) -> str:
    number = len(report.unfinished)
    unfinished = f" {number} {'thing is' if number == 1 else 'things are'} unfinished, see above." if number else ""
    records = f"{report.checkpoint.size:,} records of {count(len(report.tables), 'table')}"
    follow = (
        f"None of the {records} breaks a rule that could be checked"
        if kind is Kind.UNKNOWN
        else f"All {records} follow the rules"
    )
    drawn = "rounds that ended have" if report.drawn == report.rounds_ended else "ended rounds of known games have"
    return last_line(
        kind,
        f"{follow}, and the {report.drawn:,} {drawn} the outcomes that were fixed before.{unfinished}"
        " What was not checked stands above.",
    )


def audit_json(report: AuditReport, games: Games, now: str | None = None) -> LogAudited:
    """Return ``tables`` by name, what is ``unfinished``, which tables are ``silent`` or were ``never_played``, what
    the witnesses showed, ``remarks``, and what was ``not_checked``.
    """
    tables = report.tables
    return {
        **held_json("audit", report.head, report_unknown(report), is_empty=report.is_empty),
        "log": head_json(report.checkpoint),
        "witnessed": witnessed_json(report.head),
        "seen_before": report.seen_before,
        "rounds_ended": report.rounds_ended,
        "tables": [_table(table) for table in tables],
        "unfinished": [
            {
                "table": entry.table,
                "what": entry.what,
                "begun_at": entry.begun_at,
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


def _aid(fault: AidFault) -> AidFound:
    """Return a hint; ``rounds`` are the first and the last; absent for what leads to the table itself."""
    rounds = None if fault.rounds is None else [fault.rounds.start, fault.rounds.stop - 1]
    return {"table": fault.table, "rounds": rounds, "what": fault.what}


def _custody(report: AuditReport) -> CustodySeen | None:
    """Return how many custodians' notes held, and what they show; `None` if the policy has no custodian's key."""
    custody = report.state.custody
    return None if custody is None else {"notes": custody.notes, "said": custody.said}


def _clock(report: AuditReport) -> ClockSeen | None:
    """Return by how many milliseconds the operator's clock was slow and fast at least, and the record that shows it.

    ``whole`` is whether the times of all records were compared.
    """
    clock, witnessing = report.clock, report.state.witnessing
    if clock is None or witnessing is None:
        return None
    return {"slow": to_builtins(clock.slow), "fast": to_builtins(clock.fast), "whole": witnessing.whole}


def silent_json(report: AuditReport) -> list[Silent]:
    """Return the tables that fell silent with rounds left: since when, the log's newest time, and how many rounds."""
    return [to_builtins(each) for each in report.silent]


def _table(table: TableReport) -> TableAudited:
    # `in_catalogue`, here and below, is absent for a game that records know by its name.
    state, counts, named = table.state, table.state.counts, table.paytable
    return {
        "table": state.name,
        "table_id": state.table_id.hex(),
        "game": state.game,
        "in_catalogue": is_listed(state.game, state.declaration_text),
        "custodians": state.custodians,
        "beacon": None if state.salt == UNSALTED else state.salt,
        "bets_required": state.bets_required,
        "paytable": named.paytable or None,
        "paytable_in_catalogue": named.is_catalogues if named.paytable else None,
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
            {"batch": change.batch, "old_rules": change.before, "new_rules": change.after} for change in table.changes
        ],
        "unopened_batches": to_builtins(table.unopened),
    }
