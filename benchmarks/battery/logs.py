"""The logs of the battery, in docs/battery: their heads and contents."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from benchmarks.battery.samples import seed

FOLDER = Path(__file__).parent.parent.parent / "docs" / "battery"


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one test in one run."""

    test: str
    flagged: bool
    """Whether the retest rule of first runs requires a second run."""
    p_values: tuple[float, ...]
    """The p-values of the retest: each uniform or larger if the sample is good."""


@dataclass(frozen=True, slots=True)
class Log:
    """One run of one suite on one sample."""

    suite: str
    sample: str
    run: int

    @property
    def path(self) -> Path:
        """The file of the log."""
        return FOLDER / f"{self.suite}-{self.sample}-{self.run}.log"

    def write(self, facts: Mapping[str, str], body: str) -> None:
        """Write the log: a head of facts, then the suite's output."""
        head = {
            "suite": self.suite,
            "sample": self.sample,
            "run": f'{self.run}, seed SHA-256("foredraw battery, run {self.run}") = {seed(self.run).hex()}',
            **facts,
            "ended": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
            "versions": versions(),
        }
        lines = [f"# {name:<9} {value}\n" for name, value in head.items()]
        FOLDER.mkdir(exist_ok=True)
        self.path.write_text("".join(lines) + body, "utf-8")

    def fact(self, name: str) -> str:
        """One fact of the head."""
        found = (line for line in self.path.read_text("utf-8").splitlines() if line.startswith(f"# {name} "))
        return next(found)[11:].strip()

    def rows(self) -> Iterator[list[str]]:
        """The cells of the log's table."""
        for line in self.path.read_text("utf-8").splitlines():
            if not line.startswith("#") and "|" in line:
                yield [cell.strip() for cell in line.split("|")]


def kept(suite: str, run: int) -> Iterator[Log]:
    """All existing logs."""
    for path in sorted(FOLDER.glob(f"{suite}-*-{run}.log")):
        yield Log(suite, path.stem.removeprefix(f"{suite}-").removesuffix(f"-{run}"), run)


def versions() -> str:
    """The versions of the programs that ran."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("foredraw", "llvmlite", "numpy", "scipy"))
    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=False)
    at = commit.stdout.strip() or "unknown"
    return f"{packages}, Python {platform.python_version()}, {platform.machine()}; commit {at}"
