"""``watch``: follow a log, and raise an alarm when something is wrong with it."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import SystemRandom
from threading import Thread

from fairness.log.fork import Fork
from fairness.policy.policy import Policy
from verifier.audit.remembered import AuditState
from verifier.audit.state_file import StateFile, StateInUse, remembered, state_file
from verifier.commands.command import (
    FAILED,
    INTERRUPTED,
    LOG_HELP,
    UNREADABLE,
    Output,
    Parsers,
    WrongUsage,
    add_command,
    add_trust,
    source_of,
    status_of_events,
)
from verifier.forks.evidence import keep_evidence
from verifier.output.events import EventReporter
from verifier.watch.back_off import BackOff
from verifier.watch.watch import Effects, Watch

_ENDING = (signal.SIGINT, signal.SIGTERM)
_LONGEST = 10_000_000.0
_LOOK_SECONDS = 0.2
"""Seconds between two looks at the running commands."""


class _UntilSignal:
    """Runs work in a separate thread, until it fails or a signal requests the end."""

    def __init__(self, work: Callable[[], None]) -> None:
        self._work = work
        self._failure: BaseException | None = None
        self._wake, self._asked = os.pipe()
        os.set_blocking(self._asked, False)

    def run(self) -> None:
        """Return when a signal arrives; the work may continue. Raises what the work raises."""
        # Python writes a byte when a signal arrives, so the handlers do nothing, and no exception is raised at an
        # arbitrary place.
        signal.set_wakeup_fd(self._asked)
        for number in _ENDING:
            signal.signal(number, lambda *_: None)
        Thread(target=self._run, daemon=True).start()
        os.read(self._wake, 1)
        for number in _ENDING:
            signal.signal(number, signal.SIG_IGN)
        if self._failure is not None:
            raise self._failure

    def _run(self) -> None:
        try:
            self._work()
        except BaseException as error:  # noqa: BLE001  (raised again where somebody waits for it)
            self._failure = error
        os.write(self._asked, b"!")


def add(commands: Parsers) -> None:
    """Add the command's arguments."""
    command = add_command(
        commands,
        "watch",
        _run,
        summary="follow a log, and raise alarms",
        description="Follow a log until a signal ends this, and report what is wrong with it: with --json, an object a\n"
        "line. Ends with status 3 if an alarm was raised, otherwise with 0. With --once, for a timer, it looks once,\n"
        "and ends with status 4 if the log could not be read or was smaller than before.",
    )
    command.add_argument("log", metavar="LOG", help=LOG_HELP)
    command.add_argument("--state", type=Path, required=True, metavar="FILE", help="where to remember what was seen")
    command.add_argument(
        "--stall",
        type=_seconds,
        default=300.0,
        metavar="SECONDS",
        help="raise an alarm when the log does not grow, is smaller or cannot be read for this long (default: 300)",
    )
    how_often = command.add_mutually_exclusive_group()
    how_often.add_argument(
        "--every", type=_seconds, default=10.0, metavar="SECONDS", help="how often to read the log (default: 10)"
    )
    how_often.add_argument("--once", action="store_true", help="read the log once, and end")
    command.add_argument(
        "--exec",
        dest="command_line",
        metavar="COMMAND",
        help="run this on each alarm, without a shell, with the alarm as JSON on its input",
    )
    add_trust(command)


def _seconds(text: str) -> float:
    whole, _, part = text.partition(".")
    if not (text.isascii() and whole.isdigit() and (part or "0").isdigit() and 0 < float(text) <= _LONGEST):
        raise argparse.ArgumentTypeError(f"a number of seconds above 0, at most {_LONGEST:.0f}")
    return float(text)


def _run(options: argparse.Namespace, output: Output) -> int:
    with state_file(options.state) as state:
        watching = _Watching(options, output, state)
        _UntilSignal(watching.follow).run()
        watching.end()
    sys.stderr.flush()
    # The thread may wait for a slow server: it ends with the process.
    os._exit(watching.status)


class _Watching:
    """A watch, with this machine's clock, its files, and its output."""

    def __init__(self, options: argparse.Namespace, output: Output, state_file: StateFile) -> None:
        self._state_file = state_file
        self._once: bool = options.once
        self._has_looked = False
        source, state = source_of(options.log), remembered(state_file)
        try:
            self._events = EventReporter(
                output.give, Policy.of(options.trust).log.name, "watch", options.command_line
            )
            effects = Effects(self._events.report, self._remember, self._keep, time.monotonic)
            self._watch = Watch(source, options.trust, state, patience=options.stall, effects=effects)
        except ValueError as error:
            raise WrongUsage(str(error)) from error
        self._back_off = BackOff(options.every, SystemRandom().random)

    def follow(self) -> None:
        """Take turns until a signal comes, or one."""
        self._watch.begin()
        while True:
            pause = self._back_off.pause(readable=self._watch.turn())
            self._has_looked = True
            if self._once:
                return
            now = time.monotonic()
            due = self._watch.next_due(now)
            # A trouble that lasts is checked again when it would become an alarm.
            self._rest(now + pause if due is None else min(due, now + pause))

    @property
    def status(self) -> int:
        """The exit status, by what was reported. Who looks once cannot see whether a trouble lasts."""
        status = status_of_events(self._events)
        if not self._once or status == FAILED:
            return status
        return INTERRUPTED if not self._has_looked else status if self._watch.is_read else UNREADABLE

    def end(self) -> None:
        """Finish the commands that still run, and report that the watch has ended. Nothing is printed after that."""
        self._events.end(self._watch.size, self._why_no_verdict if self._once else "")

    @property
    def _why_no_verdict(self) -> str:
        if not self._has_looked:
            return "the look was interrupted"
        return "" if self._watch.is_read else "there is no verdict on what is served now"

    def _rest(self, end: float) -> None:
        while (left := end - time.monotonic()) > 0:
            time.sleep(min(left, _LOOK_SECONDS))
            self._events.look_after()

    def _remember(self, state: AuditState) -> None:
        try:
            with self._events.whole:
                self._state_file.save(state)
        except StateInUse as error:
            raise OSError(str(error)) from error

    def _keep(self, fork: Fork) -> str:
        with self._events.whole:
            return str(keep_evidence(self._state_file.file, fork))
