"""Two histories of one log: a split view."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from fairness.hashing import sha256
from fairness.log.checkpoints import Checkpoint, SignedCheckpoint
from fairness.log.edge import LogEdge
from fairness.log.notes import SigningKey
from fairness.log.tiles import AuthenticTiles
from tests.support.dishonest_operator import KEY, Operator

VKEY = str(KEY.verifier_key)


RECORDS = [str(number).encode() for number in range(700)]


def log_of(
    records: list[bytes], key: SigningKey = KEY
) -> tuple[SignedCheckpoint, Callable[[Checkpoint], AuthenticTiles]]:
    """A log's signed head, and its tiles."""
    edge, files = LogEdge(), dict[str, bytes]()
    for record in records:
        files.update(edge.append(record))
    files.update(edge.partial_files())
    checkpoint = Checkpoint(key.name, edge.size, edge.root)
    return SignedCheckpoint(checkpoint.sign(key), checkpoint), partial(AuthenticTiles, read=files.__getitem__)


SIZES = [(1, 2), (2, 3), (3, 7), (4, 7), (6, 8), (7, 8), (8, 300), (256, 257), (255, 600), (300, 512), (512, 700)]


def forked(operator: Operator, *, rounds: int = 0) -> Operator:
    """An operator that continues as if its last bets had been different."""
    operator.lock("keno-1", bets={"count": 1, "root": sha256(b"other bets").hex()})
    operator.reveal("keno-1")
    return operator.play("keno-1", rounds)
