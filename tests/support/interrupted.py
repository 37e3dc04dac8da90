"""A program that is interrupted while it imports, as by Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
import sys

_INTERRUPTED = """
import os, signal, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[2]:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
__import__(sys.argv[1])
"""


def ends_without_a_word(program: str, when: str) -> bool:
    """Whether the module of a program ends by the signal, and prints nothing, if that comes while it imports ``when``."""
    ran = subprocess.run([sys.executable, "-c", _INTERRUPTED, program, when], capture_output=True, check=False)
    return (ran.returncode, ran.stdout + ran.stderr) == (-signal.SIGINT, b"")
