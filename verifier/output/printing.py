"""The layout of verdicts on a terminal: names and values, lists, paragraphs of a readable width.

Every text is made harmless before it is printed: wherever it came from, it cannot command the terminal.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from textwrap import wrap
from typing import IO, TYPE_CHECKING

from rich.console import Console as RichConsole
from rich.text import Text

from fairness.manifest import SHOWN, VERIFIER, manifest_of_running
from fairness.version import VERSION

if TYPE_CHECKING:
    from verifier.round.report import Salt


_WIDEST_PARAGRAPH = 100


_SIZES = ("COLUMNS", "LINES")
_SIZE = re.compile("[2-9][0-9]|[1-9][0-9]{2,4}", re.ASCII)
"""What is believed of a terminal's size: in less than 20 columns words would be broken."""


class Console(RichConsole):
    """A console that does not change the exit status when nobody reads its output any more."""

    def __init__(self, *, stderr: bool = False, file: IO[str] | None = None, width: int | None = None) -> None:
        # A terminal that does not know its size has 0 columns, and no paragraph fits in them.
        known = {name: value for name, value in os.environ.items() if name not in _SIZES or _SIZE.fullmatch(value)}
        super().__init__(
            stderr=stderr, file=file, width=width, highlight=False, markup=False, emoji=False, _environ=known
        )

    def on_broken_pipe(self) -> None:
        """Raise, instead of ending the program."""
        raise BrokenPipeError


def harmless(text: str) -> str:
    """Return ``text`` with control characters and invisible ones spelled out."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


def heading(console: Console, title: str, rest: str = "") -> None:
    """Print a heading, and a text next to it."""
    console.print(Text.assemble((harmless(title), "bold"), harmless(f": {rest}" if rest else "")))


def line(console: Console, name: str, value: str) -> None:
    """Print a name and its value."""
    # People copy hashes, codes and addresses, so these are never broken into lines.
    console.print(Text.assemble((harmless(f"{name:<11}"), "bold"), harmless(value)), soft_wrap=True)


def show_program(console: Console) -> None:
    """Show which program says a verdict, by its own word."""
    line(console, "Program", f"foredraw-verify {VERSION}, manifest {manifest_of_running(VERIFIER)[:SHOWN]}")


def plain(console: Console, text: str, style: str = "") -> None:
    """Print one line without wrapping."""
    console.print(Text(harmless(text), style=style), soft_wrap=True)


def paragraph(console: Console, text: str, style: str = "", *, first: str = "", rest: str = "") -> None:
    """Print text that is wrapped between words; ``first`` and ``rest`` are the indents."""
    width = min(console.width, _WIDEST_PARAGRAPH)
    lines = wrap(
        text, width, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )
    for each in lines:
        plain(console, each, style)


def item(console: Console, text: str, style: str = "", *, mark: str = "-") -> None:
    """Print one entry of a list."""
    paragraph(console, text, style, first=f"  {mark} ", rest=" " * (len(mark) + 3))


def show_remarks(console: Console, sentences: Sequence[str]) -> None:
    """Show the remarks, which rest on no check, if there are any."""
    if sentences:
        console.print()
        heading(console, "Remarks")
    for sentence in sentences:
        item(console, sentence, "yellow")


def show_salt(console: Console, salt: Salt | None, where: str) -> None:
    """Show the pulse that fixed a round, and when it was published; nothing if the table has no salt."""
    if salt is not None:
        line(console, "Salted", f"{salt.salted_at}{where}")
        line(console, "Pulse", f"{salt.round} of the beacon {salt.beacon}")


def show_unknown(console: Console, sentences: Sequence[str]) -> None:
    """Show what this verifier does not know; nothing if there is nothing."""
    if sentences:
        console.print()
        heading(console, "Unknown")
        for sentence in sentences:
            item(console, sentence, "yellow")


def show_not_checked(console: Console, sentences: Sequence[str]) -> None:
    """Show what nobody could check: a part of every verdict."""
    console.print()
    heading(console, "Not checked")
    for sentence in sentences:
        item(console, sentence)


def count(number: int, thing: str) -> str:
    """Write ``1 round``, ``2 rounds``."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"
