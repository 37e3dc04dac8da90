"""Which processes get the processor first: the engines' go before the public's."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

NICENESS = 10
"""A tenth of an ordinary process's weight (sched(7)): strangers take little from engines, and pages still get some."""
LOWEST = 19


def give_way(niceness: int) -> None:
    """Lower the priority of this process and of those that it starts."""
    os.nice(niceness)
    # Linux may weigh sessions against one another first, and processes only within each. `serve` gives every program
    # its own session. A system without that has no such file.
    with suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(niceness), "ascii")
