"""What ``foredraw serve`` passes to the programs that it starts, what they are called, and how they notice that it
has died.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import time
from collections.abc import Callable

ENGINES = "FOREDRAW_ENGINES"
"""Where engines call, for an engine that calls the public listener by mistake: an address, or a port of this machine
behind a colon; empty if neither is known.
"""
NICENESS = "FOREDRAW_NICENESS"
"""The niceness of a program; only the public listener's program gets it."""
PUBLIC_SHARE = "FOREDRAW_PUBLIC_SHARE"
"""The share of its time that each process of the public's listener may spend on expensive answers, in percent."""
SUPERVISOR = "FOREDRAW_SUPERVISOR"
"""The id of the process that started the program. If the program asked the system later, it might get another
parent's.
"""
STANDBY = "standby"
"""The argument with which the background program waits while another one leads, in the place of ending."""
BACKGROUND, ENGINES_API, PUBLIC_API = "fore-background", "fore-engines", "fore-public"
"""What the system calls the processes of each program."""
PYTHON = (sys.executable, "-P", "-m")
"""How one of our processes starts a module: with a safe path, so that none is found in the working directory."""
_PR_SET_NAME = 15
_LOOK_SECONDS = 0.5


def name_process(title: str) -> None:
    """Set what ``ps -o comm`` and ``top`` call this process and those that it forks: at most 15 bytes (prctl(2),
    PR_SET_NAME).
    """
    # Only Linux has prctl; elsewhere all are called like Python.
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(
            _PR_SET_NAME, ctypes.c_char_p(title.encode("ascii")), *(ctypes.c_ulong(0) for _ in range(3))
        )


def _in_a_thread(watch: Callable[[], None]) -> None:
    threading.Thread(target=watch, name="supervisor", daemon=True).start()


def when_orphaned(act: Callable[[], None], start: Callable[[Callable[[], None]], object] = _in_a_thread) -> None:
    """Call ``act`` when the supervisor of this process has died, which may have happened already.

    ``start`` makes the watch run beside the rest of the program. A greenlet, unlike a thread, also runs in processes
    that are forked from this one; there it ends.
    """
    supervisor, watched = int(os.environ.get(SUPERVISOR) or os.getppid()), os.getpid()

    def watch() -> None:
        while os.getpid() == watched and os.getppid() == supervisor:
            time.sleep(_LOOK_SECONDS)
        if os.getpid() == watched:
            act()

    start(watch)
