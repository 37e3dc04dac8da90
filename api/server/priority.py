"""Which processes get the processor first: the engines' go before the public's."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

NICENESS = 10
"""A tenth of an ordinary process's weight (sched(7)): if the system weighs sessions, pages still get some time."""
LOWEST = 19


def give_way(niceness: int) -> None:
    """Lower the priority of this process and of those that it starts; a niceness of 0 changes nothing."""
    if niceness == 0:
        return
    os.nice(niceness)
    # A lower weight is not enough: an engine's process that wakes up would wait for milliseconds until the running
    # process has used up its time slice. A process of this class yields to it.
    if sys.platform == "linux":
        with suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    # Linux may weigh sessions against one another first, and processes only within each. `serve` gives every program
    # its own session. A system without that has no such file.
    with suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(niceness), "ascii")
