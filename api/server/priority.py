"""Which processes get the processor first: the engines' go before the public's."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress

NICENESS = 10
"""A tenth of an ordinary process's weight (sched(7)): strangers take little from engines, and pages still get
some.
"""
LOWEST = 19
_ATTEMPTS, _PAUSE_SECONDS = 20, 0.1


def prepare_to_give_way(niceness: int) -> Callable[[], None]:
    """Return a function that lowers the priority of this process's session, which must be its own, and of what it
    starts later.

    Any process that is forked from this one may call it, as often as it likes. Call it when the program has loaded:
    on a busy machine, a program that gives way earlier may need minutes to start. Every process must call it: one
    that is being forked while another calls it has the old priority already, and is not in the group yet.
    """
    lowered = min(os.getpriority(os.PRIO_PROCESS, 0) + niceness, LOWEST)
    session = _open_session()

    def give_way() -> None:
        # Only root may raise the priority again of processes that somebody has lowered further.
        with suppress(PermissionError):
            os.setpriority(os.PRIO_PGRP, 0, lowered)
        if session is not None:
            _weigh(session, niceness)

    return give_way


def _weigh(session: int, niceness: int) -> None:
    """Weigh again later if it has to: unless it is root, Linux refuses whoever changes a weight within a tenth of a
    second after any session's change.
    """
    for _ in range(_ATTEMPTS):
        try:
            os.write(session, str(niceness).encode("ascii"))
        except BlockingIOError:
            time.sleep(_PAUSE_SECONDS)
        except OSError:
            return
        else:
            return


def _open_session() -> int | None:
    """Return the file for this session's weight; `None` on a system that does not weigh sessions.

    Linux may weigh sessions against one another first, and processes only within each. The file is opened before it
    is needed: a process that hides its memory may open it only as root.
    """
    try:
        return os.open("/proc/self/autogroup", os.O_WRONLY)
    except OSError:
        return None
