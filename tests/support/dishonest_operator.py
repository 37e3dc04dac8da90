"""An operator that can lie, and signs whatever it wrote.

It plays rounds like an honest one, from seeds derived from a label. Every method writes the next
record of one kind. A keyword argument named after a key changes that key just before the record is
appended: it is a value, a function of the honest value, or `ABSENT`. Ids, roots, tiles and signatures
are computed from the bytes that were written, so nothing is wrong with a log except the lie itself.

With ``honest=True`` the same calls write the honest records: the lies are left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from fairness.beacon.pulse import salt_of
from fairness.draws.commitments import commitments, commitments_path, commitments_root
from fairness.draws.game import is_known
from fairness.draws.seed_chain import seeds_and_anchor
from fairness.draws.stream import NO_SALT, Stream, context
from fairness.hashing import leaf_hash, sha256
from fairness.log.checkpoints import Checkpoint
from fairness.log.edge import LogEdge
from fairness.log.notes import SigningKey
from fairness.records.rules import UNSALTED
from fairness.round.finding_aids import ROUNDS_PER_FILE, RoundPositions, TablePositions, rounds_path, tables_path
from fairness.times import format_time
from games import GAMES
from games.bets import catalogue_paytable
from games.bets.paytable.read import paytable_path
from games.declared.catalogue import catalogue
from games.registry import LEAST_LEAD
from tests.support.beacons import KNOWN, next_pulse, pulse

ORIGIN = "fore.example/log"
KEY = SigningKey(ORIGIN, sha256(b"the dishonest operator's key"))
ABSENT = object()
BETS: dict[str, object] = {"count": 3, "root": sha256(b"the root over three bets").hex()}
NO_BETS: dict[str, object] = {"count": 0, "root": sha256(b"").hex()}
_START = datetime(2026, 11, 20, 22, 49, 1, tzinfo=UTC)

Declared = dict[str, Any]
"""A declaration."""

Digests = list[list[bytes]]
"""Commitments, custodian by custodian."""


@dataclass
class Batch:
    """A batch with all its secrets."""

    first: int
    count: int
    index: int
    batch_id: bytes
    seeds: list[list[bytes]]
    """Custodian by custodian, in the order of play."""
    digests: Digests
    beacon: int | None = None
    """The round of the beacon that it names."""
    salt: bytes = NO_SALT
    salted: int = 0
    """Where its salt stands; 0 as long as it has none."""

    @property
    def last(self) -> int:
        """The batch's last round."""
        return self.first + self.count - 1


@dataclass
class Table:
    """A table as its operator knows it."""

    name: str
    game: str
    declaration: Declared | None
    """What its record declares; `None` if its game is known by its name."""
    given_rules: dict[str, int]
    """Parameters of its batches' rules."""
    custodians: Sequence[str]
    index: int
    table_id: bytes
    created: str
    latest: str
    salt: str = UNSALTED
    batches: list[Batch] = field(default_factory=list)
    round: int = 0
    """The last round that was locked."""
    given_up: bool = False
    locks: dict[int, int] = field(default_factory=dict)
    reveals: dict[int, int] = field(default_factory=dict)
    end: int = 0
    close: int = 0

    @property
    def declaration_text(self) -> str:
        """The declaration's one spelling."""
        return spelled(self.declaration) if self.declaration else ""

    @property
    def lead(self) -> int:
        """Its game's."""
        return LEAST_LEAD if self.declaration else GAMES[self.game].lead

    @property
    def rules(self) -> dict[str, int]:
        """The rules of its batches."""
        plain = {"version": 1} | self.given_rules
        return plain | {"cap": 1_000_000, "rtp": 9700} if self.game in {"crash", "rocketon"} else plain

    @property
    def committed_through(self) -> int:
        """The last round that is committed."""
        return self.batches[-1].last if self.batches else 0

    def batch_of(self, number: int) -> tuple[int, Batch]:
        """The number of a round's batch, and the batch."""
        return next((i, batch) for i, batch in enumerate(self.batches, 1) if batch.first <= number <= batch.last)

    def seeds_of(self, number: int) -> list[bytes]:
        """The seeds of a round, one per custodian."""
        _, batch = self.batch_of(number)
        return [chain[number - batch.first] for chain in batch.seeds]

    def outcome_of(self, number: int) -> object:
        """The outcome of a round."""
        _, batch = self.batch_of(number)
        game = GAMES.of(self)
        if not is_known(game, self.rules):
            return {"something": "newer"}
        stream = Stream(self.seeds_of(number), context(batch.batch_id, batch.salt), number)
        return game.outcome(stream, self.rules)


def declaration_of(game: str) -> Declared:
    """What the catalogue declares."""
    declared: Declared = json.loads(next(each.declaration.text for each in catalogue() if each.game == game))
    return declared


def spelled(declared: Declared) -> str:
    """A declaration in its one spelling."""
    return json.dumps(declared, sort_keys=True, separators=(",", ":"))


class Operator:
    """Keeps tables, their seeds and a clock, and writes a log."""

    def __init__(self, *, honest: bool = False, origin: str = ORIGIN, start: datetime = _START) -> None:
        self.records: list[bytes] = []
        self.tables: dict[str, Table] = {}
        self.paytables: dict[str, bytes] = {}
        """By their paths in the log."""
        self.origin = origin
        self._honest = honest
        self._now = start

    def time(self) -> str:
        """The current time; a second later at each call."""
        self._now += timedelta(seconds=1)
        return format_time(self._now)

    def rest(self, hours: float) -> None:
        """Write nothing for this long."""
        self._now += timedelta(hours=hours)

    def append(self, data: bytes) -> int:
        """Write any bytes as the next record; returns its position."""
        self.records.append(data)
        return len(self.records) - 1

    def table(
        self,
        name: str,
        game: str,
        custodians: Sequence[str] = ("house",),
        /,
        *,
        requires_bets: bool = False,
        salted_by: str = UNSALTED,
        declared: Declared | None = None,
        rules: dict[str, int] | None = None,
        betting: bytes | Literal["catalogue"] | None = None,
        **lies: object,
    ) -> int:
        """Make a table, with its game's lead; ``salted_by`` is the name of its beacon.

        A game that has no name in the protocol is ``declared`` so, by default as in the catalogue; ``rules`` are its
        parameters, and ``betting`` is the file of what its bets pay, perhaps the catalogue's.
        """
        created = self.time()
        if declared is None and game not in GAMES:
            declared = declaration_of(game)
        lead = 1 if declared else GAMES[game].lead
        bets = {"bets": "required"} if requires_bets else {}
        fields = bets | {"created": created, "custodians": list(custodians), "game": game, "lead": lead}
        if declared:
            fields["declaration"] = declared
        if betting is not None:
            listed = catalogue_paytable(game, spelled(declared) if declared else "")
            fields["paytable"] = self._published((listed or b"") if betting == "catalogue" else betting)
        index = self._append("table", name, fields | {"log": self.origin, "salt": salted_by}, lies)
        table_id = leaf_hash(self.records[index])
        self.tables[name] = Table(
            name, game, declared, rules or {}, custodians, index, table_id, created, created, salted_by
        )
        return index

    def _published(self, paytable: bytes) -> str:
        hashed = sha256(paytable).hex()
        self.paytables[paytable_path(hashed)] = paytable
        return hashed

    def batch(
        self,
        name: str,
        count: int,
        /,
        *,
        committing: Callable[[Digests], Digests] | None = None,
        chained_for: str | None = None,
        **lies: object,
    ) -> int:
        """Commit the next rounds.

        ``committing`` falsifies what is committed, in the record and in the published file alike;
        ``chained_for`` is another table, for which the seed chains are really made.
        """
        table = self.tables[name]
        number, first = len(table.batches) + 1, table.committed_through + 1
        owner = table.table_id if self._honest or chained_for is None else self.tables[chained_for].table_id
        labels = [f"{name}/{number}/{custodian}".encode() for custodian in table.custodians]
        chains = [seeds_and_anchor(sha256(label), table_id=owner, first=first, count=count) for label in labels]
        digests = [commitments(seeds, table_id=table.table_id, first=first) for seeds, _ in chains]
        if committing and not self._honest:
            digests = committing(digests)
        committed = self._tick(table)
        named = {} if table.salt == UNSALTED else {"beacon": next_pulse(table.salt, committed)}
        fields: dict[str, object] = named | {
            "anchors": [anchor.hex() for _, anchor in chains],
            "batch": number,
            "commitments": [commitments_root(part).hex() for part in digests],
            "committed": committed,
            "count": count,
            "first": first,
            "previous": (table.batches[-1].batch_id if table.batches else table.table_id).hex(),
            "rules": table.rules,
        }
        index = self._append("batch", name, fields, lies)
        batch_id = leaf_hash(self.records[index])
        chain_seeds = [seeds for seeds, _ in chains]
        table.batches.append(Batch(first, count, index, batch_id, chain_seeds, digests, named.get("beacon")))
        return index

    def salt(self, name: str, number: int | None = None, /, **lies: object) -> int:
        """Wait for the pulse of a batch, by default the first that awaits one, and publish it; for none, false
        bytes.
        """
        table = self.tables[name]
        awaiting = [at for at, batch in enumerate(table.batches, 1) if batch.beacon and not batch.salted]
        number = number or (awaiting[0] if awaiting else len(table.batches))
        batch = table.batches[number - 1]
        if batch.beacon is None:
            fields = {"batch": number, "salted": self._tick(table), "signature": "5a" * 48}
            return self._append("salt", name, fields, lies)
        self._now = max(self._now, datetime.fromtimestamp(KNOWN[table.salt].time_of(batch.beacon), UTC))
        signature = pulse(table.salt, batch.beacon)
        fields = {"batch": number, "salted": self._tick(table), "signature": signature.hex()}
        batch.salted = self._append("salt", name, fields, lies)
        batch.salt = salt_of(signature)
        return batch.salted

    def lock(self, name: str, **lies: object) -> int:
        """Open and lock the next round, with a digest of its bets."""
        table = self.tables[name]
        return self._lock(table, {"bets": BETS, "opened": self.time()}, lies)

    def give_up(self, name: str, *, was_open: bool = False, **lies: object) -> int:
        """Give the next round up."""
        table = self.tables[name]
        fields: dict[str, object] = {"reason": "engine never came"}
        if was_open:
            fields["opened"] = self.time()
        return self._lock(table, fields, lies)

    def _lock(self, table: Table, fields: dict[str, object], lies: dict[str, object]) -> int:
        table.round += 1
        table.given_up = "reason" in fields
        index = self._append("lock", table.name, fields | {"locked": self._tick(table), "round": table.round}, lies)
        table.locks[table.round] = index
        return index

    def reveal(self, name: str, **lies: object) -> int:
        """End the locked round: played, or void if it was given up."""
        return self._reveal(name, {"status": "void" if self.tables[name].given_up else "played"}, lies)

    def void(self, name: str, **lies: object) -> int:
        """End a locked round as void."""
        return self._reveal(name, {"reason": "engine failure", "status": "void"}, lies)

    def _reveal(self, name: str, fields: dict[str, object], lies: dict[str, object]) -> int:
        table = self.tables[name]
        number = table.round
        honest: dict[str, object] = {
            "outcome": table.outcome_of(number),
            "revealed": self._tick(table),
            "round": number,
            "seeds": [seed.hex() for seed in table.seeds_of(number)],
        }
        table.reveals[number] = self._append("reveal", name, honest | fields, lies)
        return table.reveals[number]

    def play(self, name: str, rounds: int = 1) -> Operator:
        """Play whole rounds, honestly."""
        for _ in range(rounds):
            self.lock(name)
            self.reveal(name)
        return self

    def drop(self, name: str, rounds: int = 1) -> Operator:
        """Give up consecutive rounds, honestly."""
        for _ in range(rounds):
            self.give_up(name)
            self.reveal(name)
        return self

    def end(self, name: str, **lies: object) -> int:
        """End a table."""
        table = self.tables[name]
        table.end = self._append("end", name, {"ended": self._tick(table)}, lies)
        return table.end

    def close(self, name: str, **lies: object) -> int:
        """Publish the last seeds of every batch with rounds that have not ended."""
        table = self.tables[name]
        seeds = [
            {"batch": number, "seeds": [chain[-1].hex() for chain in batch.seeds]}
            for number, batch in enumerate(table.batches, 1)
            if batch.last > table.round
        ]
        table.close = self._append("close", name, {"closed": self._tick(table), "seeds": seeds}, lies)
        return table.close

    def _tick(self, table: Table) -> str:
        table.latest = self.time()
        return table.latest

    def _append(self, kind: str, name: str, honest: dict[str, object], lies: dict[str, object]) -> int:
        fields: dict[str, object] = honest | {"table": name, "type": kind, "v": 1}
        if self._honest:
            lies = {}
        for key in lies.keys() - {"respelled"}:
            lie = lies[key]
            fields[key] = lie(fields.get(key)) if callable(lie) else lie
        told = {key: value for key, value in fields.items() if value is not ABSENT}
        data = json.dumps(told, sort_keys=True, separators=(",", ":")).encode()
        respelled = lies.get("respelled")
        return self.append(respelled(data) if callable(respelled) else data)

    def files(self) -> dict[str, bytes]:
        """Every file of the log by its path, with a valid signature."""
        edge = LogEdge()
        files = dict(self.paytables)
        for data in self.records:
            files.update(edge.append(data))
        files.update(edge.partial_files())
        files["checkpoint"] = Checkpoint(self.origin, edge.size, edge.root).sign(KEY)
        for table in self.tables.values():
            for batch in table.batches:
                files[commitments_path(batch.batch_id)] = b"".join(map(b"".join, batch.digests))
            for path, data in _finding_aids(table).items():
                # Tables whose ids begin alike share a file, in their order.
                files[path] = files.get(path, b"") + data
        return files

    def write(self, folder: Path) -> Path:
        """Write the log as a folder."""
        for path, data in self.files().items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        return folder


def _finding_aids(table: Table) -> dict[str, bytes]:
    files = {tables_path(table.table_id): bytes(TablePositions(table.index, table.end, table.close))}
    positions = [
        bytes(RoundPositions(batch.index, batch.salted, table.locks.get(number, 0), table.reveals.get(number, 0)))
        for batch in table.batches
        for number in range(batch.first, batch.last + 1)
    ]
    for at in range(0, len(positions), ROUNDS_PER_FILE):
        files[rounds_path(table.table_id, at + 1)] = b"".join(positions[at : at + ROUNDS_PER_FILE])
    return files


def just_before(time: str) -> str:
    """A millisecond earlier."""
    return format_time(datetime.fromisoformat(time) - timedelta(milliseconds=1))


def just_after(time: str) -> str:
    """A millisecond later."""
    return format_time(datetime.fromisoformat(time) + timedelta(milliseconds=1))
