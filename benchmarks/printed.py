"""Figures as lines of text: how they are printed, and how the lines of another commit are read.

Commits from before ``--json`` only print. Their lines have the same numbers in the same order,
rounded, with other words in between.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from rich.console import Console

from benchmarks.figure import Figure, Quantity

_MET = {True: "met", False: "MISSED", None: "-"}
_STYLE = {True: "green", False: "bold red", None: ""}
_FIGURE = re.compile(r"^(met|MISSED|-) +(.+)\n +measured +(.+)\n +target +(.+)$", re.MULTILINE)
_NUMBER_AND_UNIT = re.compile(r"(?<![\w.,-])(\d[\d,]*(?:\.\d+)?) ?([^\s\d;,:()]*)")


def show(figure: Figure, console: Console) -> None:
    """Print a figure and its target, or why there is none."""
    if figure.failed:
        console.print(f"FAILED  {figure.name}: {figure.remark}", style=_STYLE[False])
        return
    console.print(f"{_MET[figure.met]:<7} {figure.name}", style=_STYLE[figure.met])
    console.print(f"        measured  {figure.measured}")
    console.print(f"        target    {figure.target}")


def read(lines: str, like: Iterable[Figure]) -> list[Figure]:
    """The printed figures, with the quantities of those in ``like`` that have the same name; others are words
    only.
    """
    known = {figure.name: figure.quantities for figure in like}
    met = {word: value for value, word in _MET.items()}
    found = []
    for word, name, measured, target in _FIGURE.findall(lines):
        quantities = list(_quantities(measured, known.get(name, [])))
        remark = "" if quantities else measured
        found.append(Figure(name, quantities, target, met[word], remark))
    return found


def _quantities(measured: str, like: list[Quantity]) -> Iterator[Quantity]:
    """Each quantity has the first number with its unit after the number of the previous one."""
    numbers = _NUMBER_AND_UNIT.finditer(measured)
    for quantity in like:
        for number in numbers:
            if number[2] == quantity.unit:
                yield replace(quantity, value=float(number[1].replace(",", "")))
                break
