"""The two tiers together have every test, and each file has one that every change runs."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.conftest import COLLECTED
from tests.house import HOUSE
from tests.tiers import names, parts, selection
from tests.tiers.names import Cases, Collected


@pytest.fixture
def collected(request: pytest.FixtureRequest) -> Collected:
    """What this run has found, before it left out what is of the other tier."""
    return request.config.stash[COLLECTED]


@pytest.fixture
def listed(request: pytest.FixtureRequest, collected: Collected) -> dict[str, Cases]:
    """The list; in a run of some files, their part of it."""
    everything = request.config.args == ["tests"]
    return {
        name: cases
        for name, cases in names.listed().items()
        if everything or name.partition("::")[0] in collected.files
    }


def test_no_test_is_lost(collected: Collected, listed: dict[str, Cases]) -> None:
    """Each test of `tests/names.txt` is in a tier, with at least as many cases; with a database on a server, too."""
    assert listed
    assert collected.lacks(listed) == []


def test_a_lost_test_would_be_noticed(collected: Collected) -> None:
    """One that is missing, one that lost a case, and one that no longer runs on a server."""
    (name, cases), *_ = collected.tests.items()
    for more in (Cases(cases.all + 1, 0), Cases(0, cases.on_a_server + 1)):
        assert collected.lacks({name: more}) != []
    assert collected.lacks({"tests/test_lost.py::test_it": Cases(1, 0)}) != []
    assert collected.lacks({name: cases}) == []


def test_every_file_has_a_test_that_every_change_runs(collected: Collected) -> None:
    """So nobody learns only in the night that a file does not even begin."""
    assert sorted(collected.files - collected.files_in_make_test) == []


def test_the_parts_of_the_night_have_every_folder() -> None:
    """A new folder of tests would otherwise be in no part."""
    folders = {Path(folder) for part in parts.PARTS.values() for folder in part.folders}
    files = [file.relative_to(HOUSE) for file in (HOUSE / "tests").rglob("test_*.py")]
    assert len(files) > 250
    assert [file for file in files if folders.isdisjoint(file.parents)] == []


def test_files_that_share_a_service_are_together() -> None:
    """In another process, a file would start one for itself; and one that shares it no longer need not be in
    theirs.
    """
    files = (HOUSE / "tests" / "api").rglob("test_*.py")
    found = [file.relative_to(HOUSE).as_posix() for file in files if "shared_service: " in file.read_text("utf-8")]
    assert sorted(found) == sorted(selection.TOGETHER["shared service"])


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """An empty project that knows our marks."""
    pytester.makeini("[pytest]\nmarkers =\n nightly\n lattice\n")
    return pytester


def test_a_sixth_of_a_lattice_is_chosen(project: pytest.Pytester) -> None:
    """The same each time, of every test, at least one; nightly has every point, and nothing else that `make test`
    has.
    """
    items = project.getitems("""
        import pytest
        @pytest.mark.lattice
        @pytest.mark.parametrize("point", range(60))
        def test_points(point): ...
        @pytest.mark.lattice
        @pytest.mark.parametrize("point", range(2))
        def test_two(point): ...
        @pytest.mark.nightly("it takes long")
        def test_long(): ...
        def test_quick(): ...
    """)
    quick = Counter(item.name.partition("[")[0] for item in selection.selected(items, "test", "sqlite"))
    assert quick == {"test_points": 10, "test_two": 1, "test_quick": 1}
    night = Counter(item.name.partition("[")[0] for item in selection.selected(items, "nightly", "sqlite"))
    assert night == {"test_points": 60, "test_two": 2, "test_long": 1}
    assert selection.selected(items, "all", "sqlite") == items


def test_one_test_of_a_nightly_file_can_be_in_make_test(project: pytest.Pytester) -> None:
    """By its name, or by that of one of its cases."""
    items = project.getitems("""
        import pytest
        pytestmark = pytest.mark.nightly("all of it takes long", but="test_some[1]")
        @pytest.mark.parametrize("number", range(3))
        def test_some(number): ...
        def test_long(): ...
    """)
    assert [item.name for item in selection.selected(items, "test", "sqlite")] == ["test_some[1]"]


def test_only_the_cases_on_one_engine_can_be_left_to_the_night(project: pytest.Pytester) -> None:
    """Of a test that takes both by the fixture `server`; one without it is not concerned."""
    items = project.getitems("""
        import pytest
        pytestmark = pytest.mark.nightly("a server is slow", on="postgresql")
        @pytest.mark.parametrize("server", ["sqlite", "postgresql"])
        def test_on_both(server): ...
        def test_on_none(): ...
    """)
    quick = ["test_on_both[sqlite]", "test_on_none"]
    assert [item.name for item in selection.selected(items, "test", "sqlite")] == quick
    assert [item.name for item in selection.selected(items, "nightly", "sqlite")] == ["test_on_both[postgresql]"]


def test_whatever_is_left_to_the_night_says_why() -> None:
    """In words, as do those that run on both databases, or on one."""
    files = {
        file.relative_to(HOUSE).as_posix(): file.read_text("utf-8") for file in (HOUSE / "tests").rglob("test_*.py")
    }
    marks = re.compile(r"mark\.(?:nightly|both_databases|one_database)\b(\(\s*\"\w)?")
    found = [(name, mark) for name, text in files.items() for mark in marks.findall(text)]
    assert len(found) > 40
    assert [name for name, mark in found if not mark] == []
