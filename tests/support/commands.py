"""Commands of ``foredraw`` in this process."""

from __future__ import annotations

import subprocess
import sys

from tests.support.in_process_service import InProcessService


def foredraw(running: InProcessService, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the operator's program."""
    command = [sys.executable, "-m", "api.programs.cli", "--data", str(running.settings.folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
