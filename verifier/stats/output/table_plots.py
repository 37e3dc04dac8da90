"""The pictures of one table: outcomes against theory, its board or its survival curve, its running return."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

import numpy as np
import scipy
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from verifier.stats.conduct.returns import LEVEL, Running, has_standard_bet, running_return, standard_bet
from verifier.stats.numbers.cells import Bars, HeatMap, bars_of_device, bars_of_flights, heat_map, survival
from verifier.stats.numbers.columns import TableColumns
from verifier.stats.numbers.flights import hundredths
from verifier.stats.numbers.samples import parts_by_rules
from verifier.stats.numbers.words import per_cent, some_of
from verifier.stats.output import drawing
from verifier.stats.output.drawing import BAND, GREY, INK, LINE, ODD, PALE, SEEN, Picture, figure_of, picture

_WARM_AND_COLD = LinearSegmentedColormap.from_list("deviations", ["#7fb0dd", "#ffffff", "#f2a65a"])
_DASH, _SIGMA = "\N{EN DASH}", "\N{GREEK SMALL LETTER SIGMA}"
_MOST_DEVICES = 6
"""The most devices that are drawn; of a slot with more reels, the first ones."""
_ROWS = 8
"""A board with this many rows has no room for counts."""
_MANY, _LONG = 12, 4
"""More names than this, or longer ones, are written vertically under their bars."""


def table_pictures(columns: TableColumns) -> list[Picture]:
    """Return what each device gave under the rules of most rounds, or how flights went; and the running return."""
    if not columns.played.any():
        return []
    drawn = [*_flights(columns)] if columns.is_flight else [*_devices(columns)]
    return [*drawn, _running(columns)] if has_standard_bet(columns) else drawn


def _flights(columns: TableColumns) -> Iterator[Picture]:
    yield _bars(bars_of_flights(columns), f"{columns.name}-bars", f"{columns.name}: outcomes against theory")
    yield _survival(columns)


def _devices(columns: TableColumns) -> Iterator[Picture]:
    most = max(parts_by_rules(columns, columns.played), key=lambda part: int(part.rounds.sum()))
    for at, drawn in enumerate(most.drawn[:_MOST_DEVICES]):
        device = drawn.device
        what = device.name if device.whole is None else "outcomes"
        title = f"{columns.name}: {what if device.way != 'ranked' else 'who won'} against theory"
        yield _bars(bars_of_device(drawn), f"{columns.name}-device-{at}", title)
        if device.whole is not None:
            yield _heat_map(columns.name, heat_map(drawn, device.whole))


def _bars(found: Bars, name: str, title: str) -> Picture:
    """Return counts against theory, and how far off they are."""
    edge, places = _edge_of_all(len(found.names)), np.arange(len(found.names))
    odd = np.abs(found.deviations) > edge
    figure, above, below = drawing.two_plots(bottom=0.75)
    above.bar(places, found.counts, width=0.72, color=PALE, edgecolor=SEEN, linewidth=0.6, label="observed")
    above.hlines(found.expected, places - 0.46, places + 0.46, color=INK, linewidth=1.6, label="expected")
    above.yaxis.set_major_formatter(drawing.THOUSANDS)
    above.set(ylabel="times", ylim=(0, 1.22 * max(found.counts.max(), found.expected.max())))
    above.legend(loc="upper right", ncols=2)
    below.axhspan(-edge, edge, color=BAND, linewidth=0)
    below.axhline(0, color=INK, linewidth=1)
    below.vlines(places, 0, found.deviations, color=SEEN, linewidth=1.2)
    below.scatter(places[~odd], found.deviations[~odd], s=12, color=SEEN, zorder=3)
    below.scatter(places[odd], found.deviations[odd], s=36, color=ODD, marker="D", zorder=4)
    reach = max(edge, float(np.abs(found.deviations).max())) * 1.15
    below.set(ylim=(-reach, reach), ylabel=f"off by ({_SIGMA})")
    below.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    _name(below, found.names)
    most = int(np.argmax(np.abs(found.deviations)))
    return picture(
        figure,
        name,
        title,
        f"Bars are counts in played rounds, lines what the exact law expects. Below, how far off each is, in standard deviations:"
        f" all {len(found.names)} are in the band at once with a chance of {LEVEL:.0%}. {some_of(int(odd.sum()), len(odd), 'cells')} outside."
        f" The farthest is {found.names[most]}: {found.counts[most]:,} of {found.expected[most]:,.1f} expected,"
        f" {found.deviations[most]:+.2f}.",
    )


def _name(axes: Axes, names: Sequence[str]) -> None:
    cut = ((".00", ""), (" up to ", _DASH), (" to ", _DASH), ("sum ", ""), ("sector ", ""))
    short = [reduce(lambda text, pair: text.replace(*pair), cut, name) for name in names]
    upright = len(short) > _MANY or max(map(len, short)) > _LONG
    axes.set_xticks(range(len(short)), short, rotation=90 if upright else 0, fontsize=7 if upright else 8)
    axes.tick_params(axis="x", length=0)


def _heat_map(table: str, found: HeatMap) -> Picture:
    """Return counts in the layout of a board."""
    cells, edge = found.bars, _edge_of_all(len(found.bars.names))
    across, down = int(found.columns.max()) + 1, int(found.rows.max()) + 1
    counts = down < _ROWS
    scale = Normalize(-max(edge, 3), max(edge, 3), clip=True)
    figure, axes = figure_of(drawing.HALF, min(3.6, 0.9 * down), left=0.02, bottom=0.02, top=0.02)
    for at, (row, column) in enumerate(zip(found.rows.tolist(), found.columns.tolist(), strict=True)):
        off = float(cells.deviations[at])
        frame, width = (ODD, 2) if abs(off) > edge else (LINE, 0.6)
        corner, colour = (column + 0.03, row + 0.03), _WARM_AND_COLD(scale(off))
        axes.add_patch(Rectangle(corner, 0.94, 0.94, facecolor=colour, edgecolor=frame, linewidth=width))
        count = f"{cells.counts[at]:,}" if counts else ""
        _write_cell(
            axes, (column + 0.5, row + 0.5), cells.names[at], count, f"{off:+.1f}".replace("-", drawing.MINUS)
        )
    axes.set(xlim=(0, across), ylim=(down, 0))
    axes.axis("off")
    most, least = int(np.argmax(cells.deviations)), int(np.argmin(cells.deviations))
    return picture(
        figure,
        f"{table}-board",
        f"{table}: {found.what.lower()}",
        f"Each cell has its name{', its count' if counts else ''} and its distance from the {cells.expected[0]:,.1f} expected, in"
        f" standard deviations: blue with a minus is too few, orange with a plus too many. A thick frame is outside"
        f" ±{edge:.1f}; all {len(cells.names)} are within at once with a chance of {LEVEL:.0%}. Most often:"
        f" {cells.names[most]} ({cells.counts[most]:,}); least often: {cells.names[least]} ({cells.counts[least]:,}).",
    )


def _write_cell(axes: Axes, at: tuple[float, float], name: str, *figures: str) -> None:
    hearts, spades = "\N{BLACK HEART SUIT}", "\N{BLACK SPADE SUIT}"
    short = name.replace("sector ", "").replace(" red", hearts).replace(" black", spades)
    lines = [(name[-1] if name.startswith("die") else short, 7.8, "bold")]
    lines += [(text, 6, "normal") for text in figures if text]
    for place, (text, size, weight) in enumerate(lines):
        below = (0, 9.5 * ((len(lines) - 1) / 2 - place))
        axes.annotate(
            text, at, below, textcoords="offset points", ha="center", va="center", fontsize=size, fontweight=weight
        )


def _survival(columns: TableColumns) -> Picture:
    """Return the share of rounds that reached each cash-out on log axes, and its ratio to the exact law."""
    found = survival(columns)
    low, high = (scipy.stats.binom.ppf(edge, found.rounds, found.exact) / found.rounds for edge in drawing.TAILS)
    x, floor = found.at / 100, 0.5 / found.rounds
    drawn, seen, some = found.exact >= floor, found.reached > 0, found.exact > 0
    figure, above, below = drawing.two_plots(bottom=0.5)
    tolerance = np.maximum(low, floor), np.maximum(high, floor)
    above.fill_between(x, *tolerance, color=BAND, linewidth=0, label="tolerance")
    above.plot(x[drawn], found.exact[drawn], color=INK, linewidth=1.2, label="exact law")
    above.plot(x[seen], found.reached[seen], ".", color=SEEN, markersize=4, label="observed")
    above.set(xscale="log", yscale="log", ylabel="share that reached it", ylim=(floor, 1.5))
    above.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g} %"))
    for axis in (above.xaxis, above.yaxis):
        axis.set_minor_locator(NullLocator())
    above.grid(visible=True)
    above.legend(loc="upper right")
    least, most, ratio = (each[some] / found.exact[some] - 1 for each in (low, high, found.reached))
    below.fill_between(x[some], least, most, color=BAND, linewidth=0)
    below.axhline(0, color=INK, linewidth=1)
    below.plot(x[some], ratio, ".", color=SEEN, markersize=4)
    below.set(xlabel="cash-out", ylabel="off by", ylim=(-0.55, 0.55))
    below.yaxis.set_major_formatter(drawing.per_cents(0))
    below.xaxis.set_major_locator(LogLocator(numticks=6))
    below.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}x" if value >= 1 else ""))
    outside = int(((found.reached < low) | (found.reached > high)).sum())
    return picture(
        figure,
        f"{columns.name}-survival",
        f"{columns.name}: rounds that reached a cash-out",
        f"For every cash-out the share of {found.rounds:,} played rounds whose multiplier reached it, on log axes, beside the"
        f" exact law; below, by how much it is off. At any one cash-out {LEVEL:.0%} of honest logs are in the band;"
        f" neighbouring points stray together. {some_of(outside, len(found.at), 'points')} outside. At 2.00:"
        f" {per_cent(float(np.mean(hundredths(columns)[columns.final] >= 200)))}.",
    )


def _running(columns: TableColumns) -> Picture:
    """Return the running return of the standard bet, from the first round on."""
    found, bet = running_return(columns), standard_bet(columns)
    rounds, expected, tolerance = found.rounds, found.expected, found.tolerance
    figure, axes = figure_of(drawing.WIDE, 2.7)
    at_any = f"{LEVEL:.0%} at any one point"
    axes.fill_between(rounds, expected - tolerance, expected + tolerance, color=BAND, linewidth=0, label=at_any)
    for bound, label in ((-found.bound, f"{LEVEL:.0%} everywhere"), (found.bound, None)):
        axes.plot(rounds, expected + bound, color=GREY, linestyle="--", linewidth=1, label=label)
    axes.plot(rounds, expected, color=INK, linewidth=1, label="theory")
    axes.plot(rounds, found.returned, color=SEEN, linewidth=1.6, label="observed")
    _limit(axes, found)
    axes.xaxis.set(major_formatter=drawing.THOUSANDS, major_locator=MaxNLocator(8))
    axes.yaxis.set_major_formatter(drawing.per_cents(1))
    axes.set(xlabel="rounds played", ylabel="return so far")
    axes.legend(loc="upper right", ncols=4)
    left = int((np.abs(found.returned - expected) > found.bound).sum())
    return picture(
        figure,
        f"{columns.name}-running",
        f"{columns.name}: running return of {bet.text}",
        f"What a stake of 1 on {bet.text} in every round played so far returned: {per_cent(found.returned[-1])} in the end, in theory"
        f" {per_cent(expected[-1])} ± {per_cent(tolerance[-1])}. An honest line is in the band at any one point with a chance of"
        f" {LEVEL:.0%}, and with the same chance remains between the dashed lines everywhere. {some_of(left, len(rounds), 'points')}"
        f" beyond them.",
    )


def _limit(axes: Axes, found: Running) -> None:
    """Scale the axes so that the later rounds fill the picture; the first ones may leave it."""
    after = found.rounds > found.rounds[-1] / 12
    off = np.abs(found.returned - found.expected)[after].max(initial=0)
    reach = max(1.1 * float(off), 1.3 * float(found.bound[after].max(initial=0)))
    middle = float(found.expected[-1])
    axes.set_ylim(middle - reach, middle + reach)
    axes.set_xlim(0, float(found.rounds[-1]))


def _edge_of_all(cells: int) -> float:
    """Choose so that all cells are within this many standard deviations at once, with a chance of `LEVEL`."""
    return float(scipy.stats.norm.isf((1 - LEVEL) / 2 / max(1, cells)))
