"""What ``foredraw serve`` passes to the programs that it starts, and how each of them notices that it is gone."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

ENGINES = "FOREDRAW_ENGINES"
"""Where engines' calls go, in words, for the public listener's answer to an engine that calls it."""
NICENESS = "FOREDRAW_NICENESS"
"""How much a program gives way to the others; only the public listener's program gets it."""
SUPERVISOR = "FOREDRAW_SUPERVISOR"
"""The id of the process that started the program: asked later, the system might name its heir."""
_LOOK_SECONDS = 0.5


def when_orphaned(act: Callable[[], None]) -> None:
    """Call ``act`` once the process that watches over this one is gone, which it may be already."""
    supervisor = int(os.environ.get(SUPERVISOR) or os.getppid())

    def watch() -> None:
        while os.getppid() == supervisor:
            time.sleep(_LOOK_SECONDS)
        act()

    threading.Thread(target=watch, name="supervisor", daemon=True).start()
