"""Ctrl-C before a command begins, and after it has ended: it ends the program quietly, as it ends any other.

Python would show a traceback of whichever module it is importing.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


def end_the_program() -> None:
    """Let an interrupt end the program from now on, unless it was started with interrupts ignored."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # `foredraw-verify` starts Python with the signal blocked: one that has come since then ends the program here.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])


@contextmanager
def raised() -> Iterator[None]:
    """Raise interrupts: within this context one that would end the program is a `KeyboardInterrupt`; it may come from
    the context's end, too.
    """
    if signal.getsignal(signal.SIGINT) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
