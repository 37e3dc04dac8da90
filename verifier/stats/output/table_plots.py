"""The pictures of one table: outcomes against theory, its board or its survival curve, its running return.

All can be read without colours: what is expected is a dark line, the tolerance a pale band, and what lies outside has
a mark of another shape.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

import numpy as np
import scipy
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator, PercentFormatter

from verifier.stats.conduct.returns import LEVEL, Running, has_standard_bet, running_return, standard_bet
from verifier.stats.numbers.cells import Bars, HeatMap, bars_of_device, bars_of_flights, heat_map, survival
from verifier.stats.numbers.columns import Ints, TableColumns
from verifier.stats.numbers.flights import hundredths
from verifier.stats.numbers.samples import parts_by_rules
from verifier.stats.numbers.words import per_cent, some_of
from verifier.stats.output.drawing import (
    BAND,
    GREY,
    HALF,
    INK,
    LINE,
    MINUS,
    ODD,
    SEEN,
    THOUSANDS,
    WIDE,
    Picture,
    figure_of,
    style,
    svg_of,
    two_plots,
)

_WARM_AND_COLD = LinearSegmentedColormap.from_list("deviations", ["#7fb0dd", "#ffffff", "#f2a65a"])
_DASH, _SIGMA = "\N{EN DASH}", "\N{GREEK SMALL LETTER SIGMA}"
_MOST_DEVICES = 6
"""The most devices that are drawn; of a slot with more reels, the first ones."""
_ROWS = 8
"""A board with this many rows has no room for counts."""
_MANY, _LONG = 12, 4
"""More names than this, or longer ones, are written vertically under their bars."""


def table_pictures(columns: TableColumns) -> list[Picture]:
    """Return all pictures of one table: what each device gave under the rules of most rounds, or how far its flights
    went; and the running return.
    """
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
    edge = _edge_of_all(len(found.names))
    odd = np.abs(found.deviations) > edge
    places = np.arange(len(found.names))
    with style():
        figure, above, below = two_plots(bottom=0.75)
        above.bar(places, found.counts, width=0.72, color="#9dbfe0", edgecolor=SEEN, linewidth=0.6, label="observed")
        above.hlines(found.expected, places - 0.46, places + 0.46, color=INK, linewidth=1.6, label="expected")
        above.yaxis.set_major_formatter(THOUSANDS)
        above.set_ylabel("times")
        above.set_ylim(0, 1.22 * max(found.counts.max(), found.expected.max()))
        above.legend(loc="upper right", ncols=2)
        _deviations(below, places, found, edge)
        _name(below, found.names)
        svg = svg_of(figure, name, title)
    most = int(np.argmax(np.abs(found.deviations)))
    return Picture(
        title,
        svg,
        f"Bars are counts in played rounds, lines what the exact law expects. Below, how far off each is, in standard deviations:"
        f" all {len(found.names)} are in the band at once with a chance of {LEVEL:.0%}. {some_of(int(odd.sum()), len(odd), 'cells')} outside."
        f" The farthest is {found.names[most]}: {found.counts[most]:,} of {found.expected[most]:,.1f} expected,"
        f" {found.deviations[most]:+.2f}.",
    )


def _deviations(axes: Axes, places: Ints, found: Bars, edge: float) -> None:
    axes.axhspan(-edge, edge, color=BAND, linewidth=0)
    axes.axhline(0, color=INK, linewidth=1)
    odd = np.abs(found.deviations) > edge
    axes.vlines(places, 0, found.deviations, color=SEEN, linewidth=1.2)
    axes.scatter(places[~odd], found.deviations[~odd], s=12, color=SEEN, zorder=3)
    axes.scatter(places[odd], found.deviations[odd], s=36, color=ODD, marker="D", zorder=4)
    most = max(edge, float(np.abs(found.deviations).max())) * 1.15
    axes.set_ylim(-most, most)
    axes.set_ylabel(f"off by ({_SIGMA})")
    axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))


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
    with style():
        figure, axes = figure_of(HALF, min(3.6, 0.9 * down), left=0.02, bottom=0.02, top=0.02)
        for row, column, name, count, off in zip(
            *(found.rows.tolist(), found.columns.tolist(), cells.names),
            *(cells.counts.tolist(), cells.deviations.tolist()),
            strict=True,
        ):
            odd = abs(off) > edge
            axes.add_patch(
                Rectangle(
                    (column + 0.03, row + 0.03),
                    *(0.94, 0.94),
                    facecolor=_WARM_AND_COLD(scale(off)),
                    edgecolor=ODD if odd else LINE,
                    linewidth=2 if odd else 0.6,
                )
            )
            _write_cell(axes, (column + 0.5, row + 0.5), name, count, off, counts=counts)
        axes.set(xlim=(0, across), ylim=(down, 0))
        axes.axis("off")
        title = f"{table}: {found.what.lower()}"
        svg = svg_of(figure, f"{table}-board", title)
    most, least = int(np.argmax(cells.deviations)), int(np.argmin(cells.deviations))
    return Picture(
        f"{table}: {found.what[0].lower()}{found.what[1:]}",
        svg,
        f"Each cell has its name{', its count' if counts else ''} and its distance from the {cells.expected[0]:,.1f} expected, in"
        f" standard deviations: blue with a minus is too few, orange with a plus too many. A thick frame is outside"
        f" ±{edge:.1f}; all {len(cells.names)} are within at once with a chance of {LEVEL:.0%}. Most often:"
        f" {cells.names[most]} ({cells.counts[most]:,}); least often: {cells.names[least]} ({cells.counts[least]:,}).",
    )


def _write_cell(axes: Axes, at: tuple[float, float], name: str, count: int, off: float, *, counts: bool) -> None:
    short = (
        name.replace("sector ", "").replace(" red", "\N{BLACK HEART SUIT}").replace(" black", "\N{BLACK SPADE SUIT}")
    )
    short = short[-1] if name.startswith("die") else short
    lines = [(short, 7.8, "bold"), (f"{off:+.1f}".replace("-", MINUS), 6, "normal")]
    if counts:
        lines.insert(1, (f"{count:,}", 6, "normal"))
    for place, (text, size, weight) in enumerate(lines):
        below = (len(lines) - 1) / 2 - place
        axes.annotate(
            text,
            at,
            (0, 9.5 * below),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=size,
            fontweight=weight,
        )


_TAILS = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)


def _survival(columns: TableColumns) -> Picture:
    """Return the share of rounds that reached each cash-out on log axes, and its ratio to the exact law."""
    found = survival(columns)
    low, high = (scipy.stats.binom.ppf(edge, found.rounds, found.exact) / found.rounds for edge in _TAILS)
    x, floor = found.at / 100, 0.5 / found.rounds
    some = found.exact > 0
    with style():
        figure, above, below = two_plots(bottom=0.5)
        above.fill_between(
            x, np.maximum(low, floor), np.maximum(high, floor), color=BAND, linewidth=0, label="tolerance"
        )
        drawn = found.exact >= floor
        above.plot(x[drawn], found.exact[drawn], color=INK, linewidth=1.2, label="exact law")
        seen = found.reached > 0
        above.plot(x[seen], found.reached[seen], ".", color=SEEN, markersize=4, label="observed")
        above.set(xscale="log", yscale="log", ylabel="share that reached it")
        above.set_ylim(floor, 1.5)
        above.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g} %"))
        for axis in (above.xaxis, above.yaxis):
            axis.set_minor_locator(NullLocator())
        above.grid(visible=True)
        above.legend(loc="upper right")
        below.fill_between(
            x[some], (low / found.exact)[some] - 1, (high / found.exact)[some] - 1, color=BAND, linewidth=0
        )
        below.axhline(0, color=INK, linewidth=1)
        ratio = found.reached[some] / found.exact[some] - 1
        below.plot(x[some], ratio, ".", color=SEEN, markersize=4)
        below.set(xlabel="cash-out", ylabel="off by", ylim=(-0.55, 0.55))
        below.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
        below.xaxis.set_major_locator(LogLocator(numticks=6))
        below.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}x" if value >= 1 else ""))
        title = f"{columns.name}: rounds that reached a cash-out"
        svg = svg_of(figure, f"{columns.name}-survival", title)
    outside = int(((found.reached < low) | (found.reached > high)).sum())
    return Picture(
        title,
        svg,
        f"For every cash-out the share of {found.rounds:,} played rounds whose multiplier reached it, on log axes, beside the"
        f" exact law; below, by how much it is off. At any one cash-out {LEVEL:.0%} of honest logs are in the band;"
        f" neighbouring points stray together. {some_of(outside, len(found.at), 'points')} outside. At 2.00:"
        f" {per_cent(float(np.mean(hundredths(columns)[columns.final] >= 200)))}.",
    )


def _running(columns: TableColumns) -> Picture:
    """Return the running return of the standard bet, from the first round on."""
    found, bet = running_return(columns), standard_bet(columns)
    with style():
        figure, axes = figure_of(WIDE, 2.7)
        axes.fill_between(
            found.rounds,
            found.expected - found.tolerance,
            found.expected + found.tolerance,
            color=BAND,
            linewidth=0,
            label=f"{LEVEL:.0%} at any one point",
        )
        for side, label in ((-1, f"{LEVEL:.0%} everywhere"), (1, None)):
            axes.plot(
                found.rounds,
                found.expected + side * found.bound,
                color=GREY,
                linestyle="--",
                linewidth=1,
                label=label,
            )
        axes.plot(found.rounds, found.expected, color=INK, linewidth=1, label="theory")
        axes.plot(found.rounds, found.returned, color=SEEN, linewidth=1.6, label="observed")
        _limit(axes, found)
        axes.xaxis.set_major_formatter(THOUSANDS)
        axes.xaxis.set_major_locator(MaxNLocator(8))
        axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=1, symbol=" %"))
        axes.set(xlabel="rounds played", ylabel="return so far")
        axes.legend(loc="upper right", ncols=4)
        title = f"{columns.name}: running return of {bet.text}"
        svg = svg_of(figure, f"{columns.name}-running", title)
    left = int((np.abs(found.returned - found.expected) > found.bound).sum())
    return Picture(
        title,
        svg,
        f"What a stake of 1 on {bet.text} in every round played so far returned: {per_cent(found.returned[-1])} in the end, in theory"
        f" {per_cent(found.expected[-1])} ± {per_cent(found.tolerance[-1])}. An honest line is in the band at any one point with a chance of"
        f" {LEVEL:.0%}, and with the same chance remains between the dashed lines everywhere. {some_of(left, len(found.rounds), 'points')}"
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
