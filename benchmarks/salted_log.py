"""The log of `made_log` with salts and witnesses: a beacon of one node, and two witnesses who see each batch before
its pulse.

Like the seeds, all of their secrets are derived from labels.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from api.beacon.node import Node
from benchmarks.made_log import Batch, LogMaker, Table
from fairness.beacon.pulse import salt_of
from fairness.draws.stream import context
from fairness.hashing import sha256
from fairness.log.checkpoints import Checkpoint
from fairness.log.notes import SigningKey
from fairness.log.proof import Inclusion, TlogProof
from fairness.log.tiles import AuthenticTiles
from fairness.policy.witnessed import witnessed_path
from fairness.records.record import BatchRecord, SaltRecord
from fairness.times import format_time, milliseconds
from games import GAMES
from verifier.witness.key_file import CosigningKey
from verifier.witness.signers import cosignature_line

_NODE = Node.of(bytes(8) + sha256(b"the benchmarks' beacon")[8:], period=3, genesis=1_700_000_000, name="bench")
_WITNESSES = [CosigningKey(f"{name}.example/witness", sha256(name.encode())) for name in ("lab", "press")]
_SEEN_AFTER, _PULSE_AFTER = 2, 20
"""Seconds from a batch to its cosignatures, and at least as many to its pulse."""


def policy_for(key: SigningKey) -> str:
    """The policy that demands both witnesses, and names the beacon."""
    lines = [
        f"log {key.verifier_key}",
        *(f"witness {each.name.partition('.')[0]} {each.key}" for each in _WITNESSES),
        "group both all lab press",
        "quorum both",
        f"beacon {_NODE.beacon}",
    ]
    return "".join(f"{line}\n" for line in lines)


@dataclass(frozen=True, slots=True)
class _Awaited:
    """A batch without its salt yet."""

    table: Table
    batch: Batch
    batch_id: bytes
    pulse: int

    @property
    def exists(self) -> str:
        """When the pulse exists, as records spell times."""
        return format_time(datetime.fromtimestamp(_NODE.beacon.time_of(self.pulse), UTC))


class SaltedLogMaker(LogMaker):
    """Writes witnessed files as well, and a checkpoint with both cosignatures."""

    salt = _NODE.beacon.chain_hash.hex()

    def __init__(self, folder: Path, key: SigningKey, *, batch: int = 1000) -> None:
        super().__init__(folder, key, batch=batch)
        self._awaited: deque[_Awaited] = deque()

    def start(self, games: Sequence[str] = tuple(GAMES)) -> None:
        """Make the tables and their first batches, and wait for the salts of all."""
        super().start(games)
        while self._awaited:
            self.before_round()

    def pulse_after(self, committed: str) -> int:
        """The pulse that a batch of this time names."""
        return _NODE.beacon.first_at(milliseconds(committed) + 1000 * _PULSE_AFTER)

    def after_batch(self, table: Table, record: BatchRecord) -> None:
        """Show a batch to the witnesses, and await its pulse."""
        checkpoint = Checkpoint(self.key.name, self.edge.size, self.edge.root)
        edge, batch = dict(self.edge.partial_files()), table.pending[-1]
        tiles = AuthenticTiles(checkpoint, lambda path: edge.get(path) or (self.folder / path).read_bytes())
        inclusion = Inclusion(batch.position, tuple(tiles.inclusion_path(batch.position)))
        note = self._cosigned(checkpoint, milliseconds(record.committed) // 1000 + _SEEN_AFTER)
        self.write(witnessed_path(table.last_batch_id), bytes(TlogProof(inclusion, note)))
        self._awaited.append(_Awaited(table, batch, table.last_batch_id, self.pulse_after(record.committed)))

    def before_round(self) -> None:
        """Publish the salts whose pulses exist by now."""
        if not self._awaited:
            return
        now = next(self.clock)
        while self._awaited and self._awaited[0].exists <= now:
            awaited = self._awaited.popleft()
            signature = _NODE.pulse(awaited.pulse)
            salt = SaltRecord(
                batch=awaited.batch.number, salted=now, signature=signature.hex(), table=awaited.table.name
            )
            awaited.batch.salt, _ = self.append(salt)
            awaited.batch.batch_context = context(awaited.batch_id, salt_of(signature))

    def signed(self, checkpoint: Checkpoint) -> bytes:
        """With both cosignatures, made now."""
        return self._cosigned(checkpoint, milliseconds(next(self.clock)) // 1000)

    def _cosigned(self, checkpoint: Checkpoint, time: int) -> bytes:
        text = str(checkpoint)
        return checkpoint.sign(self.key) + "".join(cosignature_line(each, text, time) for each in _WITNESSES).encode()
