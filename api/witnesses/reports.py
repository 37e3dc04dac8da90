"""What the publisher says about the witnesses: alarms, the status that stops play, and a file for those who ask."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import msgspec
from msgspec import Struct

from api.settings import Settings
from api.witnesses.gate import NOT_SINCE_THE_START
from api.witnesses.standing import NOT_YET, Moment, Standing
from api.world.statuses import write_status
from api.world.timekeeper import Timekeeper, in_words

AWAY_AFTER = timedelta(seconds=2)
"""A head that has waited for its quorum for so long stops the opening of rounds."""
ALARM_AFTER = timedelta(minutes=1)
_EVERY = timedelta(seconds=1)

_logger = logging.getLogger("foredraw.witnesses")


@dataclass(frozen=True, slots=True)
class Waiting:
    """A head that is not published yet."""

    size: int
    since: Moment
    """Since when a head waits."""
    quorum: str


class WitnessNow(Struct, frozen=True):
    """How one witness stands."""

    name: str
    cosigned: int
    """The size that it cosigned last; 0 if it has not since the start."""
    time: int | None
    """When that was by its clock, in seconds since 1970."""
    why: str | None
    """Why it is away; `None` if it is not."""
    since: str | None
    """The tick since which it is away."""
    contradicts: bool = False
    """Whether it has seen a log that this one does not extend."""
    failures: int = 0
    """How many requests brought no cosignature since the publisher began."""


class Witnesses(Struct, frozen=True):
    """The file."""

    witnesses: tuple[WitnessNow, ...] = ()
    policy: str | None = None
    """Why the policy's file is not in force, if it is not."""


_DECODER = msgspec.json.Decoder(Witnesses)


def read_witnesses(path: Path) -> Witnesses:
    """Return how the witnesses stand; nothing if the file is missing or damaged."""
    try:
        return _DECODER.decode(path.read_bytes())
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return Witnesses()


@dataclass(slots=True)
class _Said:
    """What the messages say of one witness: the state that it was in last, and since when."""

    state: int = logging.NOTSET
    """The level of the message about it; nothing if it cosigns."""
    since: Moment = timedelta(0)
    failures: int = 0
    """How many there were before."""
    forgot: Moment | None = None
    """When it was said last that it forgets."""


class Reports:
    """Says what has changed, each thing once."""

    def __init__(self, settings: Settings, timekeeper: Timekeeper) -> None:
        self._status, self._file, self._timekeeper = settings.witnesses_trouble, settings.witnesses, timekeeper
        self._given: Moment | None = None
        self._said: str | None = None
        """What the status says, if there is one."""
        self._alarmed = False
        self._complaint: str | None = None
        self._of: dict[str, _Said] = {}

    def begin(self, *, closed: bool) -> None:
        """Begin; if ``closed``, no round is opened before the witnesses have cosigned this log's head.

        Otherwise nothing keeps rounds from being opened, whatever an earlier run has left there.
        """
        self._said = NOT_SINCE_THE_START
        if closed:
            write_status(self._status, self._timekeeper, self._said)
        else:
            self._say(None)

    def give(
        self,
        now: Moment,
        standings: Sequence[Standing],
        waiting: Waiting | None,
        complaint: str | None,
        *,
        starting: bool,
    ) -> None:
        """Report how things stand ``now``."""
        self._judge(now, standings, waiting, starting=starting)
        if self._given is not None and now - self._given < _EVERY:
            return
        self._given = now
        for standing in standings:
            self._log_one(standing, now)
        if complaint is not None and complaint != self._complaint:
            _logger.error("%s", complaint)
        elif complaint is None and self._complaint is not None:
            _logger.warning("the policy's file is in force again")
        self._complaint = complaint
        with suppress(OSError):
            self._write(now, standings, complaint)

    def _judge(self, now: Moment, standings: Sequence[Standing], waiting: Waiting | None, *, starting: bool) -> None:
        """Give the status that stops play, or take it away."""
        lasts = timedelta(0) if waiting is None else now - waiting.since
        if waiting is not None and (starting or lasts >= AWAY_AFTER):
            reasons = "; ".join(f"{each.name}: {each.why}" for each in standings if each.why is not None)
            self._say(
                f"the log's head of {waiting.size} records waits for cosignatures of {waiting.quorum}. {reasons or 'None of them has failed'}"
            )
            if lasts >= ALARM_AFTER and not self._alarmed:
                self._alarmed = True
                _logger.critical("nothing is published, and no round is opened, for a minute: %s", self._said)
        elif not starting and self._said is not None:
            self._say(None)
            if self._alarmed:
                _logger.warning("the witnesses cosign again: rounds go on")
            self._alarmed = False

    def _say(self, sentence: str | None) -> None:
        if sentence is not None and sentence == self._said:
            return
        if sentence is None:
            self._status.unlink(missing_ok=True)
        else:
            write_status(self._status, self._timekeeper, sentence)
        self._said = sentence

    def _log_one(self, standing: Standing, now: Moment) -> None:
        """Log one message for each change of a witness's state: it cosigns, it is away, or it contradicts this log.

        Its reasons are on the operator's page; a witness that cosigns and fails by turns is away until it is steady.
        """
        name, why, said = standing.name, standing.why, self._of.setdefault(standing.name, _Said())
        self._log_forgotten(standing, said, now)
        if why is None:
            if said.state and standing.is_steady(now):
                sentence = "witness %s: cosigns, after %s; %d requests failed, the last: %s"
                failed, lasted = standing.failures - said.failures, in_words(now - said.since)
                _logger.warning(sentence, name, lasted, failed, standing.last_failure)
                said.state, standing.alarmed = logging.NOTSET, False
            return
        state = logging.CRITICAL if standing.contradicts else logging.WARNING
        if why != NOT_YET and state > said.state:
            if not said.state:
                said.since, said.failures = standing.since, standing.failures - 1
            said.state = state
            _logger.log(state, "witness %s: %s", name, why)
        if not standing.alarmed and now - standing.since >= ALARM_AFTER:
            standing.alarmed = True
            failed = standing.failures - said.failures
            _logger.error("witness %s: away for a minute: %d requests failed, the last: %s", name, failed, why)

    def _log_forgotten(self, standing: Standing, said: _Said, now: Moment) -> None:
        if standing.forgot is None or (said.forgot is not None and now - said.forgot < ALARM_AFTER):
            return
        said.forgot = now
        sentence = "witness %s: has forgotten what it cosigned, and remembers size %d; so far, %d times"
        _logger.warning(sentence, standing.name, standing.forgot, standing.forgets)
        standing.forgot = None

    def _write(self, now: Moment, standings: Sequence[Standing], complaint: str | None) -> None:
        """Write the file; a crash here leaves the old one or the new one."""
        seen = tuple(
            WitnessNow(
                each.name,
                each.remembers,
                None if each.last is None else each.last.time,
                each.why,
                None if each.why is None else self._timekeeper.tick(now - each.since),
                each.contradicts,
                each.failures,
            )
            for each in standings
        )
        temporary = self._file.with_name(f".{self._file.name}.new")
        temporary.write_bytes(msgspec.json.encode(Witnesses(seen, complaint)))
        temporary.replace(self._file)
