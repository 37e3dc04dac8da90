"""Starts the programs of one service, and stops the rest when one of them ends.

Each program is a child of this process, in a session of its own, so that Ctrl-C reaches this program alone, which
then stops them in order: the last one started first, and both gunicorns at once. Importing the service costs most of
a start, so it is done twice and not four times:

- The background program is forked from this process, which has imported all that it needs, and has neither a thread
  nor an open database then; a test looks at its threads.
- Both gunicorns are forked from a loader (`api.programs.listeners`), because their modules have to be patched before
  they are imported. It ends at once, and the system makes its children this process's.
"""

from __future__ import annotations

import ctypes
import gc
import json
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from api.server.messages import is_json, wait_for_no_reader
from api.settings import Settings
from api.sql.same_file import noted
from api.world.shared_count import COUNT, new_memory
from api.world.supervision import PYTHON, SUPERVISOR
from api.world.surroundings.streams import settle

LOADER = "api.programs.listeners"
_GRACE_SECONDS = 20.0
_LOOK_SECONDS = 0.1
_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_PR_SET_CHILD_SUBREAPER = 36

_logger = logging.getLogger("foredraw.serve")


@dataclass(slots=True)
class Program:
    """A part of the service: a child of this process, and the leader of its session."""

    name: str
    pid: int
    status: int | None = None
    """Its exit status when it has ended, or minus the signal that ended it."""

    def has_ended(self) -> bool:
        """Return whether it has ended; from then on its status is known."""
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.status = os.waitstatus_to_exitcode(status) if pid else None
        return self.status is not None

    def ask_to_end(self) -> None:
        """Ask it with SIGTERM; if it has ended by itself, end those that it had started."""
        if self.has_ended():
            # The program is already dead and cannot stop its children, which are ours since then: gunicorn's workers
            # would keep answering for seconds, and the next start would find its address taken.
            with suppress(ProcessLookupError, ChildProcessError):
                os.killpg(self.pid, signal.SIGKILL)
                while True:
                    os.waitpid(-self.pid, 0)
        else:
            os.kill(self.pid, signal.SIGTERM)

    def wait(self) -> None:
        """Wait until it has ended; end it, if it does not."""
        deadline = time.monotonic() + _GRACE_SECONDS
        while not self.has_ended():
            if time.monotonic() > deadline:
                os.killpg(self.pid, signal.SIGKILL)
            time.sleep(_LOOK_SECONDS / 10)


def _stop(programs: Sequence[Program]) -> None:
    """Stop all of these programs at once."""
    for program in programs:
        program.ask_to_end()
    for program in programs:
        program.wait()


@dataclass(frozen=True, slots=True)
class Forked:
    """A program that the loader forks."""

    name: str
    title: str
    """As `name_process` takes it."""
    arguments: list[str]
    """gunicorn's."""
    environment: Mapping[str, str]


class Supervisor:
    """The programs of one service."""

    def __init__(self, settings: Settings, environment: Mapping[str, str]) -> None:
        """``environment`` has settings besides those of this process."""
        wait_for_no_reader()
        self._memory = new_memory()
        os.set_inheritable(self._memory, True)  # noqa: FBT003  # It takes no keywords.
        self._environment = {
            **environment,
            "FOREDRAW_DATA": str(settings.folder),
            "FOREDRAW_BATCH_SIZE": str(settings.batch_size),
            SUPERVISOR: str(os.getpid()),
            **noted([settings.database, settings.secrets]),
            COUNT: str(self._memory),
        }
        self._stages: list[list[Program]] = []
        """The programs in the order of their start; those of a stage were started together, and are stopped
        together.
        """
        self._stopping = threading.Event()
        _adopt_orphans()
        for number in _STOP_SIGNALS:
            signal.signal(number, lambda *_: self._stopping.set())

    def start(self, name: str, arguments: Sequence[str], *, quiet: bool = False, **environment: str) -> None:
        """Start a Python module with arguments; of a ``quiet`` one only errors are shown."""
        self._stages.append([self._execute(name, arguments, quiet=quiet, **environment)])

    def fork(self, name: str, main: Callable[[], int]) -> None:
        """Start a program that this process has imported; ``main`` returns its exit status.

        The new process leaves this call by `SystemExit`: whoever calls has nothing open that must not be closed
        twice.
        """
        pid = _fork()
        if pid == 0:
            null = os.open(os.devnull, os.O_RDONLY)
            os.dup2(null, 0)
            os.close(null)
            os.environ.update(self._environment)
            sys.exit(main())
        self._stages.append([Program(name, pid)])

    def start_listeners(self, listeners: Sequence[Forked]) -> None:
        """Start the gunicorns, and return when they run by themselves, or when a signal or a program's end came
        first.
        """
        reading, writing = os.pipe()
        os.set_inheritable(writing, True)  # noqa: FBT003  # It takes no keywords.
        described = json.dumps([[each.title, each.arguments, dict(each.environment)] for each in listeners])
        loader = self._execute(" and ".join(each.name for each in listeners), [LOADER, str(writing), described])
        os.close(writing)
        if not self.wait_until(loader.has_ended):
            _stop([loader])
        elif loader.status != 0:
            self._stages.append([loader])
        with os.fdopen(reading, encoding="ascii") as pids:
            # The loader has written the id of each one that it has forked. One whose id it could not write ends after
            # us.
            self._stages.append([Program(each.name, int(pid)) for each, pid in zip(listeners, pids, strict=False)])

    def wait_until(self, holds: Callable[[], bool]) -> bool:
        """Wait for a condition; `False` if a signal or a program's end came first."""
        while not holds():
            if self._stopping.wait(_LOOK_SECONDS) or self._ended() is not None:
                return False
        return True

    def run(self) -> int:
        """Run until a signal, or until one of the programs ends. Stops all; returns the exit status."""
        self.wait_until(lambda: False)
        ended = self._ended()
        for stage in reversed(self._stages):
            _stop(stage)
        if ended is None:
            return 0
        why = f"the {ended.name} ended (status {ended.status}), so the service has stopped"
        if is_json():
            _logger.critical("%s", why)
        else:
            sys.stderr.write(f"foredraw: {why}\n")
        return 1

    def _ended(self) -> Program | None:
        return next((program for stage in self._stages for program in stage if program.has_ended()), None)

    def _execute(self, name: str, arguments: Sequence[str], *, quiet: bool = False, **environment: str) -> Program:
        null = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)]
        if quiet:
            null.append((os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0))
        pid = os.posix_spawn(
            sys.executable,
            [*PYTHON, *arguments],
            {**os.environ, **self._environment, **environment},
            file_actions=null,
            setsid=True,
            # Python ignores them, and a program would inherit that.
            setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],
        )
        return Program(name, pid)


def _fork() -> int:
    """Fork a child that leads a session of its own."""
    settle()
    # What is imported stays in memory that both share, because the search for garbage leaves it alone.
    gc.freeze()
    # A signal that comes before the child has forgotten our handlers would be lost.
    signal.pthread_sigmask(signal.SIG_BLOCK, _STOP_SIGNALS)
    pid = os.fork()
    if pid == 0:
        os.setsid()
        for number in _STOP_SIGNALS:
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOP_SIGNALS)
    return pid


def _adopt_orphans() -> None:
    """Have a descendant of this process become its child when its own parent ends (prctl(2),
    PR_SET_CHILD_SUBREAPER).
    """
    # Only Linux has memory that processes share like ours (`new_memory`), so every system that comes here has prctl.
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, ctypes.c_ulong(1), *(ctypes.c_ulong(0) for _ in range(3)))
