"""Everything that must hold for a published log, derived again from its records alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from fairness.hashing import leaf_hash
from fairness.log.checkpoints import Checkpoint
from fairness.log.edge import LogEdge
from fairness.log.merkle import EMPTY_ROOT
from fairness.log.notes import VerifierKey
from fairness.log.tiles import WIDTH, bundle_path, bundles_of, read_bundle
from fairness.records.record import (
    Aside,
    BatchRecord,
    CloseRecord,
    EndRecord,
    LockRecord,
    Record,
    RevealRecord,
    TableRecord,
)
from fairness.records.replay import Replay, read_record
from fairness.records.table_state import TableState
from fairness.round.finding_aids import ROUNDS_PER_FILE, RoundPositions, TablePositions, rounds_path, tables_path
from games import GAMES
from verifier.audit.audit import audit_log
from verifier.sources.source import FolderSource


@dataclass(frozen=True)
class WholeLog:
    """A log for which everything holds."""

    records: list[Record]
    """Without the asides."""
    tables: dict[str, TableState]
    checkpoint: Checkpoint

    def times(self, table: str) -> list[str]:
        """The times of a table's records, in record order."""
        named = ("created", "committed", "locked", "revealed", "ended", "closed")
        own = [record for record in self.records if record.table == table]
        return [next(getattr(record, name) for name in named if hasattr(record, name)) for record in own]

    def outcomes(self) -> dict[tuple[str, int], object]:
        """The outcome of every round that has ended."""
        found: dict[tuple[str, int], object] = {}
        for record in self.records:
            if isinstance(record, RevealRecord):
                assert (record.table, record.round) not in found
                found[record.table, record.round] = record.outcome
        return found


_opened = lru_cache(4096)(Checkpoint.open)
"""Copies of one service have most of their checkpoints in common."""


def check_whole_log(
    folder: Path,
    key: VerifierKey,
    *,
    checkpoints: Iterable[bytes] = (),
    told: Mapping[tuple[str, int], object] | None = None,
) -> WholeLog:
    """Check a log's folder against every checkpoint that was ever seen, and all outcomes that engines received.

    Audit and replay accept it; tiles and bundles are those of its records, for each checkpoint; each
    checkpoint is of a prefix; finding aids are exact; every outcome that an engine received for a round
    that has ended is the one in the log.
    """
    source = FolderSource(folder)
    report = audit_log(source, key)
    final = report.checkpoint
    data = [entry for number, width in bundles_of(0, final.size) for entry in read_bundle(source.read, number, width)]
    replay = Replay(key.name, GAMES)
    records = [_advanced(replay, entry) for entry in data]
    assert len(records) == final.size
    assert replay.tables == report.state.tables
    seen = {opened.size: opened.root for opened in (_opened(note, key) for note in checkpoints)}
    seen[final.size] = final.root
    _check_files(folder, data, seen)
    _check_aids(folder, data, records)
    whole = WholeLog([each for each in records if not isinstance(each, Aside)], replay.tables, final)
    outcomes = whole.outcomes()
    for (table, number), outcome in (told or {}).items():
        locked = replay.tables[table].locked
        hangs = locked is not None and locked.number == number
        assert hangs or outcomes[table, number] == outcome, (table, number)
    return whole


def _advanced(replay: Replay, entry: bytes) -> Record | Aside:
    """The next record, at which no rule looks if it is an aside."""
    record = read_record(entry)
    if isinstance(record, Aside):
        return record
    return replay.advance(entry)


def _check_files(folder: Path, data: list[bytes], seen: Mapping[int, bytes]) -> None:
    """Every file that a published checkpoint implies exists, or the full file that replaced it."""
    edge = LogEdge()
    assert seen.get(0, EMPTY_ROOT) == EMPTY_ROOT
    full: dict[str, bytes] = {}
    for entry in data:
        full |= dict(edge.append(entry))
    for path, content in full.items():
        assert (folder / path).read_bytes() == content, path
    edge = LogEdge()
    for entry in data:
        edge.append(entry)
        if edge.size in seen:
            assert edge.root == seen[edge.size], f"a checkpoint of {edge.size} records is of another log"
            for path, content in edge.partial_files():
                if path.split(".p/", maxsplit=1)[0] not in full:
                    assert (folder / path).read_bytes() == content, path
    assert max(seen) == len(data)
    for number in range(len(data) // WIDTH):
        assert not (folder / f"{bundle_path(number)}.p").exists(), "partial files of a full bundle"


def expected_aids(data: list[bytes], records: Sequence[Record | Aside]) -> dict[str, bytes]:
    """The finding aids of a log, path by path."""
    tables: dict[str, TablePositions] = {}
    ids: dict[str, bytes] = {}
    rounds: dict[str, list[RoundPositions]] = {}
    for at, record in enumerate(records):
        name = record.table
        if isinstance(record, TableRecord):
            ids[name], tables[name], rounds[name] = leaf_hash(data[at]), TablePositions(at), []
        elif isinstance(record, BatchRecord):
            rounds[name] += [RoundPositions(at)] * record.count
        elif isinstance(record, LockRecord):
            rounds[name][record.round - 1] = RoundPositions(rounds[name][record.round - 1].batch, lock=at)
        elif isinstance(record, RevealRecord):
            old = rounds[name][record.round - 1]
            rounds[name][record.round - 1] = RoundPositions(old.batch, lock=old.lock, reveal=at)
        elif isinstance(record, EndRecord):
            tables[name] = TablePositions(tables[name].table, end=at)
        elif isinstance(record, CloseRecord):
            tables[name] = TablePositions(tables[name].table, end=tables[name].end, close=at)
    files: dict[str, bytes] = {}
    for name, positions in tables.items():
        path = tables_path(ids[name])
        files[path] = files.get(path, b"") + bytes(positions)
        for first in range(0, len(rounds[name]), ROUNDS_PER_FILE):
            part = rounds[name][first : first + ROUNDS_PER_FILE]
            files[rounds_path(ids[name], first + 1)] = b"".join(bytes(entry) for entry in part)
    return files


def _check_aids(folder: Path, data: list[bytes], records: Sequence[Record | Aside]) -> None:
    expected = expected_aids(data, records)
    # A crash may leave a file that has not taken its name yet.
    found = {str(file.relative_to(folder)) for file in (folder / "find").rglob("[!.]*") if file.is_file()}
    assert found == set(expected)
    for path, content in expected.items():
        assert (folder / path).read_bytes() == content, path
