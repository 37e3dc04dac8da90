"""Counts that all processes of a service add to, in memory that they share."""

from __future__ import annotations

import os
from mmap import mmap

COUNT = "FOREDRAW_COUNT"
"""The environment variable that names this memory to the programs of one service."""
PLACES = 128
"""How many counts there are, at most."""
_SLOTS = 4096
_SLOT_BYTES = 8


def new_memory() -> int:
    """Return memory for all counts: an anonymous file, which lasts as long as a process has it open."""
    memory = os.memfd_create("foredraw-count")
    os.ftruncate(memory, PLACES * _SLOTS * _SLOT_BYTES)
    return memory


class SharedCount:
    """One count of the service that started this process; a private one if `serve` did not start it."""

    def __init__(self, place: int = 0) -> None:
        """``place`` is which of the counts, below `PLACES`."""
        memory, size = os.environ.get(COUNT), _SLOTS * _SLOT_BYTES
        mapped = mmap(-1, size) if memory is None else mmap(int(memory), size, offset=place * size)
        self._slots = memoryview(mapped).cast("Q")

    def add(self, amount: int = 1) -> None:
        """Count one more, or several."""
        # A slot for each process: if two processes added to one number at the same moment, one addition would be
        # lost.
        self._slots[os.getpid() % _SLOTS] += amount

    @property
    def total(self) -> int:
        """What all processes have counted since the service was started."""
        return sum(self._slots)
