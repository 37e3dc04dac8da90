"""Figures as lines of text."""

from __future__ import annotations

from rich.console import Console

from benchmarks.figure import Figure

_MET = {True: "met", False: "MISSED", None: "-"}
_STYLE = {True: "green", False: "bold red", None: ""}


def show(figure: Figure, console: Console) -> None:
    """Print a figure and its target."""
    console.print(f"{_MET[figure.met]:<7} {figure.name}", style=_STYLE[figure.met])
    console.print(f"        measured  {figure.measured}")
    console.print(f"        target    {figure.target}")
