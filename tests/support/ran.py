"""Runs of ``foredraw-verify`` in this process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from verifier.cli import main


class Ran:
    """What one run of the program did."""

    def __init__(self, capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> None:
        try:
            self.status = main(list(map(str, arguments)))
        except SystemExit as stopped:
            self.status = int(stopped.code or 0)
        output, self.errors = capsys.readouterr()
        self.program, self.output = apart(output)

    @property
    def json(self) -> dict[str, Any]:
        """The one object that it printed, without the program that every verdict names."""
        value: dict[str, Any] = json.loads(self.output)
        value.pop("program", None)
        return value


def apart(output: str) -> tuple[str, str]:
    """The line of a verdict that names the program, empty if there is none; and the rest, which is what it says."""
    line, end, rest = output.partition("\n")
    return (line + end, rest) if line.startswith("Program    foredraw-verify ") else ("", output)
