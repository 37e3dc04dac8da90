"""Crash (regulation 12.20) and Rocketon, also offered as Cash Show (12.26): one multiplier.

The odds grow from 1.00 until they stop; the multiplier is where they stop, fixed 10 rounds in
advance. A cash-out at x, at least 1.01, wins if x <= multiplier.
"""

from __future__ import annotations

from dataclasses import dataclass

from fairness.draws.game import Outcome, Rules, RulesRefused
from fairness.draws.stream import WHOLE_RTP, Stream

SMALLEST_CAP = 101
LARGEST_CAP = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Multiplier:
    """A game whose outcome is ``{"multiplier":"21.23"}``, always with two decimals.

    Its rules are ``rtp``, what returns to the players in basis points, and ``cap``, the largest
    multiplier in hundredths.
    """

    name: str
    lead: int = 10
    has_flight: bool = True
    unknown: tuple[str, ...] = ()
    declaration_text: str = ""

    def check_rules(self, rules: Rules) -> None:
        """Version 1: exactly ``rtp``, 1 to 10000, and ``cap``, 101 to 10^9."""
        if (
            rules.keys() != {"cap", "rtp", "version"}
            or rules["version"] != 1
            or not 1 <= rules["rtp"] <= WHOLE_RTP
            or not SMALLEST_CAP <= rules["cap"] <= LARGEST_CAP
        ):
            raise RulesRefused(f"cap {SMALLEST_CAP} to {LARGEST_CAP}, rtp 1 to {WHOLE_RTP}, version 1")

    def outcome(self, stream: Stream, rules: Rules) -> Outcome:
        """One draw of eight bytes."""
        return outcome_of(stream.multiplier(rtp=rules["rtp"], cap=rules["cap"]))


def outcome_of(hundredths: int) -> Outcome:
    """A multiplier as records have it."""
    return {"multiplier": decimal_text(hundredths)}


def decimal_text(hundredths: int) -> str:
    """``21.23``, always with two decimals."""
    return f"{hundredths // 100}.{hundredths % 100:02}"


def hundredths_of(text: object) -> int:
    """What `decimal_text` made such a text of."""
    return int(str(text).replace(".", ""))


CRASH = Multiplier("crash")
ROCKETON = Multiplier("rocketon")
