"""Whether an environment answers and has what was installed into it: ``python -m tests.tiers.environment check
VENV``.

`make` looks at the times of files alone, and believes that an environment is there. But a distribution replaces the
Python under it, a checkout is moved, `venv` stops halfway where Debian's python3-venv is missing, and an archive
brings files that are older than what is installed. So each `make` that needs the environment asks it first, and an
environment that does not answer is made again; but only one of our own, which has `_MARK`.

This runs before anything is installed, so it needs the standard library alone.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

_OLDEST = (3, 11)
_NEEDED = {"sqlite3": "libsqlite3", "ssl": "OpenSSL", "venv": "python3-venv", "ensurepip": "python3-venv"}
"""Modules that distributions leave out of Python, and what they come with."""
_MARK = "made-by-make"
_INSTALLED, _INSTALLED_DEV = "installed", "installed-dev"
_FROM = ("pyproject.toml", "requirements/service.txt")
_ASKED = "import pip, sys; print('%d.%d.%d' % sys.version_info[:3], sys.prefix)"
_PATIENCE_SECONDS = 60


def main(action: str, venv: str) -> int:
    """Do what the first argument says, with an environment's folder."""
    folder = Path(venv)
    if action == "check":
        return _check(folder)
    if action == "make":
        return _make(folder)
    (folder / _INSTALLED).write_text(_fingerprint(), "ascii")
    return 0


def _check(folder: Path) -> int:
    """See to it that there is no environment, or one that answers. Prints which target has to be made again, if one
    has.
    """
    if (lack := _lack()) is not None:
        return _refuse(lack)
    if not folder.exists():
        return 0
    stamps = [name for name in (_INSTALLED, _INSTALLED_DEV) if (folder / name).exists()]
    if not (folder / _MARK).exists():
        return _refuse(
            f"{folder} was not made by this Makefile, so it is not touched: move it away, or name another folder, as in"
            " `make install VENV=.venv-foredraw`"
        )
    if not _answers(folder):
        try:
            shutil.rmtree(folder)
        except OSError as error:
            return _refuse(
                f"{folder} does not answer, and cannot be removed ({error}): remove it, and run this again"
            )
    elif _INSTALLED in stamps and (folder / _INSTALLED).read_text("ascii", "replace") != _fingerprint():
        for name in stamps:
            (folder / name).unlink()
    else:
        return 0
    if stamps:
        sys.stdout.write(f"{folder}/{stamps[-1]}\n")
    return 0


def _make(folder: Path) -> int:
    """Make an environment. A crash, or a Python that cannot, leaves one with our mark, which `check` removes."""
    folder.mkdir(exist_ok=True)
    mark = {"python": ".".join(map(str, sys.version_info[:3])), "path": str(folder.resolve())}
    (folder / _MARK).write_text(json.dumps(mark), "utf-8")
    return subprocess.run([sys.executable, "-m", "venv", folder], check=False).returncode


def _lack() -> str | None:
    found = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < _OLDEST:
        return f"Foredraw needs Python {'.'.join(map(str, _OLDEST))} or newer, this is {found}"
    missing = {name: whence for name, whence in _NEEDED.items() if find_spec(name) is None}
    if not missing:
        return None
    named = ", ".join(f"{name} (of {whence})" for name, whence in missing.items())
    return f"this Python {found}, {sys.executable}, lacks {named}: install what is in brackets, or name another with PYTHON="


def _answers(folder: Path) -> bool:
    """Whether it has pip, and the version and the place that it was made with."""
    try:
        mark = json.loads((folder / _MARK).read_text("utf-8"))
        asked = [str(folder / "bin" / "python"), "-I", "-c", _ASKED]
        answer = subprocess.run(asked, capture_output=True, text=True, check=True, timeout=_PATIENCE_SECONDS).stdout
    except (OSError, ValueError, subprocess.SubprocessError):
        return False
    here = str(folder.resolve())
    version, _, prefix = answer.strip().partition(" ")
    return mark == {"python": version, "path": here} and str(Path(prefix).resolve()) == here


def _fingerprint() -> str:
    """What was installed from: the bytes of the files that say it."""
    return hashlib.sha256(b"\0".join(Path(name).read_bytes() for name in _FROM)).hexdigest()


def _refuse(why: str) -> int:
    sys.stderr.write(f"make: {why}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
