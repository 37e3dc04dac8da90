"""A witness keeps its key in memory: no core dump writes it to disk, and no other process of its user reads it."""

from __future__ import annotations

import ctypes
import os
import resource
import sys

_PR_SET_DUMPABLE = 4


def hide_memory() -> None:
    """Write no core dump of this process, and hide its memory. Raises `OSError` if the system refuses."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Only Linux has prctl; elsewhere the limit has to do.
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(_PR_SET_DUMPABLE, *(ctypes.c_ulong(0) for _ in range(4))):
            reason = os.strerror(ctypes.get_errno())
            raise OSError(ctypes.get_errno(), f"the system does not let this process hide its memory: {reason}")
