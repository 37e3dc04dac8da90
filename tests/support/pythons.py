"""The Pythons of this machine that Foredraw supports."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

_ASKED = "import sys, ensurepip, venv; print(sys.version_info[0], sys.version_info[1])"
_NEWEST = 14


def supported() -> dict[int, str]:
    """The program of each, by its minor version, the oldest first; those of pyenv are not on the PATH."""
    found = dict[int, str]()
    for program in _programs():
        asked = subprocess.run([program, "-c", _ASKED], capture_output=True, text=True, check=False)
        if match := re.fullmatch(r"3 (\d+)\n", asked.stdout):
            found.setdefault(int(match[1]), program)
    return {minor: found[minor] for minor in sorted(found) if 11 <= minor <= _NEWEST}


def _programs() -> Iterator[str]:
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    for minor in range(11, _NEWEST + 1):
        yield from filter(None, [shutil.which(f"python3.{minor}")])
        yield from map(str, sorted(root.glob(f"versions/3.{minor}.*/bin/python3.{minor}")))
