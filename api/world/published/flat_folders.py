"""A log's folder from before version 1, whose files stand in no folders of two digits: it is refused, and left as it is.

Nothing reads it, and nothing moves or deletes it either: a file of witnesses can never be made again.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from api.settings import SettingsError

_NAMES = {
    "commitments": re.compile("[0-9a-f]{64}"),
    "witnessed": re.compile("[0-9a-f]{64}"),
    "custody": re.compile("[0-9a-f]{64}"),
    "find/rounds": re.compile("[0-9a-f]{64}"),
    "find/tables": re.compile("[0-9a-f]{8}"),
}


def flat_folder(log: Path) -> str | None:
    """Why a log's folder is refused; `None` if it is one of version 1."""
    for folder, name in _NAMES.items():
        with suppress(OSError), os.scandir(log / folder) as entries:
            if any(name.fullmatch(each.name) for each in entries):
                return (
                    f"log/{folder} has files without a folder of two digits, as Foredraw wrote them before version 1: this"
                    " folder cannot be used, and was left as it is. Keep it for those who audit that log, and run `foredraw"
                    " init` for a new log in another folder"
                )
    return None


def refuse_flat(log: Path) -> None:
    """Raise `SettingsError` if a log's folder is from before version 1."""
    if (why := flat_folder(log)) is not None:
        raise SettingsError(why)
