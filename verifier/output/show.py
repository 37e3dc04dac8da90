"""Verdicts for people: what held, what is unfinished, and what nobody could check."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter

from fairness.checks import MEANING
from fairness.draws.game import Games
from fairness.errors import CheckFailed, NotShown, Unreadable
from fairness.limits import ROUNDS_AFTER_END
from games.bets.bet import decimal_text
from games.bets.settlement import Settled
from games.declared.catalogue import is_listed
from games.order import Thing
from verifier.audit.report import AuditReport, TableReport
from verifier.caveats import clock_in_words, report_caveats, report_unknown
from verifier.output.kind import Kind, kind_of
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
    show_salt,
    show_unknown,
)
from verifier.output.verdicts import bet_verdict, last_line, round_verdict
from verifier.output.witnesses import show_batch_witnessed, show_witnesses
from verifier.remarks import log_remarks, round_remarks
from verifier.round.bet_check import BetReport
from verifier.round.report import Passed, RoundReport
from verifier.sentences import MEANS, MOST_NAMED, Line, Verdict
from verifier.typing_error import Mistyped
from verifier.watch.events import Event, EventKind

_COLUMNS = (
    *("table", "game", "state", "played", "void-unopened", "void-opened", "void-locked"),
    *("unused", "committed", "lead", "smallest"),
)
_LEFT_COLUMNS = 3
_OUTCOMES_SHOWN = 10
_THINGS_IN_A_ROW = 13
_LEGEND = (
    "void-unopened: given up before it was opened; void-opened: given up after; void-locked: void after betting was over;"
    " unused: committed, and left over when the table was closed; committed: through this round; smallest: the least"
    " number of rounds played between the commitment of a round and its lock"
)

_BY_NAME = "one of the games that every verifier knows by name"
_AS_LISTED = "as the catalogue of this verifier declares it"
_NOT_LISTED = "which the catalogue of this verifier does not declare so: the operator's own, or newer"
_ONLY_LATER = "If an audit of a later checkpoint still finds it unfinished, it hangs; no single log can show that."
_SALTS_COME_LATE = " A salt may come as late as an hour after its batch."


def show_audit(console: Console, report: AuditReport, games: Games, now: str | None = None) -> None:
    """The tables, their batches and rules, what is unfinished, what was not checked, and the verdict."""
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


def show_round(console: Console, report: RoundReport, now: str | None = None) -> None:
    """The round, how far ahead it was fixed, what was checked and what was not, and the verdict in the last line."""
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
    line(console, "Committed", report.committed + (f", {ahead}" if report.salt is None else ""))
    show_batch_witnessed(console, report.witnessed)
    show_salt(console, report.salt, f", {ahead}")
    line(console, "Opened", report.opened or "never")
    line(console, "Locked", report.locked)
    line(console, "Revealed", report.revealed)
    show_witnesses(console, report.head)
    console.print()
    heading(console, "Checked")
    for passed in report.passed:
        item(console, passed.text + _records(passed), "green")
    show_remarks(console, round_remarks(report.revealed, now))
    show_unknown(console, report.unknown)
    show_not_checked(console, report.not_checked)
    console.print()
    plain(console, round_verdict(report), kind_of(report.head, report.unknown).colour)


def _show_own_game(console: Console, table: TableReport) -> None:
    state = table.state
    if is_listed(state.game, state.declaration_text) is False:
        plain(console, f"{state.name}: plays {state.game}, {_NOT_LISTED}", "yellow")
    if table.paytable.paytable and not table.paytable.is_catalogues:
        plain(console, f"{state.name}: its bets pay by a paytable of the operator's own", "yellow")


def show_settled(console: Console, settled: Settled) -> None:
    """What becomes of a bet, in words."""
    name = settled.bet.text + (f" after {settled.bet.after}" if settled.bet.after else "")
    if settled.pays is None:
        line(console, "Bet", f"{name}: still open; in the next round it is written {settled.next}")
    elif settled.odds is not None:
        line(
            console,
            "Bet",
            f"{name}: wins {settled.odds}, and pays {decimal_text(settled.pays)} for each 1 of the stake",
        )
    elif settled.result == "void":
        line(console, "Bet", f"{name}: void, and the stake is returned")
    else:
        line(console, "Bet", f"{name}: loses")


def show_game(console: Console, game: str, declaration: str) -> None:
    """Whether the catalogue declares it so; or, without a declaration, that it is known by its name."""
    whose = {None: _BY_NAME, True: _AS_LISTED, False: _NOT_LISTED}[is_listed(game, declaration)]
    line(console, "Game", f"{game}, {whose}")


def show_order(console: Console, order: Sequence[Thing]) -> None:
    """The history of a hand: the things of the order, each line with the position of its first one."""
    if order:
        console.print()
        heading(console, "Order", f"{count(len(order), 'thing')}, each line with its first position")
    for place, of_place in groupby(order, attrgetter("place")):
        things = list(of_place)
        for row in (things[at : at + _THINGS_IN_A_ROW] for at in range(0, len(things), _THINGS_IN_A_ROW)):
            plain(console, f"  {row[0].position:>4}  {place}: {' '.join(str(each.thing) for each in row)}")


def show_bet(console: Console, report: BetReport, now: str | None = None) -> None:
    """The bet and its round, each step that held, what was not checked, and the verdict in the last line."""
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
        item(console, passed.text + _records(passed), "green", mark=f"{number}.")
    show_remarks(console, round_remarks(report.newest_time, now))
    show_unknown(console, report.unknown)
    show_not_checked(console, report.not_checked)
    console.print()
    plain(console, bet_verdict(report), kind_of(report.head, report.unknown).colour)


def _bet_in_words(console: Console, line_of_bet: bytes) -> str:
    """A bet's line, without anything that this terminal would interpret or cannot show."""
    text = line_of_bet.decode(errors="backslashreplace")
    plain_text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return plain_text.encode(console.encoding, "backslashreplace").decode(console.encoding)


def ahead_in_words(report: RoundReport) -> str:
    """How far ahead the commitment was in the log.

    A table's first rounds get no number: no round before them could show the lead, and theirs is smaller.
    """
    first = report.round - report.ahead
    before = "before the table's first round was locked" if first == 1 else f"before round {first} was locked"
    return f"{count(report.ahead, 'round')} ahead, {before}" if report.ahead >= report.lead else before


def show_failure(console: Console, error: CheckFailed, evidence: str | None) -> None:
    """Which check failed, and everything that is known about it."""
    plain(console, Line.FAILED.fill(check=error.check.value), "bold red")
    _show_what_failed(console, error)
    if evidence:
        line(console, "Evidence", evidence)
    console.print()
    paragraph(console, f"What it means: {MEANS[error.fault]}")


def show_not_shown(console: Console, error: NotShown) -> None:
    """What this log does not show, that nobody is accused, and what to do."""
    plain(console, Line.NOT_SHOWN.fill(check=error.check.value), "bold yellow")
    _show_what_failed(console, error)
    for sentence in error.ways_on:
        paragraph(console, sentence, "yellow")


def show_mistyped(console: Console, error: Mistyped) -> None:
    """That a code is none, where it is wrong, and what may have been meant."""
    plain(console, Line.MISTYPED.fill(check=error.check.value), "bold yellow")
    _show_what_failed(console, error)
    if error.typing is not None and error.typing.places:
        line(console, "Place", f"character {' and '.join(map(str, error.typing.places))} or so")
    if error.typing is not None and error.typing.suggestion:
        line(console, "Perhaps", f"{error.typing.suggestion} (a guess: compare it with the original)")
    plain(console, "Nothing was checked, and this says nothing about anybody.", "yellow")


def _show_what_failed(console: Console, error: CheckFailed) -> None:
    line(console, "Must hold", MEANING[error.check])
    if error.index is not None:
        line(console, "Record", str(error.index))
    if error.where:
        line(console, "Where", error.where)
    line(console, "Expected", error.expected)
    line(console, "Found", error.found)


def show_event(console: Console, event: Event, moment: str) -> None:
    """A line with its time; below an alarm, what was expected and found, and where the evidence is."""
    if not event.is_alarm:
        style = (
            "yellow"
            if event.kind in {EventKind.TROUBLE, EventKind.UNKNOWN, EventKind.SANDBOX, EventKind.CLOCK}
            else "green"
            if event.kind is EventKind.RECOVERED
            else ""
        )
        plain(console, f"{moment}  {event.text}", style)
        return
    plain(console, f"{moment}  ALARM {event.kind}: {event.text}", "bold red")
    if event.failure is not None:
        line(console, "Check", event.failure.check.value)
        _show_what_failed(console, event.failure)
    if event.evidence:
        line(console, "Evidence", event.evidence)
    if event.failure is not None:
        paragraph(console, f"What it means: {MEANS[event.failure.fault]}")


def show_only_unknown(console: Console, sentences: Sequence[str]) -> None:
    """What this verifier does not know, if nothing else could be said. That is evidence against nobody."""
    show_unknown(console, sentences)
    plain(console, Line.UNKNOWN.fill(verdict=Verdict.NOTHING_CHECKED), "yellow")


def show_unreadable(console: Console, error: Unreadable) -> None:
    """Which file could not be read. That says nothing about the operator's honesty."""
    plain(console, Line.UNREADABLE, "bold yellow")
    line(console, "File", error.path)
    line(console, "Why", error.why)


def _records(passed: Passed) -> str:
    records = ", ".join(map(str, passed.records))
    return f" (record{'s' if len(passed.records) > 1 else ''} {records})" if records else ""


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
    if counts.without_digest is None or counts.without_bets is None:
        item(
            console,
            "bets: rounds without a digest were not counted, because an older program made the state file; audit once without it",
            "yellow",
        )
    elif locked:
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
    if not table.state.closed or not unused:
        return
    if outcomes is None:
        text = "what the unused rounds would have been is unknown, because an older program made the state file; audit once without it"
        item(console, text, "yellow")
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
    """How many batches witnesses saw in time, and what that says about the operator's clock; nothing if nobody asked."""
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
    """What custodians said of their batches; nothing if nobody asked."""
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
