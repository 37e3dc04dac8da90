"""The log's files: what is written for a size, and what is accepted when they are read."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairness.checks import Check
from fairness.draws.commitments import commitments_path
from fairness.errors import CheckFailed, Missing, Unreadable
from fairness.hashing import leaf_hash
from fairness.log import tiles
from fairness.log.checkpoints import Checkpoint
from fairness.log.edge import LogEdge
from fairness.log.merkle import EMPTY_ROOT
from fairness.log.tiles import (
    AuthenticTiles,
    bundle_of,
    bundle_path,
    bundles_of,
    number_path,
    read_bundle,
    root_from_edge,
    split_bundle,
    split_tile,
    tile_path,
    tile_width,
)
from tests.oracles.merkle_oracle import tree_hash

ORIGIN = "fore.example/log"
LARGEST = 70_000
SIZES = [0, 1, 2, 3, 254, 255, 256, 257, 511, 512, 513, 1000, 65_279, 65_280, 65_535, 65_536, 65_537, LARGEST]
RECORDS = [b"%d" % i for i in range(LARGEST)]
LEAVES = [leaf_hash(record) for record in RECORDS]
Files = dict[str, bytes]


@cache
def root_of(size: int) -> bytes:
    """The root of so many records; at import, each process of tests would compute half a million hashes for all
    sizes.
    """
    return tree_hash(LEAVES[:size])


@pytest.fixture(scope="module")
def logs() -> dict[int, tuple[bytes, Files]]:
    """One growing log at each of `SIZES`: its root, and all files that it had published by then."""
    edge = LogEdge()
    full: Files = {}
    remembered: dict[int, tuple[bytes, Files]] = {}
    for size in range(LARGEST + 1):
        if size in SIZES:
            remembered[size] = edge.root, {**full, **dict(edge.partial_files())}
        if size < LARGEST:
            full.update(edge.append(RECORDS[size]))
    return remembered


def reader(files: Files) -> Callable[[str], bytes]:
    def read(path: str) -> bytes:
        if path not in files:
            raise Missing(path, "it is not there")
        return files[path]

    return read


def open_log(files: Files, size: int) -> AuthenticTiles:
    return AuthenticTiles(Checkpoint(ORIGIN, size, root_of(size)), reader(files))


def files_by_definition(size: int) -> Files:
    """Tile n of level l holds MTH(D[(n*256+i) * 256^l : (n*256+i+1) * 256^l]), as in C2SP's text."""
    files: Files = {}
    level = 0
    while (step := 256**level) <= size:
        count = size // step
        hashes = [tree_hash(LEAVES[i * step : (i + 1) * step]) for i in range(count)]
        for n in range(-(-count // 256)):
            part = hashes[n * 256 : (n + 1) * 256]
            files[tile_path(level, n, len(part))] = b"".join(part)
        level += 1
    for n in range(-(-size // 256)):
        part = RECORDS[n * 256 : min((n + 1) * 256, size)]
        files[bundle_path(n, len(part))] = b"".join(len(one).to_bytes(2, "big") + one for one in part)
    return files


@pytest.mark.parametrize("size", SIZES)
def test_a_growing_log_has_the_files_and_the_root_of_the_definition(
    logs: dict[int, tuple[bytes, Files]], size: int
) -> None:
    """Appending record by record writes exactly the tiles and bundles that C2SP defines for the size."""
    root, files = logs[size]
    assert root == tree_hash(LEAVES[:size])
    assert files == files_by_definition(size)


def test_the_sizes_that_c2sp_works_out(logs: dict[int, tuple[bytes, Files]]) -> None:
    """256 has a full tile and a partial one above it; 70000 has 273 full ones and partial ones on three levels."""
    tiles = sorted(path for path in logs[256][1] if "entries" not in path)
    assert tiles == ["tile/0/000", "tile/1/000.p/1"]
    paths = set(logs[LARGEST][1])
    assert {path for path in paths if ".p/" in path} == {
        "tile/0/273.p/112",
        "tile/1/001.p/17",
        "tile/2/000.p/1",
        "tile/entries/273.p/112",
    }
    assert sum(path.startswith("tile/0/") and ".p/" not in path for path in paths) == 273
    assert "tile/1/000" in paths
    assert logs[0] == (EMPTY_ROOT, {})


def test_paths() -> None:
    """Groups of three digits, all but the last with an x; the names of partial files have their width."""
    assert number_path(1_234_067) == "x001/x234/067"
    assert [number_path(n) for n in (0, 9, 999, 1000, 1_000_000)] == [
        "000",
        "009",
        "999",
        "x001/000",
        "x001/x000/000",
    ]
    assert tile_path(0, 1_234_067) == "tile/0/x001/x234/067"
    assert tile_path(63, 5, 7) == "tile/63/005.p/7"
    assert bundle_path(273, 112) == "tile/entries/273.p/112"
    assert commitments_path(bytes(32)) == f"commitments/00/{'00' * 32}"


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
def test_every_leaf_of_a_log_is_returned(logs: dict[int, tuple[bytes, Files]], size: int) -> None:
    """All leaf hashes by their index; none beyond the last or before the first."""
    tiles = open_log(logs[size][1], size)
    assert [tiles.leaf(i) for i in range(size)] == LEAVES[:size]
    for index in (-1, size, size + 1, size + 300, 1 << 63):
        with pytest.raises(ValueError, match=f"no record {index} in a log of {size}"):
            tiles.leaf(index)


@pytest.mark.parametrize("size", [1, 255, 256, 257, 65_537, LARGEST])
def test_records_are_returned_and_checked(logs: dict[int, tuple[bytes, Files]], size: int) -> None:
    """A record is accepted by its leaf hash; a changed one is reported with its index."""
    files = dict(logs[size][1])
    tiles = open_log(files, size)
    for index in {0, size // 2, size - 1}:
        assert tiles.record(index) == RECORDS[index]
        path = bundle_path(index // 256, tile_width(size, 0, index // 256))
        records = split_bundle(files[path], count=tile_width(size, 0, index // 256), where=path)
        records[index % 256] = b"x" * len(records[index % 256])
        with pytest.raises(CheckFailed) as failure:
            open_log({**files, path: bundle_of(records)}, size).record(index)
        assert (failure.value.check, failure.value.index) == (Check.BUNDLE, index)
    with pytest.raises(ValueError, match="no record"):
        tiles.record(size)


@pytest.mark.parametrize(
    ("size", "level", "number"), [(0, 0, 0), (1, 0, 1), (256, 0, 1), (256, 1, 1), (1000, 0, 4), (1000, 2, 0)]
)
def test_a_tile_that_the_size_does_not_imply_is_a_misuse(
    logs: dict[int, tuple[bytes, Files]], size: int, level: int, number: int
) -> None:
    """It is not requested from the server."""
    with pytest.raises(ValueError, match=f"no tile {level}/{number} in a log of {size}"):
        open_log(logs[size][1], size).tile(level, number)


def test_an_error_names_the_file(logs: dict[int, tuple[bytes, Files]]) -> None:
    """The error names the tile or bundle, whole or partial, and what is wrong with it."""
    files = logs[1000][1]

    def refused(path: str, data: bytes, index: int) -> CheckFailed:
        with pytest.raises(CheckFailed) as failure:
            open_log({**files, path: data}, 1000).record(index)
        assert failure.value.where == path
        return failure.value

    full, partial = bundle_path(0), bundle_path(3, 232)
    refused(tile_path(0, 2), bytes(8192), 600)
    refused(tile_path(0, 3, 232), b"x", 800)
    for path, index in ((full, 0), (partial, 999)):
        assert refused(path, files[path] + b"xyz", index).found.endswith("and 3 bytes over")
        assert refused(path, files[path][:-1], index).found == "a record that is cut off"
        assert refused(path, b"", index).found == "0 and 0 bytes over"
    kept = {path: data for path, data in logs[LARGEST][1].items() if path != full}
    outgrown = {path: data for path, data in files.items() if "/entries/" not in path}
    with pytest.raises(CheckFailed) as failure:
        open_log({**outgrown, **kept, bundle_path(3): b"\0"}, 1000).record(800)
    assert failure.value.where == bundle_path(3)


def test_every_changed_tile_is_refused(logs: dict[int, tuple[bytes, Files]]) -> None:
    """One bit in any of the 277 tiles of a log of 70,000: nothing that depends on it is returned."""
    files = logs[LARGEST][1]
    paths = [path for path in files if "entries" not in path]
    assert len(paths) == 277
    for place, path in enumerate(paths):
        changed = bytearray(files[path])
        changed[place * 31 % len(changed)] ^= 1 << place % 8
        with pytest.raises(CheckFailed) as failure:
            a_leaf_below(path, {**files, path: bytes(changed)})
        assert failure.value.check is Check.TILE
        assert failure.value.where is not None


def a_leaf_below(path: str, files: Files) -> bytes:
    """A leaf of the log of 70,000 that cannot be authenticated without the tile at ``path``."""
    level, number = int(path[5]), int(path[7:10])
    return open_log(files, LARGEST).leaf(number * 256 ** (level + 1))


@pytest.mark.parametrize(
    "path", ["tile/0/007", "tile/1/000", "tile/0/273.p/112", "tile/1/001.p/17", "tile/2/000.p/1"]
)
def test_a_tile_of_another_size_is_refused_and_a_missing_one_is_unreadable(
    logs: dict[int, tuple[bytes, Files]], path: str
) -> None:
    """If it is cut, longer, empty or compressed, the check fails. If it is missing, there is no verdict."""
    files = logs[LARGEST][1]
    good = files[path]
    for wrong in (b"", good[:-1], good[:-32], good + b"\0", good + bytes(32), gzip.compress(good)):
        with pytest.raises(CheckFailed) as failure:
            a_leaf_below(path, {**files, path: wrong})
        assert failure.value.check is Check.TILE
    with pytest.raises(Unreadable, match=path):
        a_leaf_below(path, {name: data for name, data in files.items() if name != path})


@pytest.mark.parametrize("size", [1, 2, 255, 256, 257, 1000, 65_535, 65_536])
def test_where_a_partial_file_is_gone_the_full_one_serves(logs: dict[int, tuple[bytes, Files]], size: int) -> None:
    """A log may drop partial files that it has outgrown; an old checkpoint is then read from the full ones."""
    files = {path: data for path, data in logs[LARGEST][1].items() if ".p/" not in path}
    grown = {**files, **{path: data for path, data in logs[LARGEST][1].items() if ".p/" in path}}
    # Level 2 has no full tile yet, so its partial tile of this size is required.
    grown.update({path: data for path, data in logs[size][1].items() if path.startswith("tile/2/")})
    if size == 65_536:
        assert "tile/2/000.p/1" in grown
    tiles = open_log(grown, size)
    for index in {0, size // 2, size - 1}:
        assert tiles.leaf(index) == LEAVES[index]
        assert tiles.record(index) == RECORDS[index]
    width = tile_width(size, 0, (size - 1) // 256)
    assert read_bundle(reader(files), (size - 1) // 256, width) == RECORDS[(size - 1) // 256 * 256 : size]


@pytest.mark.parametrize("size", [1, 257, 65_535])
def test_what_is_refused_may_be_missing(logs: dict[int, tuple[bytes, Files]], size: int) -> None:
    """Some stores refuse what does not exist: the full file serves. If that is missing, nobody is said to lack the
    partial one.
    """
    files = {path: data for path, data in logs[LARGEST][1].items() if ".p/" not in path}
    files.update({path: data for path, data in logs[size][1].items() if path.startswith("tile/2/")})

    def refusing(path: str) -> bytes:
        if path not in files:
            raise Unreadable(path, "the server answers 403")
        return files[path]

    tiles = AuthenticTiles(Checkpoint(ORIGIN, size, logs[size][0]), refusing)
    assert tiles.record(size - 1) == RECORDS[size - 1]

    def lacking(path: str) -> bytes:
        if ".p/" in path:
            raise Unreadable(path, "the server answers 403")
        raise Missing(path, "it is not there")

    with pytest.raises(Unreadable, match="403") as refused:
        AuthenticTiles(Checkpoint(ORIGIN, size, logs[size][0]), lacking)
    assert not isinstance(refused.value, Missing)


@pytest.mark.parametrize("size", SIZES)
def test_a_root_that_is_not_the_checkpoints_is_refused(logs: dict[int, tuple[bytes, Files]], size: int) -> None:
    """The right edge alone gives the root, so a wrong one is found before anything else is read."""
    with pytest.raises(CheckFailed) as failure:
        AuthenticTiles(Checkpoint(ORIGIN, size, bytes(32)), reader(logs[size][1]))
    assert failure.value.check is Check.TILE


@pytest.mark.parametrize(
    "larger", [256, 1000, 65_536, pytest.param(LARGEST, marks=pytest.mark.nightly("reads hundreds of tiles"))]
)
def test_a_logs_earlier_root_follows_from_its_later_tiles(logs: dict[int, tuple[bytes, Files]], larger: int) -> None:
    """The edge at every earlier size; with it an extension is checked, and a log continues."""
    tiles = open_log(logs[larger][1], larger)
    for size in sorted({*(size for size in SIZES if size <= larger), *range(0, larger, 4_999)}):
        assert root_from_edge(tiles.prefix_edge(size)) == tree_hash(LEAVES[:size])


@pytest.mark.parametrize("size", SIZES[:-1])
def test_a_log_goes_on_after_a_restart(logs: dict[int, tuple[bytes, Files]], size: int) -> None:
    """The edge and the records of the last bundle give the same files as without a restart."""
    edge = LogEdge(size, open_log(logs[size][1], size).prefix_edge(size), RECORDS[size - size % 256 : size])
    later = next(other for other in SIZES if other > size)
    if later - size > 5000:
        later = size + 600
    written = dict(logs[size][1])
    for record in RECORDS[size:later]:
        written.update(edge.append(record))
    written.update(edge.partial_files())
    assert edge.root == tree_hash(LEAVES[:later])
    assert written.items() >= files_by_definition(later).items()


def test_the_tile_that_a_record_fills_has_its_number_on_every_level() -> None:
    """The last record below 3 x 2^24 fills a tile of each of three levels, far beyond their first ones."""
    size = 3 * 256**3 - 1
    edge = LogEdge(size, [[bytes(32)] * 255] * 3 + [[bytes(32)] * 2], [b"x"] * 255)
    assert [path for path, _ in edge.append(b"y")] == [
        "tile/0/x196/607",
        "tile/1/767",
        "tile/2/002",
        "tile/entries/x196/607",
    ]
    assert [path for path, _ in edge.partial_files()] == ["tile/3/000.p/3"]


def test_the_partial_files_so_far_are_those_of_every_size_before() -> None:
    """Unless a full file has replaced them; so a rebuilt log serves what it served before."""
    edge, partial = LogEdge(), Files()
    assert list(edge.partial_files_so_far()) == []
    for record in RECORDS[:600]:
        full = edge.append(record)
        partial = {path: data for path, data in partial.items() if path.partition(".p/")[0] not in dict(full)}
        partial.update(edge.partial_files())
        if edge.size in {1, 2, 255, 256, 257, 512, 600}:
            assert dict(edge.partial_files_so_far()) == partial


def test_the_partial_files_so_far_have_their_numbers_on_every_level() -> None:
    """Just above 3 x 2^24 records, each level is at another tile."""
    edge = LogEdge(3 * 256**3 + 2 * 256 + 1, [[bytes(32)], [bytes(32)] * 2, [], [bytes(32)] * 3], [b"x"])
    assert [path for path, _ in edge.partial_files_so_far()] == [
        "tile/0/x196/610.p/1",
        *("tile/1/768.p/1", "tile/1/768.p/2"),
        *("tile/3/000.p/1", "tile/3/000.p/2", "tile/3/000.p/3"),
        "tile/entries/x196/610.p/1",
    ]


@pytest.mark.parametrize(("hashes", "records"), [(0, 1), (1, 0), (2, 1), (0, 0)])
def test_an_edge_of_another_size_is_refused(hashes: int, records: int) -> None:
    """A log does not continue from the wrong size."""
    with pytest.raises(ValueError, match="a log of 257 has 1 records at its edge"):
        LogEdge(257, [[bytes(32)] * hashes, [bytes(32)]], [b"x"] * records)


@given(records=st.lists(st.binary(max_size=300), max_size=20))
def test_bundles_are_read_as_written(records: list[bytes]) -> None:
    """Each record is preceded by its length in two bytes."""
    assert split_bundle(bundle_of(records), count=len(records), where="bundle") == records


def test_a_bundle_takes_the_longest_record() -> None:
    """65,535 bytes; a longer length does not fit into two bytes."""
    assert split_bundle(bundle_of([bytes(65_535)]), count=1, where="bundle") == [bytes(65_535)]
    with pytest.raises(OverflowError):
        bundle_of([bytes(65_536)])


def test_every_cut_or_longer_bundle_is_refused() -> None:
    """Cut anywhere, with an additional byte, or with another count of records: no part of it is returned."""
    records = [b"first", b"", b"the third record"]
    good = bundle_of(records)
    wrong = [(good[:end], 3) for end in range(len(good))]
    wrong += [(good + b"\0", 3), (good + good, 3), (good, 2), (good, 4), (good, 0)]
    for data, count in wrong:
        with pytest.raises(CheckFailed) as failure:
            split_bundle(data, count=count, where="tile/entries/000")
        assert failure.value.check is Check.BUNDLE
        assert failure.value.where == "tile/entries/000"


@given(data=st.binary(), count=st.integers(0, 256))
def test_any_bytes_are_a_bundle_or_fail_the_check(data: bytes, count: int) -> None:
    """Hostile bytes are either records that give the same bytes again, or fail the check."""
    try:
        records = split_bundle(data, count=count, where="bundle")
    except CheckFailed:
        return
    assert bundle_of(records) == data
    assert len(records) == count


def test_bundles_between_two_sizes() -> None:
    """The bundles that an audit reads if it has seen the first records."""
    assert list(bundles_of(0, 0)) == []
    assert list(bundles_of(0, 1)) == [(0, 1)]
    assert list(bundles_of(0, 513)) == [(0, 256), (1, 256), (2, 1)]
    assert list(bundles_of(256, 513)) == [(1, 256), (2, 1)]
    assert list(bundles_of(300, 512)) == [(1, 256)]


def test_a_tile_is_a_row_of_hashes() -> None:
    """32 bytes each."""
    assert split_tile(b"a" * 32 + b"b" * 32) == [b"a" * 32, b"b" * 32]


@pytest.mark.parametrize(
    ("size", "level", "number", "width"),
    [
        (0, 0, 0, 0),
        (1, 0, 0, 1),
        (256, 0, 0, 256),
        (256, 1, 0, 1),
        (257, 0, 1, 1),
        (LARGEST, 0, 273, 112),
        (LARGEST, 1, 1, 17),
        (LARGEST, 2, 0, 1),
        (LARGEST, 3, 0, 0),
    ],
)
def test_the_width_of_a_tile(size: int, level: int, number: int, width: int) -> None:
    """The number of hashes in a tile, by level, index and size."""
    assert tile_width(size, level, number) == width


def test_what_is_kept_of_a_log_is_bounded(
    logs: dict[int, tuple[bytes, Files]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read recently is not read again, and what was read long ago is dropped."""
    monkeypatch.setattr(tiles, "_CACHED_TILES", 3)
    monkeypatch.setattr(tiles, "_CACHED_LEAF_TILES", 2)
    root, files = logs[LARGEST]
    asked: list[str] = []

    def read(path: str) -> bytes:
        asked.append(path)
        return files[path]

    log = AuthenticTiles(Checkpoint(ORIGIN, LARGEST, root), read)
    asked.clear()
    for number in (0, 1, 1, 0, 2, 0, 1):
        log.tile(0, number)
    assert asked == [tile_path(0, 0), tile_path(1, 0), tile_path(0, 1), tile_path(0, 2), tile_path(0, 1)]
    asked.clear()
    # The tile above authenticates them, and is itself one of those that are kept.
    for number in (0, 1, 0, 2, 3, 0):
        log.full_tile(0, number)
    assert asked == [tile_path(0, number) for number in (0, 1, 2, 3, 0)]
