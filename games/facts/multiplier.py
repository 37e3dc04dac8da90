"""Facts about Crash and Rocketon."""

from __future__ import annotations

from fairness.draws.game import Rules
from games.facts.facts import Facts, Numbers
from games.facts.facts import message as _
from games.multipliers import decimal_text, hundredths_of

_RULES: Rules = {"cap": 1_000_000, "rtp": 9700, "version": 1}


def _facts(*bet_examples: str) -> Facts:
    return Facts(
        members=({"multiplier": {"type": "string", "pattern": r"^[1-9][0-9]*\.[0-9]{2}$"}},),
        numbers=Numbers(
            1,
            lambda outcome: (hundredths_of(outcome["multiplier"]), 0, 0),
            lambda numbers: {"multiplier": decimal_text(numbers[0])},
        ),
        uniform=None,
        default_rules=_RULES,
        bet_examples=bet_examples,
        bet_note=_("A cash-out has two decimals, from 1.01 to the largest multiplier."),
    )


CRASH = _facts("cashout 1.50", "cashout 2.00", "cashout 10.00")
ROCKETON = _facts("cashout 2.00", "half 1.50", "half 1.50 cashout 3.00")
