"""Standard streams that were closed when this program was started, as by ``<&-`` or by a bare supervisor.

The system gives the next file that is opened the lowest number that is free. So a file of this program would be
standard error, and what is said to people would be written into it.
"""

from __future__ import annotations

import os
import sys


def fill() -> None:
    """Let ``/dev/null`` have each number of a standard stream that is free, here and in the programs that are
    started.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            # All below are taken, so it gets this one.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # noqa: FBT003  # It takes no keywords.
    if sys.stdin is None:
        sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)


def lose_what_is_said() -> None:
    """Lose what is printed to a closed stream, and its printing is no error."""
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
