"""Commands that run beside each other, are never silent for more than ten seconds, and say how long they took.

``python -m tests.tiers.stages WHAT COMMAND…`` runs one command, for `make run`, too: before anything is installed, so
this file needs the standard library alone, and its output is kept until it fails.
"""

from __future__ import annotations

import queue
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Thread

from tests.house import HOUSE

_SILENT_SECONDS = 8.0
_SILENT_SECONDS_ALONE = 6.0
"""Of a command that `make` runs, so that whoever runs `make` has nothing to add."""
_LEFT_SECONDS = 5.0
"""How long the output of a command that has ended is read, if something else still has it open."""
_Lines = queue.SimpleQueue["tuple[Stage, str | None]"]


@dataclass(eq=False)
class Stage:
    """One command; ``shown`` if its output is printed as it comes, and not only if it fails."""

    name: str
    command: Sequence[str]
    shown: bool = False
    seconds: float = 0.0
    status: int = -1
    output: list[str] = field(default_factory=list, repr=False)

    @property
    def passed(self) -> bool:
        """Whether it has ended well."""
        return self.status == 0


def run(*stages: Stage, silent_seconds: float = _SILENT_SECONDS) -> bool:
    """Run commands at the same time, to the end of all; returns whether all passed."""
    begun, lines = time.monotonic(), _Lines()
    processes = {stage: _start(stage) for stage in stages}
    for stage, process in processes.items():
        Thread(target=_follow, args=(stage, process, lines), daemon=True).start()
    while processes:
        try:
            stage, line = lines.get(timeout=silent_seconds)
        except queue.Empty:
            names = f"{', '.join(stage.name for stage in processes)}: " if len(stages) > 1 else ""
            _print(f"… {names}{time.monotonic() - begun:.0f} s")
            continue
        if line is None:
            stage.status = processes.pop(stage).wait()
            stage.seconds = time.monotonic() - begun
            _print_end(stage)
        else:
            stage.output.append(line)
            if stage.shown:
                _print(line)
    return all(stage.passed for stage in stages)


def _start(stage: Stage) -> subprocess.Popen[str]:
    return subprocess.Popen(
        stage.command,
        cwd=HOUSE,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )


def _follow(stage: Stage, process: subprocess.Popen[str], lines: _Lines) -> None:
    reader = Thread(target=_read, args=(stage, process, lines), daemon=True)
    reader.start()
    process.wait()
    # What the command has left running may have its output open for ever.
    reader.join(_LEFT_SECONDS)
    lines.put((stage, None))


def _read(stage: Stage, process: subprocess.Popen[str], lines: _Lines) -> None:
    assert process.stdout is not None
    with process.stdout as output:
        for line in output:
            lines.put((stage, line.rstrip("\n")))


def _print_end(stage: Stage) -> None:
    if stage.passed:
        _print(f"{stage.name}: {stage.seconds:.0f} s")
        return
    if not stage.shown:
        _print("\n".join(stage.output))
    _print(f"{stage.name}: failed with status {stage.status} after {stage.seconds:.0f} s")


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    _print(f"{sys.argv[1]} …")
    sys.exit(0 if run(Stage(sys.argv[1], sys.argv[2:]), silent_seconds=_SILENT_SECONDS_ALONE) else 1)
