"""The two commits of a comparison: their files, the Python that runs them, and a run of their benchmarks.

Each commit runs its own ``benchmarks``, in a process whose folder and ``PYTHONPATH`` are the commit's:
so this process and those that it starts import that commit's packages, although ``.venv`` names others.
"""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import msgspec

from benchmarks import printed
from benchmarks.figure import Figure, failure

_INSTALLED = ("requirements/service.txt", "requirements/dev.txt")


class NotComparable(Exception):
    """Says in a sentence what a comparison lacks."""


@dataclass(frozen=True, slots=True)
class Run:
    """What one run printed, and its figures: `None` from a commit without ``--json``."""

    figures: list[Figure] | None
    lines: str
    failures: Sequence[Figure] = ()
    """The failures of a commit whose benchmarks stop at the first measure that fails."""

    def figures_like(self, known: Sequence[Figure]) -> list[Figure]:
        """Its figures; if it only printed them, they are parsed with the help of ``known`` ones."""
        figures = printed.read(self.lines, known) if self.figures is None else self.figures
        return [*figures, *self.failures]


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two commits."""

    role: Literal["base", "new"]
    commit: str
    folder: Path
    python: Path

    def __str__(self) -> str:
        return f"{self.role}, {self.commit}"

    def run(self, names: Sequence[str]) -> Run:
        """Run those of its benchmarks that ``names`` names, once. Raises `NotComparable` if they measure nothing."""
        has = [name for name in names if self.has(name)]
        if names and not has:
            return Run([], "")
        with TemporaryDirectory(prefix="foredraw-bench-") as place:
            file = Path(place) / "figures.json"
            # An older commit would take the option for the name of a measure.
            options = ["--json", str(file)] if "--json" in _main_of(self.folder).read_text() else []
            status, lines = self._output("-m", "benchmarks", *options, *has)
            figures = msgspec.json.decode(file.read_bytes(), type=list[Figure]) if file.exists() else None
        if figures is not None or not status:
            return Run(figures, lines)
        ended = f"the benchmarks of {self} ended with status {status}"
        if not printed.read(lines, []):
            raise NotComparable(ended)
        return Run(None, lines, [failure("the measures after these", ended)])

    def has(self, measure: str) -> bool:
        """Whether it has a measure of this name; commits list them at different places."""
        return any(f"def {measure}(" in file.read_text("utf-8") for file in _main_of(self.folder).parent.glob("*.py"))

    def compile(self) -> None:
        """Compile its packages, which would otherwise happen during the first run."""
        packages = [str(file.parent) for file in self.folder.glob("*/__init__.py")]
        if packages:
            self._output("-m", "compileall", "-q", *packages)

    def _output(self, *arguments: str) -> tuple[int, str]:
        process = None
        try:
            with _held_back():
                # Ctrl-C does not reach a separate session. It is interrupted once, from here, and stops its services
                # undisturbed.
                process = subprocess.Popen(
                    [self.python, *arguments],
                    cwd=self.folder,
                    env={**os.environ, "PYTHONPATH": str(self.folder)},
                    stdout=subprocess.PIPE,
                    text=True,
                    start_new_session=True,
                )
            output, _ = process.communicate()
        except BaseException:
            if process is not None:
                with process:
                    _interrupt(process)
            raise
        return process.returncode, output


def present(repository: Path) -> Side:
    """The files as they are now, committed or not."""
    commit = _git(repository, "describe", "--always", "--dirty= with changes", "--exclude=*")
    return Side("new", commit, repository, Path(sys.executable))


@contextmanager
def committed(repository: Path, commit: str) -> Iterator[Side]:
    """The files of a commit, in a temporary folder. Raises `NotComparable` if it cannot be run."""
    try:
        known = _git(repository, "rev-parse", "--verify", "--short", "--end-of-options", f"{commit}^{{commit}}")
    except NotComparable as error:
        raise NotComparable(f"{commit!r} is not a commit of {repository} (git: {error})") from None
    with TemporaryDirectory(prefix="foredraw-base-") as place:
        folder = Path(place)
        archive = subprocess.run(["git", "archive", known], cwd=repository, stdout=subprocess.PIPE, check=True)
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
            files.extractall(folder, filter="data")
        if not _main_of(folder).exists():
            raise NotComparable(f"commit {known} has no benchmarks: choose a later one")
        yield Side("base", known, folder, _python_for(folder, repository))


def _python_for(folder: Path, repository: Path) -> Path:
    """This Python, unless the commit locks other packages: then a separate one with those."""
    locked = [file for file in _INSTALLED if (folder / file).exists()]
    if all((repository / file).exists() and _same(folder / file, repository / file) for file in locked):
        return Path(sys.executable)
    subprocess.run(["make", "--silent", ".venv/installed-dev", f"PYTHON={sys.executable}"], cwd=folder, check=True)
    return folder / ".venv" / "bin" / "python"


def _same(one: Path, other: Path) -> bool:
    return one.read_bytes() == other.read_bytes()


def _main_of(folder: Path) -> Path:
    return folder / "benchmarks" / "__main__.py"


def _git(repository: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=repository, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotComparable(done.stderr.strip())
    return done.stdout.strip()


@contextmanager
def _held_back() -> Iterator[None]:
    """Let an interruption wait until the end: inside `subprocess.Popen` it would leave a process that nobody knows
    of.
    """
    came: list[int] = []
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda number, _: came.append(number)) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
    for each in came:
        signal.raise_signal(each)


def _interrupt(process: subprocess.Popen[str]) -> None:
    try:
        process.send_signal(signal.SIGINT)
        # In one piece: the program that is interrupted writes there at the same moment.
        sys.stderr.write("Interrupted: this run stops what it started and removes its files; Ctrl-C again kills it\n")
        process.communicate()
    except KeyboardInterrupt:
        process.kill()
