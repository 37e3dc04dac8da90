"""How tables stand at the moment in which a page is made; its script goes on from there (``going_on.js``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from api.answers.tables import LiveTable, Stopped
from api.http.live.stopped import stopped_long

_OWN_STATES = (Stopped.CLOSED, Stopped.HALTED, Stopped.PAUSED)


@dataclass(frozen=True, slots=True)
class Standing:
    """A table's state, which has a drawing and a word (``sight.html``), and why nothing goes on, if so."""

    kind: str
    why: Stopped | None


def standing(table: LiveTable, after_lock: str, moment: datetime) -> Standing:
    """Return how a table stands; ``after_lock`` is what a locked round of it is."""
    why = stopped_long(table, moment)
    if why is not None:
        return Standing(why if why in _OWN_STATES else "waiting", why)
    if not table.now:
        return Standing("next", None)
    return Standing("open" if table.now[0].status == "open" else after_lock, None)


def why_together(standings: Sequence[Standing]) -> Stopped | None:
    """Return why nothing goes on anywhere, if that is the same for all tables but those that are closed."""
    whys = {each.why for each in standings} - {Stopped.CLOSED}
    return whys.pop() if len(whys) == 1 else None
