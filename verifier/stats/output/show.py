"""Statistics for people: what the verdict rests on, and the verdict in the last line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from verifier.output.kind import last_line
from verifier.output.printing import (
    Console,
    count,
    heading,
    item,
    line,
    paragraph,
    plain,
    show_not_checked,
    show_unknown,
)
from verifier.stats.conduct.timing import Spread
from verifier.stats.numbers.chance import percent
from verifier.stats.numbers.family import FALSE_ALARMS, Judged
from verifier.stats.numbers.finding import Finding
from verifier.stats.numbers.words import duration, p_text, per_cent
from verifier.stats.statistics import Statistics

if TYPE_CHECKING:
    from verifier.stats.output.verdict import Verdict

_MOST_CONSPICUOUS = 3
_LEFT = 2
"""The first columns of a list are words, aligned to the left."""


def show_statistics(console: Console, verdict: Verdict, written: str | None, *, in_full: bool) -> None:
    """Print the tables, what was tested and found, what would have been noticed, and what was not checked.

    ``in_full``: every test.
    """
    found, kind = verdict.found, verdict.kind
    outcome = "every outcome that is known here" if verdict.unknown else "every outcome"
    line(console, "Log", found.checkpoint.origin)
    line(console, "Records", f"{found.checkpoint.size:,}, all audited: {outcome} follows from seeds that were fixed")
    line(console, "Root", found.checkpoint.root.hex())
    console.print()
    _show_returns(console, found)
    _show_timing(console, found)
    _show_voids(console, found)
    _show_ends(console, found, verdict.silent)
    _show_tests(console, found)
    if in_full:
        _show_every_test(console, found.judged)
    else:
        _show_conspicuous(console, found)
        _show_power(console, found)
    _show_skipped(console, found)
    show_unknown(console, verdict.unknown)
    show_not_checked(console, verdict.not_checked)
    console.print()
    if written:
        line(console, "Written", written)
    text, style = _last_line(found, held=kind.is_good)
    plain(console, *((text, style) if kind.is_good else (last_line(kind, text), kind.colour)))


def _show_returns(console: Console, found: Statistics) -> None:
    of = {each.table: each for each in found.returns}
    rows: list[tuple[str, ...]] = [
        ("table", "game", "played", "void", "standard bet", "returned", "should be", "99 % within")
    ]
    for table in found.tables:
        own, played = of.get(table.name), int(table.played.sum())
        figures: tuple[str, ...] = ("-",) * 4
        if own is not None:
            returned, expected, tolerance = (
                per_cent(each, 2) for each in (own.returned, own.expected, own.tolerance)
            )
            figures = (own.bet.text, returned, expected, f"± {tolerance}")
        rows.append((table.name, table.game, f"{played:,}", f"{len(table) - played:,}", *figures))
    _show_rows(console, rows)
    console.print()


def _show_timing(console: Console, found: Statistics) -> None:
    rows: list[tuple[str, ...]] = [
        ("table", "lead", "kept, least", "kept, median", "lock to reveal", "99 of 100", "longest", "slow")
    ]
    for each in found.timings:
        kept = ("-" if lead is None else f"{lead:,}" for lead in (each.lead_least, each.lead_median))
        rows.append((each.table, str(each.lead), *kept, *_spread(each.reveals), f"{each.slow_in_all:,}"))
    _show_rows(console, rows, left=1)
    paragraph(
        console,
        "kept: rounds played between the commitment of a round and its lock; lock to reveal: the median; slow: more than"
        " ten times as long as others of its kind",
        "dim",
    )
    for slow in (slow for each in found.timings for slow in each.slow[:_MOST_CONSPICUOUS]):
        took, usual = duration(slow.took_ms), duration(slow.usual_ms)
        item(console, f"{slow.table}: round {slow.round:,} took {took}, comparable rounds {usual}", "yellow")
    console.print()


def _spread(spread: Spread | None) -> tuple[str, str, str]:
    if spread is None:
        return "-", "-", "-"
    return duration(spread.median_ms), duration(spread.most_ms), duration(spread.longest_ms)


def _show_voids(console: Console, found: Statistics) -> None:
    void = [each for each in found.voids if each.void]
    heading(console, "Void rounds", "" if void else "none")
    for each in void:
        classes = ", ".join(f"{rounds:,} {name}" for name, rounds in each.by_class.items() if rounds)
        share = f"{count(each.void, 'round')} of {each.rounds:,} ({percent(each.rate)})"
        item(console, f"{each.table}: {share}: {classes}")
        reasons = (f"{why.reason!r} {why.rounds:,}" for why in each.reasons[:_MOST_CONSPICUOUS])
        _more(console, f"reasons: {'; '.join(reasons)}")
    console.print()


def _show_ends(console: Console, found: Statistics, silent: Sequence[str]) -> None:
    heading(console, "Closed tables", "" if found.ends else "none with rounds left")
    for each in found.ends:
        given_up = f", {count(each.given_up, 'round')} given up" if each.given_up else ""
        left = f"{given_up}, {count(each.unused, 'round')} unused"
        goes_on = f"it would have gone on: {', '.join(each.next_outcomes)}"
        item(console, f"{each.table}: played to round {each.last:,}{left}; {goes_on}")
        wins = (f"{wins.won:,} of the first {wins.rounds:,}, {wins.expected:,.1f} expected" for wins in each.wins)
        _more(console, f"{each.bet} would have won {'; '.join(wins)}")
    heading(console, "Silent tables", "" if silent else "none")
    for text in silent:
        item(console, text, "yellow")
    console.print()


def _show_tests(console: Console, found: Statistics) -> None:
    """Print one line for each kind of test: how many were run, and their smallest p."""
    rows = [("test", "tables", "run", "smallest p", "after Holm", "")]
    kinds = list(dict.fromkeys(each.finding.test for each in found.tested))
    for kind in kinds:
        own = [each for each in found.tested if each.finding.test == kind]
        least = min(own, key=lambda each: each.finding.p or 0.0)
        tables = f"{len({table for each in own for table in each.finding.tables})} of {len(found.tables)}"
        p, adjusted = p_text(least.finding.p), p_text(least.adjusted)
        rows.append((kind, tables, str(len(own)), p, adjusted, "ALARM" if least.alarm else "held"))
    _show_rows(console, rows, left=1, last_left=True)
    paragraph(
        console,
        f"p: the chance that honest rounds look at least as strange; after Holm: adjusted for all {len(found.tested)} tests,"
        f" an alarm at {percent(FALSE_ALARMS)} or less",
        "dim",
    )


def _show_conspicuous(console: Console, found: Statistics) -> None:
    console.print()
    if found.alarms:
        heading(console, "Alarms")
    else:
        heading(console, "Most conspicuous", "and no more than chance explains")
    for each in found.alarms or found.by_p[:_MOST_CONSPICUOUS]:
        _show_one(console, each)


def _show_every_test(console: Console, judged: Sequence[Judged]) -> None:
    for each in judged:
        if each.adjusted is not None:
            if each.finding.test == "chi-square" or each.alarm:
                console.print()
            _show_one(console, each, in_full=True)


def _show_one(console: Console, judged: Judged, *, in_full: bool = False) -> None:
    finding = judged.finding
    style = "bold red" if judged.alarm else ""
    item(console, f"{_where(finding)}: {finding.observed}; expected {finding.expected}", style)
    rest = f"{finding.test}, p {p_text(finding.p)}, after Holm {p_text(judged.adjusted)}; {finding.null_law}"
    _more(console, rest)
    if in_full and judged.power:
        _more(console, judged.power)


def _more(console: Console, text: str) -> None:
    """Print what there is to say of an item."""
    paragraph(console, text, "dim", first="    ", rest="    ")


def _where(finding: Finding) -> str:
    tables = finding.tables
    words = " and ".join(tables) if len(tables) < 3 else f"{tables[0]} to {tables[-1]}"
    return f"{words}, {finding.subject}"


def _show_power(console: Console, found: Statistics) -> None:
    """Show what the tests that people understand best would have noticed; `--full` and `--json` have all of them."""
    console.print()
    heading(console, "Would have noticed", "with 90 % chance, all tests considered")
    noticed: dict[tuple[str, ...], dict[str, str]] = {}
    for each in found.tested:
        finding = each.finding
        if finding.test in _TOLD and each.power:
            # Of several groupings, the last one is the coarsest, the one that players bet on.
            noticed.setdefault(finding.tables, {})[finding.test] = _in_short(each.power)
    for tables, sentences in noticed.items():
        words = tables[0] if len(tables) == 1 else f"{len(tables)} tables"
        item(console, f"{words}: {'; '.join(sentences.values())}")


_TOLD = ("count", "cash-outs", "serial", "overlap", "correlation")


def _in_short(power: str) -> str:
    return power.removeprefix("would have noticed ").replace(" with 90 % chance", "")


def _show_skipped(console: Console, found: Statistics) -> None:
    if not found.skipped:
        return
    console.print()
    heading(console, "Not tested")
    by_reason: dict[str, list[Finding]] = {}
    for finding in found.skipped:
        by_reason.setdefault(f"{finding.test}, {finding.subject}: {finding.skipped}", []).append(finding)
    for reason, findings in by_reason.items():
        tables = dict.fromkeys(table for finding in findings for table in finding.tables)
        item(console, f"{reason} ({', '.join(tables)})")


def _last_line(found: Statistics, *, held: bool) -> tuple[str, str]:
    """Return the last line, and its colour. A log of which something is unknown has not ``held``."""
    rounds, tested = sum(int(table.played.sum()) for table in found.tables), len(found.tested)
    if not tested:
        text = f"{'Held, and nothing' if held else 'Nothing'} was tested: {count(rounds, 'round')} are too few."
        return text, "yellow"
    if found.alarms:
        rare = f"{'The log held, but of' if held else 'Of'} a hundred honest logs at most one looks so."
        return f"IMPROBABLE: {count(len(found.alarms), 'alarm')} in {tested} tests. {rare}", "bold red"
    text = f"{'Held, and no' if held else 'No'} alarm: {tested} tests of {rounds:,} rounds find nothing that chance does not explain."
    return text, "green"


def _show_rows(
    console: Console, rows: Sequence[tuple[str, ...]], *, left: int = _LEFT, last_left: bool = False
) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for number, row in enumerate(rows):
        cells = [
            cell.ljust(width) if at < left or (last_left and at == len(row) - 1) else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        style = "bold" if number == 0 else "bold red" if row[-1] == "ALARM" else ""
        plain(console, "  ".join(cells).rstrip(), style)
