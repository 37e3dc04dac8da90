"""Whom a verdict believed: the witnesses that cosigned a checkpoint, and what their policy makes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairness.policy.head import Head
from fairness.policy.witnessed import Witnessed
from fairness.times import seconds_in_words, time_of_second
from verifier.caveats import witness_lines
from verifier.output.printing import Console, line

if TYPE_CHECKING:
    from verifier.answers.parts import BatchWitnessed, WitnessedBy


def show_witnesses(console: Console, head: Head) -> None:
    """Show a line per witness that cosigned, with its latest time, and what two quorums share; nothing for a bare
    key.
    """
    for text in witness_lines(head):
        line(console, "Witness", text)
    if (quorum := head.policy.quorum) is not None:
        shared = quorum.least_shared
        line(console, "Quorum", f"{quorum}; any two quorums share {shared} witness{'' if shared == 1 else 'es'}")


def show_batch_witnessed(console: Console, witnessed: Witnessed | None) -> None:
    """Show when the quorum had seen the batch, and who of it; nothing if that was not demanded."""
    if witnessed is not None:
        names = ", ".join(each.name for each in witnessed.cosigned)
        line(console, "Witnessed", f"{seconds_in_words(witnessed.time)}, by {names}")


def batch_witnessed_json(witnessed: Witnessed | None) -> BatchWitnessed | None:
    """Return the time of the quorum that had seen a batch, the size of the log then, and who
    was in it.
    """
    if witnessed is None:
        return None
    return {
        "at": time_of_second(witnessed.time),
        "size": witnessed.head.checkpoint.size,
        "witnesses": [
            {"name": witness.name, "vkey": str(witness.key), "at": time_of_second(time)}
            for witness, time in witnessed.cosigned.items()
        ],
    }


def witnessed_json(head: Head) -> WitnessedBy | None:
    """Return the quorum, how many witnesses two quorums share, and who cosigned; ``None`` for a bare key.

    ``at`` is the latest time at which the witness cosigned.
    """
    policy = head.policy
    if policy.quorum is None and not policy.witnesses:
        return None
    return {
        "quorum": None if policy.quorum is None else str(policy.quorum),
        "shared": None if policy.quorum is None else policy.quorum.least_shared,
        "witnesses": [
            {"name": witness.name, "vkey": str(witness.key), "at": time_of_second(time)}
            for witness, time in head.last_seen.items()
        ],
    }
