"""Which chain of seeds is meant."""

from __future__ import annotations

from dataclasses import dataclass

from fairness.hashing import u48, u64


@dataclass(frozen=True, slots=True)
class ChainId:
    """The chain of one batch. Its bytes are what its sealed seed is bound to.

    Under another table's name, or moved to another batch, a seed does not decrypt. The name is part of it because a
    lock in the log names its table so, and is what frees a seed.
    """

    table: str
    table_id: bytes
    first: int
    count: int
    anchor: bytes

    @property
    def last(self) -> int:
        """The chain's last round."""
        return self.first + self.count - 1

    def __bytes__(self) -> bytes:
        name = self.table.encode().ljust(32, b"\0")
        return b"foredraw/v1/sealed\0" + name + self.table_id + u64(self.first) + u48(self.count) + self.anchor
