"""How long this thread has had a processor, and how long it has waited for one."""

from __future__ import annotations

import time
from pathlib import Path
from typing import NamedTuple

_SCHEDULED = Path("/proc/thread-self/schedstat")


class ProcessorTime(NamedTuple):
    """What one thread has used so far, in seconds."""

    computed: float
    waited: float
    """Ready to compute, while every processor was busy with something else."""


def processor_time() -> ProcessorTime:
    """Return what this thread has used. Only Linux counts the waiting; elsewhere it is 0."""
    # The file has a time as well, but one that is up to a tick of the kernel old: as long as a whole answer.
    computed = time.thread_time()
    try:
        _, waited, _ = _SCHEDULED.read_bytes().split()
    except (OSError, ValueError):
        return ProcessorTime(computed, 0.0)
    return ProcessorTime(computed, int(waited) / 1e9)
