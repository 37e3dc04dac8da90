"""What statistics cannot tell, in plain words: a part of every verdict about them."""

from __future__ import annotations

from collections.abc import Sequence

from verifier.stats.statistics import Statistics

SMALL_FAULTS = (
    "A fault too small for these tests is not found: how small, each of them says. More rounds find smaller ones."
)
OTHER_FAULTS = "A fault that no test looks for is not found: who picks outcomes by the bets on them must void, choose, or break a rule."
NOT_A_PROOF = (
    "An alarm is no proof of a lie: of a hundred honest logs up to one raises an alarm. It says where to look, and the"
    " same test on the rounds that come decides."
)
TIMES = "Times are what the operator's clock said. The order of the records is proven."


def statistics_caveats(found: Statistics, audited: Sequence[str]) -> list[str]:
    """What the tests cannot tell, and then what the audit could not."""
    return [NOT_A_PROOF if found.alarms else SMALL_FAULTS, OTHER_FAULTS, TIMES, *audited]
