"""The parts of `make nightly`, each of which can run alone: ``make nightly ONLY="crashes faults"``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """Folders whose tests it runs; ``options`` of pytest; or ``program``, the arguments of Python, if it is no run of pytest."""

    folders: Sequence[str] = ()
    options: Sequence[str] = ()
    program: Sequence[str] = ()

    def command(self, tier: str) -> list[str]:
        """The arguments of Python."""
        if self.program:
            return [*self.program]
        return tests(*self.folders, *self.options, "--tier", tier)


def tests(*arguments: str) -> list[str]:
    """The arguments of Python for tests, in one process more than there are cores, because some of them wait for other programs."""
    return ["-m", "pytest", "--numprocesses", str((os.cpu_count() or 1) + 1), *arguments]


ON_POSTGRESQL = ("--database", "postgresql", "tests/api")

PARTS = {
    "crashes": Part(("tests/api/crashes",)),
    "faults": Part(("tests/api/faults",)),
    "service": Part(("tests/api",), ("--ignore", "tests/api/crashes", "--ignore", "tests/api/faults")),
    "postgresql": Part(options=ON_POSTGRESQL),
    "pages": Part(("tests/browser",)),
    "verifiers": Part(("tests/fairness", "tests/games", "tests/verifier", "tests/standalone")),
    "project": Part(("tests/benchmarks", "tests/documents", "tests/examples", "tests/project", "tests/soak")),
    "soak": Part(program=("-m", "tests.soak", "--seconds", "{seconds}")),
}
