"""Whom a verdict believed: the witnesses that cosigned a checkpoint, and what their policy makes of them."""

from __future__ import annotations

from typing import Any

from fairness.policy.head import Head
from verifier.caveats import witness_lines
from verifier.output.printing import Console, line


def show_witnesses(console: Console, head: Head) -> None:
    """A line per witness that cosigned, with its latest time, and what two quorums share; nothing for a bare key."""
    for text in witness_lines(head):
        line(console, "Witness", text)
    if (quorum := head.policy.quorum) is not None:
        shared = quorum.least_shared
        line(console, "Quorum", f"{quorum}; any two quorums share {shared} witness{'' if shared == 1 else 'es'}")


def witnessed_json(head: Head) -> dict[str, Any] | None:
    """The quorum, how many witnesses two quorums share, and who cosigned; ``None`` for a bare key.

    ``time`` is in seconds since 1970, the latest at which the witness cosigned.
    """
    policy = head.policy
    if policy.quorum is None and not policy.witnesses:
        return None
    return {
        "quorum": None if policy.quorum is None else str(policy.quorum),
        "shared": None if policy.quorum is None else policy.quorum.least_shared,
        "witnesses": [
            {"name": witness.name, "key": str(witness.key), "time": time} for witness, time in head.last_seen.items()
        ],
    }
