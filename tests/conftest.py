"""Where the tests' files lie, and how the tests end."""

from __future__ import annotations

import os
import signal
from pathlib import Path

_MEMORY = Path("/dev/shm")  # noqa: S108
_LEAST_BYTES = 4 * 10**9


def pytest_configure() -> None:
    """Before any test."""
    _keep_files_in_memory()
    # Whoever stops us so, as `timeout` does, would leave the services running that we have started.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # A shell lets what it starts in the background ignore interrupts, and the programs that we start would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _keep_files_in_memory() -> None:
    """Where there is enough: the services sync every few records, and no test outlasts a power cut.

    Programs are built and started there, too, which containers often forbid.
    """
    if _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK):
        found = os.statvfs(_MEMORY)
        if not found.f_flag & os.ST_NOEXEC and found.f_bavail * found.f_frsize >= _LEAST_BYTES:
            os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))
