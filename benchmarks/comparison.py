"""The figures of two commits side by side: both medians, both spreads and the ratio of each quantity."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rich.console import Console

from benchmarks.figure import Figure, Quantity
from benchmarks.side import Run, Side

_STYLE = {"better": "green", "worse": "bold red"}
Runs = Sequence[Sequence[Figure]]
"""The figures of each run of one side."""


@dataclass(frozen=True, slots=True)
class Spread:
    """What the runs of one side measured."""

    values: list[float]
    median: float
    lowest: float
    highest: float

    @classmethod
    def of(cls, values: list[float]) -> Spread | None:
        """`None` if nothing was measured."""
        return cls(values, statistics.median(values), min(values), max(values)) if values else None


@dataclass(frozen=True, slots=True)
class ComparedQuantity:
    """One quantity on both sides; `None` on a side that does not have it."""

    what: str
    unit: str
    digits: int
    better: Literal["lower", "higher"] | None
    base: Spread | None
    new: Spread | None
    ratio: float | None
    """The new median divided by the base's."""
    verdict: str
    """"better", "worse" or "other" if the two spreads have nothing in common, otherwise "same"; empty if there is no
    spread.
    """


@dataclass(frozen=True, slots=True)
class ComparedFigure:
    """One figure on both sides; each list has an entry for each run that had it."""

    name: str
    target: str
    base_met: list[bool | None]
    new_met: list[bool | None]
    base_remarks: list[str]
    new_remarks: list[str]
    quantities: list[ComparedQuantity]
    failed: bool
    """Whether it replaces the figures of a measure that failed in any run of either side."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What ``--base`` measures and writes as JSON."""

    base: str
    new: str
    rounds: int
    figures: list[ComparedFigure]


def measure_both(base: Side, new: Side, names: Sequence[str], rounds: int, console: Console) -> Comparison:
    """Run both sides in turn, each first in every other round, so that drift affects both equally."""
    before: list[Run] = []
    after: list[Run] = []
    turns = [((base, before), (new, after)), ((new, after), (base, before))]
    for side in (base, new):
        side.compile()
    for number in range(rounds):
        for side, runs in turns[number % 2]:
            console.print(f"run {len(before) + len(after) + 1} of {2 * rounds}: {side}")
            runs.append(side.run(names))
    measured = [run.figures_like([]) for run in after]
    known = [figure for run in measured for figure in run]
    figures = compare([run.figures_like(known) for run in before], measured)
    return Comparison(base.commit, new.commit, rounds, figures)


def compare(base: Runs, new: Runs) -> list[ComparedFigure]:
    """Every figure that either side has, in the new side's order."""
    names = dict.fromkeys(figure.name for runs in (new, base) for run in runs for figure in run)
    return [_compare_figure(_named(base, name), _named(new, name)) for name in names]


def _named(runs: Runs, name: str) -> list[Figure]:
    return [figure for run in runs for figure in run if figure.name == name]


def _compare_figure(base: list[Figure], new: list[Figure]) -> ComparedFigure:
    one = (new or base)[0]
    kinds = {(each.what, each.unit): each for figure in (*base, *new) for each in figure.quantities}
    return ComparedFigure(
        one.name,
        one.target,
        [figure.met for figure in base],
        [figure.met for figure in new],
        [figure.remark for figure in base],
        [figure.remark for figure in new],
        [_compare_quantity(each, _spread(base, each), _spread(new, each)) for each in kinds.values()],
        one.failed,
    )


def _spread(figures: list[Figure], wanted: Quantity) -> Spread | None:
    kind = wanted.what, wanted.unit
    return Spread.of(
        [each.value for figure in figures for each in figure.quantities if (each.what, each.unit) == kind]
    )


def _compare_quantity(quantity: Quantity, base: Spread | None, new: Spread | None) -> ComparedQuantity:
    ratio = new.median / base.median if base and new and base.median else None
    verdict = _verdict(quantity, base, new) if base and new else ""
    return ComparedQuantity(quantity.what, quantity.unit, quantity.digits, quantity.better, base, new, ratio, verdict)


def _verdict(quantity: Quantity, base: Spread, new: Spread) -> str:
    if min(len(base.values), len(new.values)) < 2:
        return ""
    if base.lowest <= new.highest and new.lowest <= base.highest:
        return "same"
    if quantity.better is None:
        return "other"
    return "better" if (new.median < base.median) == (quantity.better == "lower") else "worse"


def show(comparison: Comparison, console: Console) -> None:
    """Print the comparison: a line for each quantity, and the remarks if they differ."""
    for figure in comparison.figures:
        if figure.failed:
            console.print(f"\nFAILED  {figure.name}", style=_STYLE["worse"])
            _show_remarks(figure, console)
            continue
        console.print(f"\n{figure.name}", style="bold")
        console.print(f"    target {figure.target}{_met('base', figure.base_met)}{_met('new', figure.new_met)}")
        for each in figure.quantities:
            ratio = "-" if each.ratio is None else f"{each.ratio:.2f}"
            sides = f"base {_text(each.base, each)}, new {_text(each.new, each)}"
            words = f"{each.what}: {sides}" if each.what else sides
            console.print(f"    {each.verdict:<6}  ratio {ratio:<5}  {words}", style=_STYLE.get(each.verdict, ""))
        if set(figure.base_remarks) != set(figure.new_remarks):
            _show_remarks(figure, console)


def _show_remarks(figure: ComparedFigure, console: Console) -> None:
    for side, remarks in (("base", figure.base_remarks), ("new", figure.new_remarks)):
        for remark in dict.fromkeys(filter(None, remarks)):
            console.print(f"    {side}: {remark}")


def _met(side: str, met: list[bool | None]) -> str:
    if not met:
        return f"; {side} does not have this figure"
    return "" if None in met else f"; {side} met it in {met.count(True)} of {len(met)} runs"


def _text(spread: Spread | None, quantity: ComparedQuantity) -> str:
    if spread is None:
        return "-"
    median = Quantity("", spread.median, quantity.unit, quantity.digits, quantity.better)
    return f"{median} ({spread.lowest:,.{quantity.digits}f} to {spread.highest:,.{quantity.digits}f})"
