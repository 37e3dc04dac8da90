"""A count that all processes of a service add to, in memory that they share."""

from __future__ import annotations

import os
from mmap import mmap

COUNT = "FOREDRAW_COUNT"
"""The environment variable that names this memory to the programs of one service."""
_SLOTS = 4096
_SLOT_BYTES = 8


def new_memory() -> int:
    """Memory for one count: an anonymous file, which lasts as long as a process has it open."""
    memory = os.memfd_create("foredraw-count")
    os.ftruncate(memory, _SLOTS * _SLOT_BYTES)
    return memory


class SharedCount:
    """The count of the service that started this process; a private one if `serve` did not start it."""

    def __init__(self) -> None:
        memory = os.environ.get(COUNT)
        self._slots = memoryview(mmap(int(memory or -1), _SLOTS * _SLOT_BYTES)).cast("Q")

    def add_one(self) -> None:
        """Count one more."""
        # A slot for each process: if two processes added to one number at the same moment, one addition would be lost.
        self._slots[os.getpid() % _SLOTS] += 1

    @property
    def total(self) -> int:
        """What all processes have counted since the service was started."""
        return sum(self._slots)
