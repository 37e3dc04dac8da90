"""The parts of `make nightly`, each of which can run alone: ``make nightly ONLY="crashes faults"``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """Folders whose tests it runs, with ``options`` of pytest; ``beside``: the same folders once more each, at the
    same time.

    ``program``: the arguments of Python, if it is no run of pytest.
    """

    folders: Sequence[str] = ()
    options: Sequence[str] = ()
    beside: Sequence[Sequence[str]] = ()
    program: Sequence[str] = ()

    def commands(self, tier: str) -> list[list[str]]:
        """The arguments of Python for everything that it runs."""
        if self.program:
            return [[*self.program]]
        own = tests(*self.folders, *self.options, "--tier", tier)
        # What is one unit for pytest-xdist needs one process.
        return [own, *(["-m", "pytest", *self.folders, "--tier", "all", *each] for each in self.beside)]


def tests(*arguments: str) -> list[str]:
    """The arguments of Python for tests, in two processes more than there are cores, because many of them wait for
    other programs.
    """
    return ["-m", "pytest", "--numprocesses", str((os.cpu_count() or 1) + 2), *arguments]


MOST_FAILURES = ("--maxfail", "20")
"""If so many tests fail, something is broken that many share, and each of the others could wait for it in vain."""
ON_POSTGRESQL = ("--database", "postgresql", "tests/api")

_HAS_ALL_FONTS = ("--ignore", "tests/browser/every_page/test_layout.py")

PARTS = {
    "crashes": Part(("tests/api/crashes",)),
    "faults": Part(("tests/api/faults",)),
    "service": Part(("tests/api",), ("--ignore", "tests/api/crashes", "--ignore", "tests/api/faults")),
    "postgresql": Part(options=ON_POSTGRESQL),
    "pages": Part(
        ("tests/browser",), beside=(("--fonts", "noto", *_HAS_ALL_FONTS), ("--fonts", "liberation", *_HAS_ALL_FONTS))
    ),
    "verifiers": Part(("tests/fairness", "tests/games", "tests/verifier", "tests/standalone")),
    "project": Part(("tests/benchmarks", "tests/documents", "tests/examples", "tests/project", "tests/soak")),
    "soak": Part(program=("-m", "tests.soak", "--seconds", "{seconds}")),
}
