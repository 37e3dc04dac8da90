"""The pictures of a whole log: returns, p-values, void rounds and times. `table_plots` has those of one table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

from verifier.stats.conduct.returns import LEVEL, WIDTH, TableReturn, has_standard_bet, standard_bet
from verifier.stats.conduct.timing import TableTiming
from verifier.stats.conduct.voids import CLASSES, class_of_voids, void_wins
from verifier.stats.numbers.columns import TableColumns
from verifier.stats.numbers.family import FALSE_ALARMS, Judged
from verifier.stats.numbers.words import per_cent, some_of
from verifier.stats.output import drawing
from verifier.stats.output.drawing import BAND, INK, LINE, ODD, PALE, SEEN, Picture, figure_of, picture

_SMALLEST = 1e-12
"""Smaller p-values are drawn here."""


def returns_at_a_glance(returns: Sequence[TableReturn]) -> Picture | None:
    """Return every table's return, with its tolerance; `None` if there are none."""
    if not returns:
        return None
    figure, axes = _rows([f"{found.table}, {found.bet.text}" for found in returns])
    for row, found in enumerate(returns[::-1]):
        _in_band(axes, row, found.returned - found.expected, 0.0, found.tolerance)
    axes.axvline(0, color=INK, linewidth=1)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:+.2f}".replace("-", drawing.MINUS)))
    axes.set_xlabel("observed minus theoretical return, in percentage points")
    listed = (
        f"{found.table} {per_cent(found.returned)}, in theory {per_cent(found.expected)} ± {per_cent(found.tolerance)}"
        for found in returns
    )
    return picture(
        figure,
        "returns",
        "Observed against theoretical return of every table",
        f"A dot is what the standard bet returned, relative to its exact expectation at zero. The band is the tolerance: honest"
        f" returns are inside with a chance of {LEVEL:.0%} for each table. A diamond marks a return outside. Returns:"
        f" {'; '.join(listed)}.",
    )


def p_values(judged: Sequence[Judged]) -> Picture | None:
    """Return all p-values in ascending order, where chance would put them, and where an alarm begins."""
    found = np.sort([each.finding.p for each in judged if each.finding.p is not None])
    n, alarms = len(found), sum(each.alarm for each in judged)
    if not n:
        return None
    rank = np.arange(1, n + 1)
    expected, shown = rank / (n + 1), np.maximum(found, _SMALLEST)
    low, high = (scipy.stats.beta.ppf(edge, rank, n + 1 - rank) for edge in drawing.TAILS)
    figure, axes = figure_of(drawing.HALF, 3.6, top=0.45)
    axes.fill_between(expected, low, high, color=BAND, linewidth=0, label=f"{LEVEL:.0%} of the time")
    axes.plot(expected, expected, color=INK, linewidth=1, label="expected")
    axes.plot(expected, FALSE_ALARMS / (n + 1 - rank), color=ODD, linestyle="--", linewidth=1.2, label="alarm (Holm)")
    axes.scatter(expected[alarms:], shown[alarms:], s=11, color=SEEN, zorder=3, label="tests")
    if alarms:
        axes.scatter(expected[:alarms], shown[:alarms], s=34, color=ODD, marker="D", zorder=4, label="alarms")
    axes.set(xscale="log", yscale="log", xlabel="expected p-value", ylabel="p-value", ylim=(None, 4))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set(major_formatter=drawing.SHORT, minor_locator=NullLocator())
    axes.grid(visible=True)
    axes.legend(loc="lower center", bbox_to_anchor=(0.45, 1), ncols=3)
    return picture(
        figure,
        "p-values",
        "All p-values, smallest first",
        f"Each dot is one of {n} tests. If nothing but chance is at work, the dots follow the line; tests of the same"
        f" rounds depend on one another, so dots can stray together. {some_of(alarms, n, 'tests')} on or below the dashed line. Values smaller than {_SMALLEST:.0e} are drawn there.",
    )


def _rows(
    names: Sequence[str], height: float = 0.0, *, bottom: float = 0.5, top: float = 0.06
) -> tuple[Figure, Axes]:
    """Return an empty plot with a named row for each table, the first one at the top."""
    # The room for names is by an upper bound of the average width of a character.
    beside = 0.2 + 0.075 * max(map(len, names))
    figure, axes = figure_of(drawing.WIDE, height or 0.6 + 0.34 * len(names), left=beside, bottom=bottom, top=top)
    axes.set_yticks(range(len(names)), names[::-1])
    axes.set_ylim(-0.6, len(names) - 0.4)
    axes.tick_params(axis="y", length=0)
    return figure, axes


def _in_band(axes: Axes, row: int, found: float, expected: float, reach: float) -> None:
    """Draw what was found, and the range of what is expected; outside it the mark has another shape."""
    marker, color, size = ("D", ODD, 8) if abs(found - expected) > reach else ("o", SEEN, 7)
    axes.barh(row, 2 * reach, left=expected - reach, height=0.5, color=BAND)
    axes.plot(found, row, marker=marker, color=color, markersize=size)


_MARKS = (("^", "#8fa3b8"), ("o", SEEN), ("X", ODD))
"""Shape and colour of each of the `CLASSES`."""
_STEPS = 120
_DAY = 86_400_000


def void_time_line(tables: Sequence[TableColumns]) -> Picture | None:
    """Return when rounds were void, and what had preceded them; `None` if there are none."""
    if all(columns.played.all() for columns in tables):
        return None
    figure, axes = _rows([columns.name for columns in tables], 0.75 + 0.5 * len(tables), bottom=0.45, top=0.3)
    first = min(int(columns.revealed[0]) for columns in tables if len(columns))
    last = max(int(columns.revealed[-1]) for columns in tables if len(columns))
    width = max(1, (last - first) / _STEPS)
    for row, columns in enumerate(tables[::-1]):
        axes.axhline(row, color=LINE, linewidth=0.8, zorder=1)
        steps = ((columns.revealed[~columns.played] - first) // width).astype(np.int64)
        classes = class_of_voids(columns)
        for place, (marker, color) in enumerate(_MARKS):
            at, counts = np.unique(steps[classes == place], return_counts=True)
            moments, heights = (first + (at + 0.5) * width) / _DAY, np.full(len(at), row + (1 - place) * 0.22)
            sizes = 10 + 14 * np.log2(counts)
            axes.scatter(moments, heights, s=sizes, color=color, marker=marker, linewidths=0, zorder=3)
    locator = AutoDateLocator(minticks=4, maxticks=9)  # type: ignore[no-untyped-call]  # not typed yet
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]  # not typed yet
    axes.set_xlim(first / _DAY, max(last, first + 1) / _DAY)
    for name, (marker, color) in zip(CLASSES, _MARKS, strict=True):
        axes.scatter([], [], s=26, color=color, marker=marker, linewidths=0, label=name)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=len(CLASSES))
    listed = (f"{columns.name} {int((~columns.played).sum()):,} of {len(columns):,}" for columns in tables)
    return picture(
        figure,
        "voids",
        "Void rounds over time",
        "A mark is a void round, by the operator's clock; a larger one stands for several that are close in time. A triangle was"
        " never opened, a dot was opened and given up, and a cross was locked, so its engine knew the outcome. Void rounds:"
        f" {'; '.join(listed)}.",
    )


def void_chances(tables: Sequence[TableColumns]) -> Picture | None:
    """Return how often the standard bet would have won in void rounds, with its tolerance; `None` without any."""
    some = [columns for columns in tables if not columns.played.all() and has_standard_bet(columns)]
    if not some:
        return None
    shown = [(columns.name, void_wins([columns])) for columns in some]
    figure, axes = _rows([f"{columns.name}, {standard_bet(columns).text}" for columns in some])
    for row, (_, found) in enumerate(shown[::-1]):
        expected = found.law.mean / found.voids
        axes.plot([expected, expected], [row - 0.3, row + 0.3], color=INK, linewidth=1.6)
        _in_band(axes, row, found.won / found.voids, expected, WIDTH * found.law.deviation / found.voids)
    axes.set(xlim=(-0.02, 1.02), xlabel="void rounds in which the standard bet would have won")
    axes.xaxis.set_major_formatter(drawing.per_cents(0))
    listed = (f"{name} {found.won:,} of {found.voids:,}" for name, found in shown)
    return picture(
        figure,
        "void-wins",
        "Would players have won in void rounds?",
        f"A dot is the share of void rounds in which the standard bet would have won, the line the share in all rounds of the"
        f" table. If nobody chose, the dot is in the band with a chance of about {LEVEL:.0%}; a diamond marks a share outside. Would have won:"
        f" {'; '.join(listed)}.",
    )


def reveal_times(timings: Sequence[TableTiming]) -> Picture | None:
    """Plot the times from lock to reveal: the median, 99 of 100, the longest; `None` if nothing was revealed."""
    shown = [(each.table, each.reveals) for each in timings if each.reveals is not None]
    if not shown:
        return None
    figure, axes = _rows([name for name, _ in shown], 0.8 + 0.34 * len(shown), top=0.3)
    for row, (_, spread) in enumerate(shown[::-1]):
        median, most, longest = (
            max(1, each) / 1000 for each in (spread.median_ms, spread.most_ms, spread.longest_ms)
        )
        axes.plot([median, most], [row, row], color=PALE, linewidth=7, solid_capstyle="butt")
        axes.plot([most, longest], [row, row], color=SEEN, linewidth=1.2)
        axes.plot(median, row, "o", color=SEEN, markersize=7)
        axes.plot(most, row, "|", color=INK, markersize=12, markeredgewidth=1.6)
        axes.plot(longest, row, "D", color=INK, markersize=5)
    for mark, color, label in (("o", SEEN, "median"), ("|", INK, "99 of 100 take at most"), ("D", INK, "longest")):
        axes.plot([], [], mark, color=color, label=label)
    axes.set(xscale="log", xlabel="seconds from lock to reveal")
    axes.xaxis.set(major_formatter=drawing.SHORT, minor_locator=NullLocator())
    axes.grid(visible=True, axis="x")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3)
    listed = (f"{name} {s.median_ms / 1000:g}, {s.most_ms / 1000:g}, {s.longest_ms / 1000:g}" for name, s in shown)
    return picture(
        figure,
        "reveals",
        "From lock to reveal",
        "How long rounds took, by the operator's clock, on a log axis. Flights take as long as they fly. Median, 99 of 100, and"
        f" longest, in seconds: {'; '.join(listed)}.",
    )
