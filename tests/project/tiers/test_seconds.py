"""The order of files follows from the seconds that they took, and a run on another machine changes no figure."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tiers import seconds, selection

LONG, SHORT, OTHER = "tests/conftest.py", "tests/house.py", "tests/bets.py"
"""Any files."""


def test_a_slower_machine_changes_nothing() -> None:
    """All files take three times as long, give or take a third."""
    before = {LONG: 60, SHORT: 10}
    assert seconds.updated(before, {LONG: 200.0, SHORT: 24.0}) == before


def test_a_file_that_takes_twice_as_long_as_before_gets_its_new_figure() -> None:
    """At the pace of the others, which stay as they are."""
    assert seconds.updated({LONG: 60, OTHER: 60, SHORT: 10}, {LONG: 60.0, OTHER: 60.0, SHORT: 40.0}) == {
        LONG: 60,
        OTHER: 60,
        SHORT: 32,
    }


def test_a_file_that_takes_hardly_any_time_is_left_out() -> None:
    """Most do; so is one that no longer takes it."""
    assert seconds.updated({LONG: 60, SHORT: 9}, {LONG: 60.0, SHORT: 0.2, OTHER: 0.5}) == {LONG: 60}


def test_what_did_not_run_keeps_its_figure_while_it_exists() -> None:
    """A part of the night leaves the others' alone, and a file that was deleted is forgotten."""
    assert seconds.updated({LONG: 60, "tests/deleted.py": 9}, {SHORT: 30.0}) == {LONG: 60, SHORT: 30}


def test_a_file_is_written_only_if_something_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the working tree of whoever runs the tests stays clean."""
    monkeypatch.setattr(seconds, "FILE", tmp_path / "seconds.json")
    seconds.keep("test", {LONG: 60.0, SHORT: 9.0})
    written = seconds.FILE.stat().st_mtime_ns
    seconds.keep("test", {LONG: 130.0, SHORT: 20.0})
    assert seconds.FILE.stat().st_mtime_ns == written
    seconds.keep("nightly", {SHORT: 90.0})
    assert (seconds.known("test"), seconds.known("nightly")) == ({LONG: 60, SHORT: 9}, {SHORT: 90})


def test_a_unit_is_a_file_or_a_group(monkeypatch: pytest.MonkeyPatch) -> None:
    """A group has folders and single files; a path that merely begins like one of them is not in it."""
    monkeypatch.setattr(
        selection, "TOGETHER", {"pages": ("tests/pages",), "mixed": ("tests/a/test_it.py", "tests/b")}
    )
    units = {
        "tests/pages/home/test_home.py": "pages",
        "tests/a/test_it.py": "mixed",
        "tests/b/test_it.py": "mixed",
        "tests/a/test_other.py": "tests/a/test_other.py",
        "tests/bc/test_it.py": "tests/bc/test_it.py",
    }
    assert {file: selection.unit_of(f"{file}::test_it[tests/b]") for file in units} == units


def test_the_longest_unit_begins_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that stay together count together, and the order within a unit stays."""
    monkeypatch.setattr(seconds, "FILE", tmp_path / "seconds.json")
    together = [f"tests/browser/{name}" for name in ("test_visitor.py", "conftest.py")]
    seconds.keep("test", {SHORT: 30.0, LONG: 50.0, **dict.fromkeys(together, 28.0)})
    found = [f"{file}::test_it" for file in (OTHER, together[0], SHORT, LONG, together[1])]
    assert seconds.longest_first(found, "test", str) == [found[1], found[4], found[3], found[2], found[0]]
