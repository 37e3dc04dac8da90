"""What to do when a log does not show what was asked for: nobody signs an index, so that accuses nobody (SPEC
8.3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from fairness.errors import CheckFailed, NotShown, Unreadable, quote
from fairness.records.succession import predecessor_named, successor_named
from fairness.round.authentic_log import AuthenticLog
from verifier.sentences import WayOn


@contextmanager
def naming_ways_on(log: AuthenticLog) -> Iterator[None]:
    """Name ways on: if what is looked for in the ``log`` is not shown, the failure says what to do."""
    try:
        yield
    except NotShown as failure:
        failure.ways_on = tuple(_ways_on(log))
        raise


def _ways_on(log: AuthenticLog) -> Iterator[str]:
    yield WayOn.NOBODY_WHOLE.fill(size=log.size) if log.is_whole else WayOn.NOBODY
    yield WayOn.ASK_AGAIN
    if not log.is_whole:
        yield WayOn.READ_ALL
    yield WayOn.ASK_THE_GIVER
    for index, named, sentence in (
        (log.size - 1, successor_named, WayOn.SUCCESSOR),
        (0, predecessor_named, WayOn.PREDECESSOR),
    ):
        if (key := _key_named_by(log, index, named)) is not None:
            yield sentence.fill(key=quote(key))


def _key_named_by(log: AuthenticLog, index: int, named: Callable[[bytes], str | None]) -> str | None:
    """Return the key that the log's last, or its first, record names; `None` if it names none, or cannot be read."""
    try:
        return named(log.tiles.record(index)) if log.size else None
    except (CheckFailed, Unreadable):
        return None
