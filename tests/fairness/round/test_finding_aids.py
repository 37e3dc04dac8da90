"""Finding aids: their paths and bytes (SPEC 5.4)."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairness.errors import Malformed
from fairness.round.finding_aids import (
    ROUNDS_PER_FILE,
    RoundPositions,
    TablePositions,
    place_in_file,
    rounds_path,
    tables_path,
)

TABLE_ID = hashlib.sha256(b"a table").digest()

positions = st.integers(0, (1 << 64) - 1)


@given(entries=st.lists(st.builds(RoundPositions, positions, positions, positions, positions), min_size=1))
def test_rounds_are_read_as_written(entries: list[RoundPositions]) -> None:
    """Four numbers of eight bytes per round, round by round."""
    data = b"".join(map(bytes, entries))
    assert len(data) == 32 * len(entries)
    assert RoundPositions.parse_file(data) == entries


@given(tables=st.sets(positions, min_size=1), rest=st.lists(positions, min_size=2, max_size=2))
def test_tables_are_read_as_written(tables: set[int], rest: list[int]) -> None:
    """Three numbers of eight bytes per table with this beginning of the id, in the order of their records."""
    entries = [TablePositions(table, *rest) for table in sorted(tables)]
    data = b"".join(map(bytes, entries))
    assert len(data) == 24 * len(entries)
    assert TablePositions.parse_file(data) == entries


@pytest.mark.parametrize("tables", [(7, 3), (3, 3), (0, 0), (1, 5, 2)])
def test_tables_out_of_order_are_refused(tables: tuple[int, ...]) -> None:
    """By ascending position, each once (SPEC 5.4)."""
    with pytest.raises(Malformed, match="finding aid"):
        TablePositions.parse_file(b"".join(bytes(TablePositions(table)) for table in tables))


def test_the_bytes_of_one_round() -> None:
    """The batch, the salt, the lock, the reveal; 0 if there is none yet."""
    assert bytes(RoundPositions(batch=3, lock=258)).hex() == (
        "0000000000000003000000000000000000000000000001020000000000000000"
    )
    assert bytes(TablePositions(table=0, end=5, close=7)).hex() == "000000000000000000000000000000050000000000000007"


def test_paths() -> None:
    """A table is found by four bytes of its id, a round by the whole id and its number."""
    assert tables_path(TABLE_ID) == f"find/tables/{TABLE_ID[:1].hex()}/{TABLE_ID[:4].hex()}"
    assert (
        rounds_path(TABLE_ID, 1)
        == rounds_path(TABLE_ID, 256)
        == f"find/rounds/{TABLE_ID[:1].hex()}/{TABLE_ID.hex()}/000"
    )
    assert rounds_path(TABLE_ID, 257) == f"find/rounds/{TABLE_ID[:1].hex()}/{TABLE_ID.hex()}/001"
    assert rounds_path(TABLE_ID, 256 * 1000 + 1) == f"find/rounds/{TABLE_ID[:1].hex()}/{TABLE_ID.hex()}/x001/000"
    assert [place_in_file(number) for number in (1, 2, 256, 257)] == [0, 1, 255, 0]


@given(number=st.integers(1, (1 << 48) - 1))
def test_every_round_has_one_place(number: int) -> None:
    """Path and place determine the round's number."""
    groups = rounds_path(TABLE_ID, number).split("/")[4:]
    file = int("".join(group.removeprefix("x") for group in groups))
    assert file * ROUNDS_PER_FILE + place_in_file(number) + 1 == number


@pytest.mark.parametrize("kind", [TablePositions, RoundPositions])
def test_a_file_of_another_size_is_refused(kind: type[TablePositions | RoundPositions]) -> None:
    """1 to 256 whole entries; any other size is refused without parsing."""
    many = b"".join(number.to_bytes(8, "big") + bytes(kind.SIZE - 8) for number in range(258))
    assert len(kind.parse_file(many[: 256 * kind.SIZE])) == 256
    for size in (0, 1, kind.SIZE - 1, kind.SIZE + 1, 256 * kind.SIZE + 1, 257 * kind.SIZE):
        with pytest.raises(Malformed, match="finding aid"):
            kind.parse_file(many[:size])
