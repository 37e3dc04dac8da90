"""A process keeps its secrets in memory: no core dump writes them to disk, and no other process can read them.

Every program of the service calls `keep_memory_private` first. It does not stop root, who may read all memory.
"""

from __future__ import annotations

import ctypes
import os
import resource
import sys

from api.settings import SettingsError

_PR_SET_DUMPABLE = 4


def keep_memory_private() -> None:
    """Write no core dump of this process, and hide its memory and environment from its own user's other processes.

    Both hold for processes that are forked from this one. A program that is executed by it has the limit on core
    dumps, and must hide its memory itself (prctl(2), PR_SET_DUMPABLE). Raises `SettingsError` if the system refuses.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Only Linux has prctl; elsewhere the limit has to do.
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(_PR_SET_DUMPABLE, *(ctypes.c_ulong(0) for _ in range(4))):
            reason = os.strerror(ctypes.get_errno())
            raise SettingsError(
                f"the system does not let this process hide its memory (prctl PR_SET_DUMPABLE): {reason}"
            )
