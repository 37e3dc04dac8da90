"""Who has the processor when both want it: the engines' processes go before those of the public."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

NICENESS = 10
"""A tenth of an ordinary process's weight (sched(7)): strangers take little from engines, and pages are never left without."""
LOWEST = 19


def give_way(niceness: int) -> None:
    """From now on this process and those that it starts get the processor after others, the more so the nicer they are."""
    os.nice(niceness)
    # Linux may weigh sessions against one another first, and processes only within each. `serve` gives every program
    # its own session. A system without that has no such file.
    with suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(niceness), "ascii")
