"""Which tests a run takes, by their marks, and which files stay together in one process.

A test is in the tier `make test` unless it has the mark ``nightly(why)``. Of a ``lattice``, whose parameters are
points that all try the same (where a process is killed, which write fails), `make test` runs a sixth, the same on
every machine and day. With ``--database postgresql`` it takes only what has the mark ``both_databases(why)``. `make
nightly` takes the rest, and every point of each lattice.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import pytest

TIERS = ("test", "nightly", "all")
DATABASES = ("sqlite", "postgresql")
TOGETHER = {
    "pages": ("tests/browser",),
    "shared service": (
        "tests/api/http/test_http_hostile.py",
        "tests/api/http/test_http_parallel.py",
        "tests/api/http/test_http_proofs.py",
        "tests/api/http/test_http_rounds.py",
        "tests/api/programs/test_dealer.py",
        "tests/api/server/test_listeners.py",
    ),
}
"""Groups of folders and files that one process runs, because they share what is dear to start."""
OF_A_LATTICE = 6
"""`make test` runs one point in so many."""
Point = TypeVar("Point")
Lattice: TypeAlias = Callable[[Sequence[int]], Sequence[int]]
"""Chooses the points that a run tries, of those that a test walks through by itself."""
_API = Path(__file__).parent.parent / "api"


def add_options(parser: pytest.Parser) -> None:
    """The tier, and the database of services whose tests do not say where it is."""
    parser.addoption(
        "--tier",
        choices=TIERS,
        default=TIERS[0],
        help="which tests: those of `make test`, all others (`make nightly`), or all",
    )
    parser.addoption(
        "--database",
        choices=DATABASES,
        default=DATABASES[0],
        help="of the services in tests/api: a file, or on a server",
    )


def unit_of(nodeid: str) -> str:
    """What one process runs as a whole: a file, or a group of `TOGETHER` by its name."""
    file = nodeid.partition("::")[0]
    is_in = (name for name, paths in TOGETHER.items() if any(f"{file}/".startswith(f"{path}/") for path in paths))
    return next(is_in, file)


def selected(items: Sequence[pytest.Item], tier: str, database: str) -> list[pytest.Item]:
    """The tests of a tier, in their order."""
    found = [item for item in items if database == DATABASES[0] or runs_on_a_server(item)]
    if tier == "all":
        return found
    quick = in_make_test(found, database)
    if tier == "test":
        return [item for item in found if item in quick]
    return [item for item in found if item not in quick or _is_of_a_lattice(item)]


def in_make_test(items: Iterable[pytest.Item], database: str) -> set[pytest.Item]:
    """Those that `make test` runs."""
    found = {item for item in items if not _is_nightly(item)}
    if database != DATABASES[0]:
        found = {item for item in found if item.get_closest_marker("both_databases") is not None}
    lattices: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in found:
        if item.get_closest_marker("lattice") is not None:
            lattices[item.nodeid.partition("[")[0]].append(item)
    left_for_the_night = {
        item for points in lattices.values() for item in set(points).difference(a_sixth(points, _nodeid))
    }
    return found - left_for_the_night


def a_sixth(points: Sequence[Point], name: Callable[[Any], str]) -> list[Point]:
    """The points that `make test` tries, in their order: at least one, without a regularity that the lattice could
    have, too.
    """
    by_hash = sorted(points, key=lambda point: hashlib.sha256(name(point).encode()).digest())
    chosen = {name(point) for point in by_hash[: -(-len(points) // OF_A_LATTICE)]}
    return [point for point in points if name(point) in chosen]


def runs_on_a_server(item: pytest.Item) -> bool:
    """Whether a run with a database on a server takes it, and it does not run on one without the option, too."""
    on_both = isinstance(item, pytest.Function) and not {"server", "postgres"}.isdisjoint(item.fixturenames)
    return _API in item.path.parents and not on_both and item.get_closest_marker("one_database") is None


def _is_nightly(item: pytest.Item) -> bool:
    mark = item.get_closest_marker("nightly")
    if mark is None or mark.kwargs.get("but") in {item.name, item.name.partition("[")[0]}:
        return False
    return mark.kwargs.get("on") in {None, _engine_of(item)}


def _engine_of(item: pytest.Item) -> object:
    """The engine of a test that takes both, by the fixture `server`; otherwise none."""
    return item.callspec.params.get("server") if hasattr(item, "callspec") else None


def _is_of_a_lattice(item: pytest.Item) -> bool:
    """Its parameters are the points, or it walks through them by the fixture `lattice`."""
    walks = isinstance(item, pytest.Function) and "lattice" in item.fixturenames
    return walks or item.get_closest_marker("lattice") is not None


def _nodeid(item: pytest.Item) -> str:
    return item.nodeid
