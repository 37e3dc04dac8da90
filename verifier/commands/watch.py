"""``watch``: follow a log, and raise an alarm when something is wrong with it."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from random import SystemRandom
from types import FrameType

from fairness.log.fork import Fork
from fairness.times import format_time
from verifier.audit.report import AuditState
from verifier.audit.state_file import save_state
from verifier.commands.command import (
    FAILED,
    HELD,
    LOG_HELP,
    Output,
    Parsers,
    WrongUsage,
    add_command,
    add_key,
    remembered,
    source_of,
)
from verifier.forks.evidence import keep_evidence
from verifier.output.as_json import Json, news_json
from verifier.output.show import show_news
from verifier.watch.alarm_command import AlarmCommand
from verifier.watch.back_off import BackOff
from verifier.watch.events import Kind, News
from verifier.watch.watch import Desk, Watch

_ENDING = (signal.SIGINT, signal.SIGTERM)
_LONGEST = 10_000_000.0
_LOOK_SECONDS = 0.2
"""How often a command that runs is looked after."""
_LAST_WAIT = 5.0


class _Stopped(BaseException):
    """A signal asked for the end."""


class _Signals:
    """Ends the watch wherever it waits, and nowhere in the middle of what must be done whole."""

    def __init__(self) -> None:
        self._asked, self._held = False, False

    def heed(self) -> None:
        """From now on, a signal raises `_Stopped`."""
        for number in _ENDING:
            signal.signal(number, self._hear)

    def ignore(self) -> None:
        """The end has begun."""
        for number in _ENDING:
            signal.signal(number, signal.SIG_IGN)

    @contextmanager
    def held_back(self) -> Iterator[None]:
        """What is done here, a signal does not break off; it ends the watch right after."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
        if self._asked:
            raise _Stopped

    def check(self) -> None:
        """End the watch where a signal's own exception was lost, as in a finalizer, which swallows what it raises."""
        if self._asked:
            raise _Stopped

    def _hear(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self._asked = True
        if not self._held:
            raise _Stopped


def add(commands: Parsers) -> None:
    """Add the command's arguments."""
    command = add_command(
        commands,
        "watch",
        _run,
        summary="follow a log, and raise alarms",
        description="Follow a log until a signal ends this, and tell what is wrong with it: with --json, an object a\n"
        "line. Ends with status 3 if an alarm was raised, and else with 0.",
    )
    command.add_argument("log", metavar="LOG", help=LOG_HELP)
    command.add_argument("--state", type=Path, required=True, metavar="FILE", help="where to remember what was seen")
    command.add_argument(
        "--stall",
        type=_seconds,
        default=300.0,
        metavar="SECONDS",
        help="raise an alarm when nothing moves, or the log is smaller or cannot be read, for so long (default: 300)",
    )
    command.add_argument(
        "--every", type=_seconds, default=10.0, metavar="SECONDS", help="how often to look (default: 10)"
    )
    command.add_argument(
        "--exec",
        dest="command_line",
        metavar="COMMAND",
        help="run this on each alarm, without a shell; JSON comes in",
    )
    add_key(command)


def _seconds(text: str) -> float:
    whole, _, part = text.partition(".")
    if not (text.isascii() and whole.isdigit() and (part or "0").isdigit() and 0 < float(text) <= _LONGEST):
        raise argparse.ArgumentTypeError(f"a number of seconds above 0, at most {_LONGEST:.0f}")
    return float(text)


def _run(options: argparse.Namespace, output: Output) -> int:
    signals = _Signals()
    watching = _Watching(options, output, signals)
    try:
        signals.heed()
        watching.follow()
    except _Stopped:
        signals.ignore()
    except RuntimeError as error:
        # Where the signal came while a wait had let go of its lock, the lock's own release fails on the way out.
        if not isinstance(error.__context__, _Stopped):
            raise
        signals.ignore()
    watching.end()
    sys.stderr.flush()
    # Files that are still on their way from a slow server are not waited for.
    os._exit(watching.status)


class _Watching:
    """A watch, with this machine's clock, its files, and whoever reads the output."""

    def __init__(self, options: argparse.Namespace, output: Output, signals: _Signals) -> None:
        self._origin, self._state_file, self._output, self._signals = options.key.name, options.state, output, signals
        self.status = HELD
        source, state = source_of(options.log), remembered(options.state)
        desk = Desk(self._tell, self._remember, self._keep, time.monotonic)
        try:
            self._command = None
            if options.command_line is not None:
                self._command = AlarmCommand(options.command_line, self._complain)
            self._watch = Watch(source, options.key, state, patience=options.stall, desk=desk)
        except ValueError as error:
            raise WrongUsage(str(error)) from error
        self._back_off = BackOff(options.every, SystemRandom().random)

    def follow(self) -> None:
        """Take turns until a signal comes."""
        self._watch.begin()
        while True:
            pause = self._back_off.pause(readable=self._watch.turn())
            now = time.monotonic()
            due = self._watch.next_due(now)
            # What has begun to last is looked at once more when it becomes an alarm.
            self._rest(now + pause if due is None else min(due, now + pause))

    def end(self) -> None:
        """Look after the commands that still run, and tell that the watch has ended."""
        if self._command is not None:
            self._command.finish(_LAST_WAIT)
        raised = "no alarm was raised" if self.status == HELD else "an alarm was raised, see above"
        self._print(News(Kind.ENDED, f"ended; {raised}", self._watch.size))

    def _rest(self, end: float) -> None:
        self._signals.check()
        while (left := end - time.monotonic()) > 0:
            time.sleep(min(left, _LOOK_SECONDS))
            self._signals.check()
            if self._command is not None:
                with self._signals.held_back():
                    self._command.look_after()

    def _tell(self, news: News) -> None:
        with self._signals.held_back():
            told = self._print(news)
            if news.is_alarm:
                self.status = FAILED
                if self._command is not None:
                    self._command.run(told)

    def _print(self, news: News) -> Json:
        moment = format_time(datetime.now(UTC))
        told = news_json(news, moment, self._origin)
        self._output.tell(lambda: told, lambda console: show_news(console, news, moment))
        return told

    def _complain(self, text: str) -> None:
        # Whoever complains holds signals back.
        self._print(News(Kind.TROUBLE, text, self._watch.size))

    def _remember(self, state: AuditState) -> None:
        with self._signals.held_back():
            save_state(self._state_file, state)

    def _keep(self, fork: Fork) -> str:
        with self._signals.held_back():
            return str(keep_evidence(self._state_file, fork))
