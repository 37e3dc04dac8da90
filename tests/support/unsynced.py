"""Folders that answer with an error when they are opened or synced: some file systems do, none on the tests'
machines.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def folders_answer(monkeypatch: pytest.MonkeyPatch, call: str, error: int) -> None:
    """From now on ``open`` or ``fsync`` of a folder fails; files are opened and synced as ever."""
    real: Callable[..., int | None] = getattr(os, call)

    def answer(what: int | str | Path, *given: Any, **named: Any) -> int | None:  # noqa: ANN401 -- whatever the system takes
        if _is_folder(what, named.get("dir_fd")):
            raise OSError(error, os.strerror(error))
        return real(what, *given, **named)

    monkeypatch.setattr(os, call, answer)


def _is_folder(what: int | str | Path, below: int | None) -> bool:
    try:
        return stat.S_ISDIR(os.stat(what, dir_fd=below).st_mode)
    except FileNotFoundError:
        return False
