"""What came before the pulse of a batch: who had seen the batch by then, and when the pulse was due (SPEC 4.8,
5.8).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fairness.beacon.chain import Beacons, time_of_pulse
from fairness.errors import CheckFailed
from fairness.policy.witnessed import check_witnessed, read_witnessed, witnessed_path
from fairness.records.record import BatchRecord
from fairness.round.authentic_log import AuthenticLog, Placed
from fairness.times import seconds_in_words


@dataclass(frozen=True, slots=True)
class BeforePulse:
    """A pulse that a batch names, and its witnesses."""

    number: int
    """The round of the beacon."""
    due: str | None
    """When it can exist, to the second; `None` if this service does not know the beacon."""
    asked: bool
    """Whether this service's policy demands witnesses."""
    witnesses: Mapping[str, str]
    """The witnesses of the quorum, each with the time at which it saw the batch; empty if they did not see it in
    time.
    """
    file: str
    """The address of the file that shows it."""


def before_pulse(log: AuthenticLog, batch: Placed[BatchRecord], salt: str, beacons: Beacons) -> BeforePulse | None:
    """Return what came before the pulse of a published batch, of a table with this ``salt``; `None` for a batch that
    names no pulse.
    """
    number = batch.record.beacon
    if not isinstance(number, int):
        return None
    due = time_of_pulse(beacons, salt, number)
    asked = log.head.policy.quorum is not None
    return BeforePulse(
        number,
        None if due is None else seconds_in_words(due),
        asked,
        _witnesses(log, batch, due) if asked else {},
        f"/log/{witnessed_path(batch.record_id)}",
    )


def _witnesses(log: AuthenticLog, batch: Placed[BatchRecord], due: int | None) -> dict[str, str]:
    try:
        data = read_witnessed(log.read, batch.record_id, batch.index)
        seen = check_witnessed(data, batch_id=batch.record_id, index=batch.index, pulse=due, policy=log.head.policy)
    except CheckFailed:
        # Not an error of this page: the operator's own page says it, and every verifier with the policy.
        return {}
    return {_shown(witness.name): seconds_in_words(time) for witness, time in seen.cosigned.items()}


def _shown(name: str) -> str:
    """Return a name of a policy, whose bytes need not be UTF-8."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
