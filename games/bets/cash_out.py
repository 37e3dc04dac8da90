"""The winning options of Crash (regulation 12.20) and Rocketon (12.26): when to leave a growing multiplier.

A cash-out that a player made by hand is settled by the same bets: with the odds at which it was made.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction

from fairness.draws.game import Outcome, Rules
from fairness.draws.stream import SMALLEST_MULTIPLIER
from games.bets.bet import Bet, BetRefused, Chances, Law, Odds, Option, Prize, Reading, refusal
from games.multiplier import decimal_text, hundredths_of, outcome_of

WORDS = 1 << 64
"""How many equally likely words a multiplier is made of (SPEC 3.4)."""
SMALLEST_CASH_OUT = 101

_CASH_OUT = Option("Cashout", "cashout X", "The multiplier is X or higher, X at least 1.01.")
_HALF = Option(
    "50% cashout", "half X", "The multiplier is X or higher: half of the stake leaves at X, the other half is lost."
)
_HALF_THEN = Option(
    "50% cashout, then exit",
    "half X cashout Y",
    "The multiplier is X or higher: half of the stake leaves at X, the other half at Y, if the multiplier is Y or higher.",
)
_HUNDREDTHS = r"([1-9][0-9]{0,7}\.[0-9]{2})"
_TEXT = re.compile(rf"(?:cashout {_HUNDREDTHS}|half {_HUNDREDTHS}(?: cashout {_HUNDREDTHS})?)", re.ASCII)
# The cash-outs that a paytable lists; all others follow the same law.
_LISTED = (
    101,
    110,
    125,
    150,
    200,
    300,
    500,
    1_000,
    2_000,
    5_000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
)

_READINGS = (
    Reading(
        "A cash-out at X wins if the multiplier is X or higher: at the multiplier itself, too.",
        "does not occur before 2",
    ),
    Reading(
        "X is at least 1.01, the smallest odds that the regulation names (in 12.20).",
        "the odds of 1.01 are automatically specified in this field",
    ),
    Reading(
        "A cash-out above the table's cap could never win, and is not offered.",
        "the growth of the odds may stop at any moment",
    ),
    Reading("The odds multiply the stake.", "multiplied by the winning odds"),
)
_HALF_READINGS = (
    Reading(
        "After a 50% cashout the other half is lost where the player does not leave in time; it leaves at the same odds or later.",
        "the other half remains in the game until the player clicks the exit button",
    ),
    Reading(
        "Half of an odd stake is not rounded: what becomes of half a unit is for the engine's rules to say.",
        "bet is multiplied by the winning odds",
    ),
)


def words_at_least(hundredths: int, rtp: int, words: int = WORDS) -> int:
    """How many of all words give a multiplier of at least ``hundredths``, which is above 100 and at most the cap.

    A word w gives ⌊rtp · 2⁶⁴ / (100 · (w+1))⌋ hundredths (SPEC 3.4), which is at least h if and only if
    w+1 is at most ⌊rtp · 2⁶⁴ / (100 · h)⌋.
    """
    return rtp * words // (100 * hundredths)


def _prize(odds: Fraction, hundredths: int) -> Prize:
    return Prize(Odds.times(odds), lambda outcome: hundredths_of(outcome["multiplier"]) >= hundredths)


def _law(steps: tuple[int, ...], rtp: int) -> Law:
    """One outcome, the smallest, for all between one step and the next; the first stands for those below all."""
    at_least = [WORDS, *(words_at_least(step, rtp) for step in steps), 0]
    starts = (SMALLEST_MULTIPLIER, *steps)
    return tuple((outcome_of(start), at_least[i] - at_least[i + 1]) for i, start in enumerate(starts))


def _cash_out(at: int, rtp: int) -> Bet:
    odds = Fraction(at, 100)
    return Bet(f"cashout {decimal_text(at)}", _CASH_OUT, (_prize(odds, at),), _law((at,), rtp))


def _half(at: int, rtp: int) -> Bet:
    return Bet(f"half {decimal_text(at)}", _HALF, (_prize(Fraction(at, 200), at),), _law((at,), rtp))


def _half_then(half: int, then: int, rtp: int) -> Bet:
    prizes = (_prize(Fraction(half + then, 200), then), _prize(Fraction(half, 200), half))
    steps = (half, then) if half < then else (half,)
    return Bet(f"half {decimal_text(half)} cashout {decimal_text(then)}", _HALF_THEN, prizes, _law(steps, rtp))


class CashOutBets:
    """Bets on how far one multiplier goes. Its exact law is SPEC 3.4's, every word of 64 bits counted."""

    drawn = "One word w of 64 bits: the multiplier is floor(rtp * 2^64 / (100 * (w + 1))) hundredths, at least 1.00 and at most the cap."

    def __init__(self, section: str, *, halves: bool) -> None:
        """``halves``: whether the game has the 50% cashout."""
        self.section = section
        self.options = (_CASH_OUT, _HALF, _HALF_THEN) if halves else (_CASH_OUT,)
        self.readings = _READINGS + (_HALF_READINGS if halves else ())

    def chances(self, rules: Rules) -> Chances:
        """The chances of the smallest and of the largest multiplier."""
        rtp, cap = rules["rtp"], rules["cap"]
        smallest = WORDS - words_at_least(SMALLEST_CASH_OUT, rtp)
        return (
            (outcome_of(SMALLEST_MULTIPLIER), Fraction(smallest, WORDS)),
            (outcome_of(cap), Fraction(words_at_least(cap, rtp), WORDS)),
        )

    def count(self, rules: Rules) -> int:
        """How many multipliers there are, from 1.00 to the cap."""
        return rules["cap"] - SMALLEST_MULTIPLIER + 1

    def bet(self, text: str, rules: Rules, before: Iterable[Outcome] = ()) -> Bet:  # noqa: ARG002
        """The bet of this spelling. Raises `BetRefused`."""
        match = _TEXT.fullmatch(text)
        if match is None or (match[2] and _HALF not in self.options):
            raise refusal(text, self.options)
        steps = [hundredths_of(step) for step in match.groups() if step]
        if steps[0] < SMALLEST_CASH_OUT or steps[-1] < steps[0] or steps[-1] > rules["cap"]:
            raise BetRefused(
                f"{text}: expected cash-outs from 1.01 to the cap of {decimal_text(rules['cap'])}, in order"
            )
        if match[1]:
            return _cash_out(steps[0], rules["rtp"])
        return _half(steps[0], rules["rtp"]) if match[3] is None else _half_then(steps[0], steps[1], rules["rtp"])

    def listed(self, rules: Rules) -> tuple[Bet, ...]:
        """Some cash-outs up to the cap, the cap itself, and one bet of each other option."""
        rtp, cap = rules["rtp"], rules["cap"]
        bets = [_cash_out(at, rtp) for at in _LISTED if at < cap]
        bets.append(_cash_out(cap, rtp))
        if _HALF in self.options:
            half, then = min(150, cap), min(300, cap)
            bets += [_half(half, rtp), _half_then(half, then, rtp)]
        return tuple(bets)


CRASH = CashOutBets("12.20", halves=False)
ROCKETON = CashOutBets("12.26", halves=True)
