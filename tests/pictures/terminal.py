"""The real output of a command of the verifier as a picture, drawn by rich."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from io import StringIO

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

_COLUMNS = 112
_SHOWN = 32
"""Codes and keys are longer than a line of a picture; this much of them is shown."""
_FONT = "ui-monospace, 'DejaVu Sans Mono', monospace"


def terminal_picture(arguments: Sequence[str]) -> str:
    """The output of ``foredraw-verify`` with these arguments as SVG that fetches nothing. Everything must hold."""
    done = subprocess.run(
        [sys.executable, "-m", "verifier", *arguments],
        env={**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(_COLUMNS)},
        capture_output=True,
        text=True,
        check=True,
    )
    console = Console(record=True, width=_COLUMNS, file=StringIO(), force_terminal=True)
    console.print(Text(f"$ foredraw-verify {shlex.join(_shortened(each) for each in arguments)}".replace("'", "")))
    console.print(Text.from_ansi(done.stdout))
    return console.export_svg(title="foredraw-verify", code_format=_format(), unique_id="terminal")


def _shortened(argument: str) -> str:
    return argument if len(argument) <= _SHOWN else f"{argument[:_SHOWN]}…"


def _format() -> str:
    """Rich's own frame without the font that it would fetch."""
    before, _, rest = CONSOLE_SVG_FORMAT.partition("    @font-face")
    _, _, after = rest.rpartition("@font-face")
    _, _, after = after.partition("}}\n\n")
    return (before + after).replace("Fira Code, monospace", _FONT)
