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
        self.output, self.errors = capsys.readouterr()

    @property
    def json(self) -> dict[str, Any]:
        """The one object that it printed."""
        value: dict[str, Any] = json.loads(self.output)
        return value
