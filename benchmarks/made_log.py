"""An honest log of any length, made as fast as possible, on which the verifier's figures are measured.

Tables, one per game, with one custodian, play in turn: of the six games with names, if no others are asked for. Seeds
are derived from a label, so the same call makes the same bytes; anybody who reads this file can compute every
outcome.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
from msgspec import UNSET, UnsetType

from fairness.draws.commitments import commitments, commitments_path, commitments_root
from fairness.draws.game import Game
from fairness.draws.seed_chain import seeds_and_anchor
from fairness.draws.stream import LARGEST_RANGE, Stream, context
from fairness.hashing import leaf_hash, sha256
from fairness.limits import MOST_DRAWS, MOST_STEPS
from fairness.log.checkpoints import Checkpoint
from fairness.log.edge import LogEdge
from fairness.log.notes import SigningKey
from fairness.player.round_code import RoundCode
from fairness.records.record import (
    BatchRecord,
    BatchSeeds,
    CloseRecord,
    EndRecord,
    LockRecord,
    Record,
    RevealRecord,
    TableRecord,
    encode_record,
)
from fairness.records.rules import UNSALTED
from fairness.round.finding_aids import ROUNDS_PER_FILE, RoundPositions, TablePositions, rounds_path, tables_path
from games import GAMES
from games.declared.catalogue import listed
from games.declared.spelling import spelled

CUSTODIAN = "house"
_SPARE = 50
"""The next batch is committed this many rounds before the lead needs it."""
_MILLISECONDS = 100
_START = datetime(2026, 11, 20, 22, 49, 1, tzinfo=UTC)
COSTLIEST = "costliest"
"""A game that takes as long to draw as the limits of SPEC 3.6 allow: a race, whose weights are added up again for
each draw, and as many steps as there may be that choose among all of its runners.
"""
_CHOICES = MOST_STEPS - 1
_RUNNERS = MOST_DRAWS - _CHOICES
_WEIGHT = LARGEST_RANGE // _RUNNERS
_COSTLIEST = {
    "draw": [["order", "race"], *([f"choice-{number}", "chosen"] for number in range(_CHOICES))],
    "rules": {"runners": [_RUNNERS, _RUNNERS], "w*runners": [1, _WEIGHT]},
}
_RULES = {
    "crash": {"cap": 1_000_000, "rtp": 9700, "version": 1},
    "rocketon": {"cap": 500_000, "rtp": 9600, "version": 1},
    COSTLIEST: {
        "runners": _RUNNERS,
        "version": 1,
        **{f"w{number}": _WEIGHT for number in range(1, _RUNNERS + 1)},
    },
}


@dataclass
class Batch:
    """A batch with its secrets."""

    number: int
    first: int
    position: int
    seeds: list[bytes]
    batch_context: bytes
    salt: int = 0
    """The position of its salt, if it has one."""

    @property
    def last(self) -> int:
        """Its last round."""
        return self.first + len(self.seeds) - 1


@dataclass
class Table:
    """A table as its operator knows it."""

    name: str
    game: Game
    table_id: bytes
    position: int
    last_batch_id: bytes
    pending: list[Batch] = field(default_factory=list)
    batches: int = 0
    committed: int = 0
    round: int = 0
    end: int = 0
    close: int = 0
    positions: list[RoundPositions] = field(default_factory=list)
    """The positions of the rounds whose file of finding aids is not written yet."""

    @property
    def rules(self) -> dict[str, int]:
        """The rules of all its batches."""
        return _RULES.get(self.game.name, {"version": 1})


def _game(name: str) -> Game:
    return GAMES[name] if name in GAMES else GAMES.declared(name, declared(name))


def declared(name: str) -> str:
    """The declaration of a game that has no name in the protocol."""
    return (spelled(_COSTLIEST) if name == COSTLIEST else listed(name).declaration.text).decode()


class LogMaker:
    """Writes a log to a folder: `start`, then `deal` any number of rounds, then `publish`."""

    salt = UNSALTED
    """The salt of all tables."""

    def __init__(self, folder: Path, key: SigningKey, *, batch: int = 1000) -> None:
        self.folder, self.key, self.batch = folder, key, batch
        self.edge = LogEdge()
        self.tables: list[Table] = []
        self.codes: dict[tuple[str, int], str] = {}
        """Round codes of the first and the last round of each call of `deal`."""
        self.clock = _times()
        self._folders: set[Path] = set()

    def start(self, games: Sequence[str] = tuple(GAMES)) -> None:
        """Make one table for each game, by its name or as the catalogue declares it, with a first batch.

        A game that is named several times has several tables.
        """
        made: Counter[str] = Counter()
        for name in games:
            made[name] += 1
            game = _game(name)
            text = game.declaration_text
            record = TableRecord(
                created=next(self.clock),
                custodians=[CUSTODIAN],
                declaration=msgspec.json.decode(text) if text else UNSET,
                game=name,
                lead=game.lead,
                log=self.key.name,
                salt=self.salt,
                table=f"{name}-{made[name]}",
            )
            position, record_id = self.append(record)
            self.tables.append(Table(record.table, game, record_id, position, record_id))
        for table in self.tables:
            self.commit(table)

    def commit(self, table: Table) -> None:
        """Commit the next batch of a table."""
        table.batches += 1
        first, committed = table.committed + 1, next(self.clock)
        record, seeds, digests = self.made_batch(table, self.secret_for(table, committed), committed)
        position, batch_id = self.append(record)
        self.write(commitments_path(batch_id), b"".join(digests))
        table.pending.append(Batch(table.batches, first, position, seeds, context(batch_id)))
        table.last_batch_id = batch_id
        table.committed += self.batch
        self.after_batch(table, record)

    def after_batch(self, table: Table, record: BatchRecord) -> None:
        """Called after each batch."""

    def secret_for(self, table: Table, committed: str) -> bytes:  # noqa: ARG002 -- a salted log needs it
        """The last seed of a table's next batch."""
        return sha256(f"{self.key.name} {table.name} {table.batches}".encode())

    def pulse_after(self, committed: str) -> int | UnsetType:  # noqa: ARG002 -- a salted log needs it
        """The pulse that a batch of this time names."""
        return UNSET

    def made_batch(self, table: Table, secret: bytes, committed: str) -> tuple[BatchRecord, list[bytes], list[bytes]]:
        """A table's next batch with this last seed: its record, its seeds and its commitments."""
        first = table.committed + 1
        seeds, anchor = seeds_and_anchor(secret, table_id=table.table_id, first=first, count=self.batch)
        digests = commitments(seeds, table_id=table.table_id, first=first)
        record = BatchRecord(
            anchors=[anchor.hex()],
            batch=table.batches,
            beacon=self.pulse_after(committed),
            commitments=[commitments_root(digests).hex()],
            committed=committed,
            count=self.batch,
            first=first,
            previous=table.last_batch_id.hex(),
            rules=table.rules,
            table=table.name,
        )
        return record, seeds, digests

    def deal(self, rounds: int) -> None:
        """Play ``rounds`` rounds, at all tables in turn."""
        for count in range(rounds):
            table = self.tables[count % len(self.tables)]
            if table.committed - table.round <= table.game.lead + _SPARE:
                self.commit(table)
            self.before_round()
            self._play(table, remember=count < len(self.tables) or count >= rounds - len(self.tables))

    def before_round(self) -> None:
        """Called before each round."""

    def _play(self, table: Table, *, remember: bool) -> None:
        table.round += 1
        number, batch = table.round, table.pending[0]
        seed = batch.seeds[number - batch.first]
        opened, locked, revealed = next(self.clock), next(self.clock), next(self.clock)
        lock, _ = self.append(LockRecord(opened=opened, locked=locked, round=number, table=table.name))
        outcome = table.game.outcome(Stream([seed], batch.batch_context, number), table.rules)
        reveal, _ = self.append(
            RevealRecord(
                outcome=dict(outcome),
                revealed=revealed,
                round=number,
                seeds=[seed.hex()],
                status="played",
                table=table.name,
            )
        )
        table.positions.append(RoundPositions(batch.position, batch.salt, lock, reveal))
        if len(table.positions) == ROUNDS_PER_FILE:
            self._write_positions(table)
        if remember:
            self.codes[table.name, number] = str(RoundCode.of(table.game.name, table.table_id, number, [seed]))
        if number == batch.last:
            table.pending.pop(0)

    def close(self) -> None:
        """End and close every table."""
        for table in self.tables:
            table.end, _ = self.append(EndRecord(ended=next(self.clock), table=table.name))
            seeds = [BatchSeeds(batch=batch.number, seeds=[batch.seeds[-1].hex()]) for batch in table.pending]
            table.close, _ = self.append(CloseRecord(closed=next(self.clock), seeds=seeds, table=table.name))

    def publish(self) -> Checkpoint:
        """Write the right edge, the finding aids and, last, the checkpoint."""
        for path, data in self.edge.partial_files():
            self.write(path, data)
        for table in self.tables:
            own = TablePositions(table.position, table.end, table.close)
            self.write(tables_path(table.table_id), bytes(own))
            self._write_coming_positions(table)
        checkpoint = Checkpoint(self.key.name, self.edge.size, self.edge.root)
        self.write("checkpoint", self.signed(checkpoint))
        return checkpoint

    def signed(self, checkpoint: Checkpoint) -> bytes:
        """The checkpoint as a note, with all signatures."""
        return checkpoint.sign(self.key)

    def _write_coming_positions(self, table: Table) -> None:
        """Write the positions of rounds that are committed but not yet played: they only have a batch."""
        played = len(table.positions)
        kept = table.positions[:]
        for batch in table.pending:
            for number in range(max(batch.first, table.round + 1), batch.last + 1):
                table.positions.append(RoundPositions(batch.position, batch.salt))
                if number % ROUNDS_PER_FILE == 0:
                    self._write_positions(table, number)
        if table.positions:
            self._write_positions(table, table.committed)
        table.positions = kept[:played]

    def _write_positions(self, table: Table, last: int | None = None) -> None:
        path = rounds_path(table.table_id, last or table.round)
        self.write(path, b"".join(map(bytes, table.positions)))
        table.positions = []

    def append(self, record: Record) -> tuple[int, bytes]:
        """Append a record; returns its position and its id."""
        data = encode_record(record)
        position = self.edge.size
        for path, content in self.edge.append(data):
            self.write(path, content)
        return position, leaf_hash(data)

    def write(self, path: str, data: bytes) -> None:
        """Write a file of the log."""
        file = self.folder / path
        if file.parent not in self._folders:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._folders.add(file.parent)
        file.write_bytes(data)


def _times() -> Iterator[str]:
    """Increasing times; each second is formatted once."""
    second = _START
    while True:
        prefix = second.strftime("%Y-%m-%dT%H:%M:%S.")
        for millisecond in range(0, 1000, _MILLISECONDS):
            yield f"{prefix}{millisecond:03}Z"
        second += timedelta(seconds=1)


def make_log(
    folder: Path,
    rounds: int,
    key: SigningKey,
    *,
    batch: int = 1000,
    close: bool = False,
    kind: type[LogMaker] = LogMaker,
    games: Sequence[str] = tuple(GAMES),
) -> LogMaker:
    """Write a log of ``rounds`` rounds below ``folder``, at a table of each of ``games`` in turn."""
    maker = kind(folder, key, batch=batch)
    maker.start(games)
    maker.deal(rounds)
    if close:
        maker.close()
    maker.publish()
    return maker
