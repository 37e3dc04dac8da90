"""The finding aids of the records that a watch has replayed, compared until they lead there (SPEC 8.7)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from fairness.log.checkpoints import Checkpoint
from fairness.records.table_state import TableState
from fairness.round.aids_check import AidFault, AidsCheck, in_a_row
from verifier.audit.bundles import authentic_bundles
from verifier.sources.source import Source
from verifier.watch.troubles import Lasting

AIDS_PATIENCE = 60.0
"""Seconds for which finding aids may lag behind the log, in caches for instance."""
_MOST_NAMED = 10

_Entry = tuple[str, int]
"""A table and one of its rounds; 0 for what leads to the table itself."""


class WatchedAids:
    """Finding aids that must lead to the records so far; nobody signs them, so only what lasts is reported."""

    def __init__(self, source: Source, replayed: int, tables: Iterable[TableState]) -> None:
        """Those of the first ``replayed`` records are not compared; ``tables`` is what these made."""
        self._source, self._taken = source, replayed
        self._check = AidsCheck(source.read, tables=tables)
        self._lasting = Lasting(AIDS_PATIENCE)
        self._wrong: set[_Entry] = set()
        self._told = False
        """Whether the alarm was raised, and is not over."""

    def take(self, checkpoint: Checkpoint, replayed: int) -> None:
        """Take the records that were ``replayed`` since. Raises `CheckFailed` or `Unreadable`; the rest are taken the
        next time.
        """
        if self._taken >= replayed:
            return
        for base, records in authentic_bundles(self._source, checkpoint, self._taken):
            for index, data in enumerate(records, base):
                if index == replayed:
                    return
                self._check.take(index, data)
                self._taken = index + 1

    def alarm(self, now: float) -> str | None:
        """Return what to raise an alarm about now, if there is something: at most once, until it is over. Raises
        `Unreadable`.
        """
        faults = in_a_row(self._check.faults())
        wrong = {entry for fault in faults for entry in _entries(fault)}
        for entry in self._wrong - wrong:
            self._lasting.end(entry)
        for entry in wrong:
            self._lasting.begin(entry, now)
        self._wrong = wrong
        due = {entry for entry in wrong if self._lasting.is_due(entry, now)}
        if not due or self._told:
            return None
        self._told = True
        return in_words([fault for fault in faults if not due.isdisjoint(_entries(fault))])

    def is_over(self) -> bool:
        """Return whether what the alarm was raised about has just come to its end."""
        if not self._told or any(map(self._lasting.was_told, self._wrong)):
            return False
        self._told = False
        return True

    def next_due(self, now: float) -> float | None:
        """Return when the next trouble would become an alarm."""
        return None if self._told else self._lasting.next_due(now)


def _entries(fault: AidFault) -> list[_Entry]:
    return [(fault.table, number) for number in fault.rounds or (0,)]


def in_words(faults: list[AidFault]) -> str:
    """Return an alarm's text."""
    named = "; ".join(map(str, islice(faults, _MOST_NAMED)))
    more = f"; and {len(faults) - _MOST_NAMED:,} more" if len(faults) > _MOST_NAMED else ""
    return (
        f"the log's index, which nobody signs, has not led to its records for {AIDS_PATIENCE:g} s: {named}{more};"
        " who looks for these rounds by it does not find them"
    )
