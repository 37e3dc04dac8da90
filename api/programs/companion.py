"""``python -m api.programs.companion MODULE …``: become another Python program, which ends when its supervisor dies.

For programs that know nothing of a supervisor. Only Linux ends them by itself; elsewhere they outlast a supervisor
that is killed.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

from api.world.supervision import PYTHON, SUPERVISOR

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Ask the system for a signal at the parent's death, and become the program."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGTERM))
        if os.getppid() != int(os.environ[SUPERVISOR]):
            # The supervisor has died already, so the signal will never come.
            sys.exit(1)
    os.execv(sys.executable, [*PYTHON, *sys.argv[1:]])  # noqa: S606 -- this program becomes it, without a shell


if __name__ == "__main__":
    main()
