"""The salted log of the vectors as files: tiles, finding aids, a checkpoint of our own, codes and proof files.

Another program made its records (``tests/vectors/log-salted.jsonl``). Proof files are written here as SPEC 5.6
describes them, so that no verifier's own writer is needed.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any

from fairness.draws.commitments import commitments_path
from fairness.hashing import leaf_hash
from fairness.log.checkpoints import Checkpoint
from fairness.log.edge import LogEdge
from fairness.log.notes import SigningKey
from fairness.player.round_code import RoundCode
from fairness.round.finding_aids import ROUNDS_PER_FILE, RoundPositions, TablePositions, rounds_path, tables_path
from tests.house import HOUSE
from tests.oracles.merkle_oracle import inclusion_proof

ORIGIN = "salted.example/log"
KEY = SigningKey(ORIGIN, sha256(b"the key of the salted log's files").digest())
VKEY = str(KEY.verifier_key)
_VECTORS = HOUSE / "tests" / "vectors"
RECORDS = tuple((_VECTORS / "log-salted.jsonl").read_text("ascii").splitlines())
BEACON = (_VECTORS / "log-salted" / "policy").read_text("ascii").partition("\nbeacon ")[2].rstrip("\n")
"""The words of the log's beacon, as its policy names it."""

Record = dict[str, Any]


@dataclass
class _Batch:
    """Where a batch is, and what it says."""

    index: int
    record: Record


@dataclass
class _Table:
    """Where a table's records are, by what they are of."""

    index: int
    record: Record
    batches: list[_Batch] = field(default_factory=list)
    salts: dict[int, int] = field(default_factory=dict)
    """By the batch's number."""
    locks: dict[int, int] = field(default_factory=dict)
    reveals: dict[int, int] = field(default_factory=dict)
    seeds: dict[int, list[bytes]] = field(default_factory=dict)
    end: int = 0
    close: int = 0

    def batch_of(self, number: int) -> _Batch:
        """The batch that holds a round."""
        return next(each for each in self.batches if number < each.record["first"] + each.record["count"])

    def salt_of(self, batch: _Batch) -> int:
        """Where the salt of a batch is; 0 if it has none."""
        return self.salts.get(batch.record["batch"], 0)


class SaltedLog:
    """Some records as a log: those of the vectors, or others in their place."""

    def __init__(self, records: Sequence[str] = RECORDS) -> None:
        self.records = [record.encode("ascii") for record in records]
        self.tables: dict[str, _Table] = {}
        for index, record in enumerate(map(json.loads, records)):
            self._note(index, record)

    def _note(self, index: int, record: Record) -> None:
        if record["type"] == "table":
            self.tables[record["table"]] = _Table(index, record)
            return
        table = self.tables[record["table"]]
        match record["type"]:
            case "batch":
                table.batches.append(_Batch(index, record))
            case "salt":
                table.salts[record["batch"]] = index
            case "lock":
                table.locks[record["round"]] = index
            case "reveal":
                table.reveals[record["round"]] = index
                table.seeds[record["round"]] = [bytes.fromhex(seed) for seed in record["seeds"]]
            case "end":
                table.end = index
            case "close":
                table.close = index

    def table_id(self, name: str) -> bytes:
        """The id of a table."""
        return leaf_hash(self.records[self.tables[name].index])

    def code(self, name: str, number: int) -> str:
        """The code of a round that has ended."""
        table = self.tables[name]
        return str(RoundCode.of(table.record["game"], self.table_id(name), number, table.seeds[number]))

    @cached_property
    def _edge(self) -> tuple[LogEdge, dict[str, bytes]]:
        edge = LogEdge()
        files: dict[str, bytes] = {}
        for record in self.records:
            files.update(edge.append(record))
        files.update(edge.partial_files())
        return edge, files

    @property
    def checkpoint(self) -> bytes:
        """The signed checkpoint of all records."""
        edge, _ = self._edge
        return Checkpoint(ORIGIN, edge.size, edge.root).sign(KEY)

    def files(self) -> dict[str, bytes]:
        """All files; commitments only of batches whose rounds have all ended, because other seeds are secret."""
        files = {**self._edge[1], "checkpoint": self.checkpoint}
        for name, table in self.tables.items():
            files[tables_path(self.table_id(name))] = bytes(TablePositions(table.index, table.end, table.close))
            positions = [bytes(each) for each in _positions(table)]
            for at in range(0, len(positions), ROUNDS_PER_FILE):
                files[rounds_path(self.table_id(name), at + 1)] = b"".join(positions[at : at + ROUNDS_PER_FILE])
            for batch in table.batches:
                if (commitments := self._commitments(name, batch)) is not None:
                    batch_id = leaf_hash(self.records[batch.index])
                    files[commitments_path(batch_id)] = b"".join(map(b"".join, commitments))
        return files

    def _commitments(self, name: str, batch: _Batch) -> list[list[bytes]] | None:
        """Per custodian, as SPEC 3.2 defines them."""
        table, table_id = self.tables[name], self.table_id(name)
        rounds = range(batch.record["first"], batch.record["first"] + batch.record["count"])
        if not all(number in table.seeds for number in rounds):
            return None
        start = b"foredraw/v1/commitment\0" + table_id
        return [
            [sha256(start + number.to_bytes(8, "big") + table.seeds[number][at]).digest() for number in rounds]
            for at in range(len(table.record["custodians"]))
        ]

    def proof(self, name: str, number: int, *, stage: str = "reveal", without: Sequence[str] = ()) -> bytes:
        """A round's proof file, as far as ``stage``, the name of its last section; ``without`` some sections."""
        table = self.tables[name]
        batch = table.batch_of(number)
        first = max(1, number - table.record["lead"])
        sections = {"table": table.index, "batch": batch.index, "salt": table.salt_of(batch)}
        if first != number:
            sections["lead-lock"] = table.locks[first]
        sections |= {"lock": table.locks[number], "reveal": table.reveals[number]}
        last = [*sections].index(stage)
        kept = {
            each: index
            for each, index in [*sections.items()][: last + 1]
            if each not in without and (index or each == "table")
        }
        leaves = [leaf_hash(record) for record in self.records]
        parts = [f"foredraw/v1/round-proof\nround {name} {number}\n".encode()]
        parts += [
            _section(each, self.records[index], index, inclusion_proof(index, leaves)) for each, index in kept.items()
        ]
        commitments = self._commitments(name, batch)
        assert commitments is not None
        place = number - batch.record["first"]
        for own in commitments:
            path = inclusion_proof(place, [leaf_hash(each) for each in own])
            parts.append(_section("commitment", own[place].hex().encode(), place, path))
        return b"\n".join([*parts, b"checkpoint\n" + self.checkpoint])


def _positions(table: _Table) -> Iterator[RoundPositions]:
    for batch in table.batches:
        for number in range(batch.record["first"], batch.record["first"] + batch.record["count"]):
            yield RoundPositions(
                batch.index, table.salt_of(batch), table.locks.get(number, 0), table.reveals.get(number, 0)
            )


def _section(name: str, content: bytes, index: int, path: Sequence[bytes]) -> bytes:
    hashes = b"".join(b64encode(each) + b"\n" for each in path)
    return name.encode() + b"\n" + content + f"\nindex {index}\n".encode() + hashes
