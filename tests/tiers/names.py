"""Every test by its name, with the number of its cases, in `tests/names.txt`: none is lost when tests move between
the tiers.

A line has a test, how many cases it has, and how many of these run with a database on a server, too. A test may get
more cases, and a new one its line later: ``python -m tests.tiers.names`` writes the list again. A line that goes, or
a number that falls, is a test that was removed, and the commit says with which feature.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.tiers.selection import DATABASES, in_make_test, runs_on_a_server

FILE = Path(__file__).parent.parent / "names.txt"


@dataclass(frozen=True, slots=True)
class Cases:
    """How many cases a test has, or at least should have."""

    all: int
    on_a_server: int


@dataclass(frozen=True, slots=True)
class Collected:
    """What a run over all folders has found: every test, and the files of which `make test` runs at least one."""

    tests: dict[str, Cases]
    files: frozenset[str]
    files_in_make_test: frozenset[str]

    @classmethod
    def of(cls, items: Iterable[pytest.Item]) -> Collected:
        """Count them, before any is left out."""
        found = list(items)
        everywhere = Counter(_name(item) for item in found)
        on_a_server = Counter(_name(item) for item in found if runs_on_a_server(item))
        quick = in_make_test(found, DATABASES[0])
        return cls(
            {name: Cases(count, on_a_server[name]) for name, count in everywhere.items()},
            frozenset(_file(item) for item in found),
            frozenset(_file(item) for item in quick),
        )

    def __str__(self) -> str:
        return "".join(f"{name} {cases.all} {cases.on_a_server}\n" for name, cases in sorted(self.tests.items()))

    def lacks(self, listed: dict[str, Cases]) -> list[str]:
        """What the list has and this has not, a line each."""
        none = Cases(0, 0)
        return [
            f"{name}: {cases.all} cases, {cases.on_a_server} of them on a server, and now {now.all} and {now.on_a_server}"
            for name, cases in listed.items()
            if (now := self.tests.get(name, none)).all < cases.all or now.on_a_server < cases.on_a_server
        ]


def listed() -> dict[str, Cases]:
    """The list."""
    lines = (line.rsplit(" ", 2) for line in FILE.read_text("utf-8").splitlines())
    return {name: Cases(int(cases), int(on_a_server)) for name, cases, on_a_server in lines}


def _name(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


class _Writer:
    """A plugin of pytest that sees the tests before any is left out."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Write the list."""
        FILE.write_text(str(Collected.of(items)), "utf-8")


if __name__ == "__main__":
    sys.exit(pytest.main(["--collect-only", "-qqq", "--no-header", "--no-summary", "tests"], plugins=[_Writer()]))
