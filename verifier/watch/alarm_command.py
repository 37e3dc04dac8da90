"""Runs a user's command on an alarm, without waiting for it.

The command is started without a shell. It gets the alarm as JSON on its standard input and in its
environment, where no part of it is executed. Its output goes to our error output.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

LONGEST_RUN = 60.0
"""Seconds after which a command is killed."""
MOST_RUNNING = 16


@dataclass(frozen=True, slots=True)
class _Running:
    process: subprocess.Popen[bytes]
    end: float
    alarm: str


class AlarmCommand:
    """One command, run once for each alarm."""

    def __init__(self, command: str, complain: Callable[[str], None], *, longest_run: float = LONGEST_RUN) -> None:
        """`ValueError` if there is no such program. ``complain`` is called with a sentence if something fails
        later.
        """
        self._words = shlex.split(command)
        if not self._words or shutil.which(self._words[0]) is None:
            raise ValueError(f"no program to run on an alarm: {command!r}")
        self._complain, self._longest_run = complain, longest_run
        self._running: list[_Running] = []

    def run(self, alarm: Mapping[str, object]) -> None:
        """Start the command; failures are complained about, now or by `look_after`."""
        name = str(alarm["what"])
        if len(self._running) >= MOST_RUNNING:
            self._complain(f"the command was not run for {name}: {MOST_RUNNING} of it still run")
            return
        variables = {f"FOREDRAW_{key.upper()}": _utf8(str(value)) for key, value in alarm.items()}
        try:
            process = subprocess.Popen(
                self._words,
                stdin=subprocess.PIPE,
                stdout=sys.stderr.fileno(),
                env={**os.environ, **variables},
                start_new_session=True,
            )
        except OSError as error:
            self._complain(f"the command could not be run for {name}: {error.strerror or error}")
            return
        self._running.append(_Running(process, time.monotonic() + self._longest_run, name))
        # An alarm is far smaller than a pipe, so a command that does not read it does not block.
        if process.stdin is not None:
            with suppress(BrokenPipeError), process.stdin as pipe:
                pipe.write(json.dumps(alarm, sort_keys=True).encode() + b"\n")

    def look_after(self) -> None:
        """Complain about commands that failed, and kill those that run too long."""
        for running in self._running[:]:
            status = running.process.poll()
            if status is None and time.monotonic() < running.end:
                continue
            self._running.remove(running)
            if status is None:
                _kill(running.process)
                self._complain(f"the command for {running.alarm} was killed after {self._longest_run:g} s")
            elif status != 0:
                self._complain(f"the command for {running.alarm} failed with status {status}")

    def finish(self, seconds: float) -> None:
        """Give those that still run this many seconds, then kill them."""
        end = time.monotonic() + seconds
        while self._running and time.monotonic() < end:
            self.look_after()
            time.sleep(0.02)
        for running in self._running:
            _kill(running.process)
            self._complain(f"the command for {running.alarm} was killed with the watch")
        self._running.clear()


def _utf8(text: str) -> str:
    """Return what Python puts into an environment as ``text`` in UTF-8, whatever the locale, which may not have its
    characters.
    """
    return os.fsdecode(text.encode("utf-8", "surrogateescape"))


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        # It leads its own session, so everything that it started is killed with it.
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
