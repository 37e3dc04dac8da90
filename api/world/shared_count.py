"""A count that all processes of a service add to, in memory that they share."""

from __future__ import annotations

import os
from mmap import mmap

COUNT = "FOREDRAW_COUNT"
"""Names that memory to the programs of one service, which `foredraw serve` starts with it."""
_SLOTS = 4096
_SLOT_BYTES = 8


def new_memory() -> int:
    """Memory for one count, as a file that is on no disk; it lasts as long as a process has it open."""
    memory = os.memfd_create("foredraw-count")
    os.ftruncate(memory, _SLOTS * _SLOT_BYTES)
    return memory


class SharedCount:
    """The count of the service that this process belongs to; one of its own if `serve` did not start it."""

    def __init__(self) -> None:
        memory = os.environ.get(COUNT)
        self._slots = memoryview(mmap(int(memory or -1), _SLOTS * _SLOT_BYTES)).cast("Q")

    def add_one(self) -> None:
        """Count one more."""
        # A slot for each process: two that add to one number at the same moment would lose one of both.
        self._slots[os.getpid() % _SLOTS] += 1

    @property
    def total(self) -> int:
        """What all processes have counted since the service was started."""
        return sum(self._slots)
