"""How long this thread has had a processor, and how long it has waited for one."""

from __future__ import annotations

import time
from pathlib import Path
from typing import NamedTuple

_SCHEDULED = Path("/proc/thread-self/schedstat")


class ProcessorTime(NamedTuple):
    """Of one thread so far, in seconds."""

    computed: float
    waited: float
    """Ready to compute, while every processor was busy with something else."""


def processor_time() -> ProcessorTime:
    """That of this thread. Only Linux counts the waiting; elsewhere it is 0."""
    try:
        computed, waited, _ = _SCHEDULED.read_bytes().split()
    except (OSError, ValueError):
        return ProcessorTime(time.thread_time(), 0.0)
    return ProcessorTime(int(computed) / 1e9, int(waited) / 1e9)
