"""Programs that Ctrl-C ends while they start: in a chosen module, or at a moment."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

START = "sitecustomize"
"""What Python imports while it starts itself, before anything of a program."""
_HOOK = f"""
import os, signal, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["INTERRUPTED_AT"]:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
Finder().find_spec("{START}")
"""

Ended = tuple[int, str, str]
"""Exit status, standard output, standard error."""


def interrupting_at(module: str, folder: Path) -> dict[str, str]:
    """The variables with which each Python interrupts itself when it looks for a module; ``folder`` gets the hook
    that does it.
    """
    (folder / f"{START}.py").write_text(_HOOK, "ascii")
    return {"PYTHONPATH": str(folder), "INTERRUPTED_AT": module}


def interrupted_at(module: str, command: Sequence[str | Path], folder: Path) -> Ended:
    """Run a program that is interrupted when it looks for a module, with the hook in ``folder``."""
    environment = os.environ | interrupting_at(module, folder)
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return ran.returncode, ran.stdout, ran.stderr


def interrupted_after(seconds: float, command: Sequence[str | Path]) -> Ended:
    """Run a program that is interrupted after so many seconds, if it still runs then."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        time.sleep(seconds)
        program.send_signal(signal.SIGINT)
        output, errors = program.communicate()
    return program.returncode, output, errors
