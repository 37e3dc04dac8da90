"""What whoever runs a watch or a witness sees, event by event; and the command that is run on an alarm."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from threading import RLock
from typing import TYPE_CHECKING

from fairness.log.checkpoints import is_sandbox
from fairness.times import format_time
from verifier.output.as_json import Json, without_nulls
from verifier.output.failures import failed_json, show_what_failed
from verifier.output.printing import Console, line, paragraph, plain
from verifier.sentences import MEANS
from verifier.watch.alarm_command import AlarmCommand
from verifier.watch.events import Event, EventKind

if TYPE_CHECKING:
    from verifier.answers.failures import WhatFailed
    from verifier.answers.logs import EventSeen

_LAST_WAIT = 5.0
"""Seconds that commands may still run at the end."""

Show = Callable[[Callable[[], Json], Callable[[Console], None]], None]
"""Prints something, as JSON or for people."""


class EventReporter:
    """Reports the events of one run, from any thread, and remembers whether any of them was bad."""

    def __init__(self, show: Show, origin: str, command: str, on_alarm: str | None) -> None:
        """``on_alarm`` is run on each alarm. Raises `ValueError` if there is no such program."""
        self._show, self._origin, self._command = show, origin, command
        self.whole = RLock()
        """Held during what must not be interrupted: the end waits for it, and no other thread begins anything
        afterwards.
        """
        self.has_alarmed = False
        self.has_unknown = False
        """Whether something was unknown, or the log is a sandbox, which proves nothing."""
        self._size = 0
        self._on_alarm = None if on_alarm is None else AlarmCommand(on_alarm, self._complain)

    def report(self, event: Event) -> None:
        """Show an event, and run the command if it is an alarm."""
        with self.whole:
            reported = self._print(event)
            self.has_unknown = self.has_unknown or event.kind in {EventKind.UNKNOWN, EventKind.SANDBOX}
            if event.is_alarm:
                self.has_alarmed = True
                if self._on_alarm is not None:
                    self._on_alarm.run(reported)

    def look_after(self) -> None:
        """Take note of commands that ended."""
        if self._on_alarm is not None:
            with self.whole:
                self._on_alarm.look_after()

    def end(self, size: int, why_no_verdict: str = "") -> None:
        """Finish the commands that still run, and report the end. No other thread reports anything after that."""
        self.whole.acquire()
        if self._on_alarm is not None:
            self._on_alarm.finish(_LAST_WAIT)
        raised = "an alarm was raised, see above" if self.has_alarmed else "no alarm was raised"
        raised += f"; {why}, see above" if (why := self._why_unproven()) and not self.has_alarmed else ""
        raised += f"; {why_no_verdict}" if why_no_verdict else ""
        self._print(Event(EventKind.ENDED, f"ended; {raised}", size))

    def _why_unproven(self) -> str:
        if is_sandbox(self._origin):
            return "the log is a sandbox, which proves nothing"
        return "something was unknown" if self.has_unknown else ""

    def _print(self, event: Event) -> Json:
        moment = format_time(datetime.now(UTC))
        self._size = event.size
        reported = event_json(event, moment, self._origin, command=self._command)
        self._show(lambda: reported, lambda console: show_event(console, event, moment))
        return reported

    def _complain(self, text: str) -> None:
        self._print(Event(EventKind.TROUBLE, text, self._size))


def show_event(console: Console, event: Event, moment: str) -> None:
    """Show a line with its time; below an alarm, what was expected and found, and where the evidence is."""
    if not event.is_alarm:
        style = (
            "yellow"
            if event.kind in {EventKind.TROUBLE, EventKind.UNKNOWN, EventKind.SANDBOX, EventKind.CLOCK}
            else "green"
            if event.kind is EventKind.RECOVERED
            else ""
        )
        plain(console, f"{moment}  {event.text}", style)
        return
    plain(console, f"{moment}  ALARM {event.kind}: {event.text}", "bold red")
    if event.failure is not None:
        line(console, "Check", event.failure.check.value)
        show_what_failed(console, event.failure)
    if event.evidence:
        line(console, "Evidence", event.evidence)
    if event.failure is not None:
        paragraph(console, f"What it means: {MEANS[event.failure.fault]}")


def event_json(event: Event, at: str, origin: str, *, command: str) -> Json:
    """Return one line of a watch, or of a witness: ``what`` happened, whether that is an ``alarm``, and all that is
    known about it.
    """
    failed: WhatFailed = {} if event.failure is None else failed_json(event.failure)
    found: EventSeen = {
        "v": 1,
        "command": command,
        "origin": origin,
        "at": at,
        "what": event.kind.value,
        "alarm": event.is_alarm,
        "text": event.text,
        "size": event.size,
        "evidence": event.evidence,
        **failed,
    }
    return without_nulls(found)
