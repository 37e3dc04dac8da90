"""The rounds of a table that nobody plays; batches and seeds follow the service's rules (SPEC 3.1 to 3.3, 4)."""

from __future__ import annotations

import itertools
import json
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from msgspec import UNSET

from fairness.draws.commitments import commitments, commitments_root
from fairness.draws.game import Game, Rules
from fairness.draws.seed_chain import seeds_and_anchor
from fairness.draws.stream import Stream, context
from fairness.hashing import HASH_SIZE, leaf_hash, sha256, tag, u64
from fairness.records.record import BatchRecord, TableRecord, encode_record

BATCH_SIZE = 1000
"""Rounds per batch, the service's default."""

ORIGIN = "collection.invalid/log"
TABLE = "collection"
_TIME = "2000-01-01T00:00:00.000Z"
_TAG = tag("collection")

LastSeeds = Callable[[int], bytes]
"""The last seed of each batch, by the batch's number from 1."""


@dataclass(frozen=True, slots=True)
class Round:
    """One round with its secrets, which nobody bets on."""

    number: int
    seed: bytes = field(repr=False)
    batch_context: bytes

    def stream(self) -> Stream:
        """Return the stream from which the round's outcome is drawn."""
        return Stream([self.seed], self.batch_context, self.number)


def from_entropy(batch: int) -> bytes:  # noqa: ARG001 -- as `repeatable` gives it
    """Take seeds as in production: new bytes from the operating system's CSPRNG for each batch."""
    return secrets.token_bytes(HASH_SIZE)


def repeatable(seed: bytes) -> LastSeeds:
    """Make seeds, not as in production: ``seed`` determines everything. A separate tag keeps these chains different
    from real ones.
    """
    return lambda batch: sha256(_TAG + seed + u64(batch))


def table_record(game: Game) -> bytes:
    """Return the table's record, as in a log."""
    record = TableRecord(
        created=_TIME,
        custodians=["house"],
        declaration=json.loads(game.declaration_text) if game.declaration_text else UNSET,
        game=game.name,
        lead=game.lead,
        log=ORIGIN,
        salt="none",
        table=TABLE,
    )
    return encode_record(record)


def batches(game: Game, rules: Rules, last_seeds: LastSeeds) -> Iterator[tuple[bytes, int, list[bytes]]]:
    """Yield each batch's record, first round and seeds, endlessly. Raises `RulesRefused`."""
    game.check_rules(rules)
    table_id = previous = leaf_hash(table_record(game))
    for batch in itertools.count(1):
        first = (batch - 1) * BATCH_SIZE + 1
        seeds, anchor = seeds_and_anchor(last_seeds(batch), table_id=table_id, first=first, count=BATCH_SIZE)
        record = BatchRecord(
            anchors=[anchor.hex()],
            batch=batch,
            commitments=[commitments_root(commitments(seeds, table_id=table_id, first=first)).hex()],
            committed=_TIME,
            count=BATCH_SIZE,
            first=first,
            previous=previous.hex(),
            rules=dict(rules),
            table=TABLE,
        )
        data = encode_record(record)
        previous = leaf_hash(data)
        yield data, first, seeds


def rounds(game: Game, rules: Rules, last_seeds: LastSeeds) -> Iterator[Round]:
    """Yield all rounds of the table in the order of play, endlessly. Raises `RulesRefused`."""
    for record, first, seeds in batches(game, rules, last_seeds):
        batch_context = context(leaf_hash(record))
        for number, seed in enumerate(seeds, first):
            yield Round(number, seed, batch_context)
