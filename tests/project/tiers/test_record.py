"""The record of `make nightly`: `make test` says how old it is, and refuses one that is not about this code."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.tiers.record import FILE, History, Record, Result, Unrelated

PARTS = frozenset({"crashes", "soak"})


def git(folder: Path, *arguments: str) -> str:
    """Run git as somebody without settings of their own."""
    who = ["-c", "user.name=ani", "-c", "user.email=ani@fore.example", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *who, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def commit(folder: Path, name: str) -> str:
    """Change a file and commit it; returns the commit."""
    (folder / name).write_text(name, "utf-8")
    git(folder, "add", name)
    git(folder, "commit", "--quiet", "-m", name)
    return git(folder, "rev-parse", "HEAD")


def result(commit_of_it: str, result_of_it: str = "passed") -> Result:
    return Result(commit_of_it, "2026-11-24T10:00:00Z", 60, {"passed": 3}, result_of_it)


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A repository with one commit and a folder of tests."""
    made = tmp_path / "house"
    (made / "tests").mkdir(parents=True)
    git(made, "init", "--quiet")
    commit(made, "first")
    return made


def test_its_age_is_in_days_and_commits(house: Path) -> None:
    """Of the oldest part; parts that are missing or failed are named."""
    first = git(house, "rev-parse", "HEAD")
    Record({}).keep("3.11", "crashes", result(first, "failed"), house)
    commit(house, "second")
    said = Record.read(house).age(PARTS, house)
    assert said[0].startswith("Nightly on Python 3.11: 0 of 1 parts passed, the oldest ")
    assert said[0].endswith(" and 1 commits ago")
    assert said[1:] == [
        "Nightly: soak has not run on Python 3.11",
        f"Nightly: crashes failed on Python 3.11 at {first[:8]}",
    ]


def test_a_newer_result_takes_the_place_of_the_last_one(house: Path) -> None:
    """Other parts and other Pythons stay."""
    first, second = git(house, "rev-parse", "HEAD"), commit(house, "second")
    for python, part, at in (
        ("3.11", "crashes", first),
        ("3.11", "soak", first),
        ("3.13", "soak", first),
        ("3.11", "soak", second),
    ):
        Record.read(house).keep(python, part, result(at), house)
    found = {(python, part): one.commit for python, part, one in Record.read(house).results()}
    assert found == {("3.11", "crashes"): first, ("3.11", "soak"): second, ("3.13", "soak"): first}


def test_a_commit_that_is_no_ancestor_is_refused(house: Path) -> None:
    """One of another branch, and one that this repository does not have."""
    git(house, "checkout", "--quiet", "-b", "other")
    other = commit(house, "other")
    git(house, "checkout", "--quiet", "-")
    for unrelated in (other, "5" * 40):
        Record({}).keep("3.11", "crashes", result(unrelated), house)
        with pytest.raises(Unrelated, match=f"{unrelated[:8]}, which is no ancestor"):
            Record.read(house).age(PARTS, house)


def test_where_git_cannot_tell_it_says_so(house: Path, tmp_path: Path) -> None:
    """An archive, one inside another repository, and a shallow clone: they pass."""
    commit(house, "second")
    Record({}).keep("3.11", "crashes", result("5" * 40), house)
    archive, shallow, inside = tmp_path / "archive", tmp_path / "shallow", house / "inside"
    git(tmp_path, "clone", "--quiet", "--depth", "1", house.as_uri(), str(shallow))
    for folder, why in (
        (archive, "this is no checkout of git"),
        (inside, "this is no checkout of git"),
        (shallow, "this is a shallow clone"),
    ):
        (folder / "tests").mkdir(parents=True, exist_ok=True)
        (folder / FILE).write_bytes((house / FILE).read_bytes())
        assert Record.read(folder).age(PARTS, folder)[-1].endswith(f"cannot be seen here: {why}")


def test_without_a_record_it_says_that_there_is_none(house: Path) -> None:
    """As before the first run."""
    assert Record.read(house).age(PARTS, house) == ["Nightly: no run is on record yet"]


def test_only_what_a_commit_has_is_put_on_record(house: Path) -> None:
    """The files that runs write themselves are no change; any other is."""
    first = git(house, "rev-parse", "HEAD")
    Record({}).keep("3.11", "crashes", result(first), house)
    (house / "tests" / "seconds.json").write_text("{}", "utf-8")
    assert History(house).clean_commit() == first
    (house / "first").write_text("changed", "utf-8")
    assert History(house).clean_commit() is None
