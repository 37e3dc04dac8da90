"""The 20 winning options of HI LO (regulation 12.21)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from fairness.draws.game import Outcome, Rules
from games.bets.bet import Bet, BetRefused, Odds, Option, Prize, Reading, uniform
from games.bets.plain_bets import PlainBets
from games.hi_lo import DECK, RANKS

_LAW = uniform(DECK)
_DRAWN = "One number below 25: the cards 2 to 9, J, Q, K and A, each red and black, and the Joker; every round draws from all 25."
_READINGS = (
    Reading(
        "The card opened in the previous round is that of the last round that was played; a void round is no part of the game.",
        "compared to the one opened in the previous round",
    ),
    Reading(
        "Where that card is a Joker, the one before it counts, and so on back. Where there is no other card, at the beginning"
        " of a table, HI and LO are not offered.",
        "This will continue as long as the preceding card is Joker",
    ),
    Reading(
        "An equal card wins neither HI nor LO: it is neither higher nor lower.",
        "The next card will be High (HI) compared to the one opened in the previous round",
    ),
    Reading(
        "Odds are exactly the decimals that are printed: 1.09, and not 12/11.",
        "bet amount is multiplied by the appropriate odds",
    ),
)
_HIGH = Option(
    "High (HI)",
    "hi",
    "The card is higher than the one opened in the previous round; a Joker is neither high nor low.",
)
_LOW = Option(
    "Low (LO)", "lo", "The card is lower than the one opened in the previous round; a Joker is neither high nor low."
)

# The regulation's table: for each card opened in the previous round, what HI and LO pay.
_BY_CARD = {
    "2": ("1.09", None),
    "3": ("1.2", "12"),
    "4": ("1.33", "6"),
    "5": ("1.5", "4"),
    "6": ("1.71", "3"),
    "7": ("2", "2.4"),
    "8": ("2.4", "2"),
    "9": ("3", "1.71"),
    "J": ("4", "1.5"),
    "Q": ("6", "1.33"),
    "K": ("12", "1.2"),
    "A": (None, "1.09"),
}


def _bet(option: Option, text: str, odds: str, wins: Callable[[Outcome], bool], after: str = "") -> Bet:
    return Bet(text, option, (Prize(Odds.times(odds), wins),), _LAW, after)


def _cards(name: str, text: str, odds: str, cards: tuple[str, ...]) -> Bet:
    wins = f"The card is {' or '.join(cards)}."
    return _bet(Option(name, text, wins), text, odds, lambda outcome: outcome["card"] in cards)


def _color(color: str) -> Bet:
    option = Option(color.capitalize(), color, f"The card is {color}; a Joker is neither red nor black.")
    return _bet(option, color, "2", lambda outcome: outcome.get("color") == color)


_FIXED = (
    _cards("One of 2 to 9 (including) playing cards", "2-9", "1.5", RANKS[:8]),
    _cards("One of J, Q, K, A playing cards", "J-A", "3", RANKS[8:]),
    _cards("One of K, A playing cards", "K-A", "6", RANKS[10:]),
    *(_cards(f"The next card will be {rank}", f"card {rank}", "12", (rank,)) for rank in RANKS),
    _cards("The next card will be Joker", "joker", "24", ("Joker",)),
    _color("red"),
    _color("black"),
)


def base_card(before: Iterable[Outcome]) -> str | None:
    """The card that the next is compared with: the last one that is not a Joker; `None` if there is none.

    ``before`` are the cards of the rounds that were played before, the latest first.
    """
    return next((str(outcome["card"]) for outcome in before if outcome["card"] != "Joker"), None)


def _compared(option: Option, card: str) -> Bet | None:
    """HI or LO after this card; `None` if it is not active."""
    place = RANKS.index(card)
    odds = _BY_CARD[card][option is _LOW]
    winning = RANKS[:place] if option is _LOW else RANKS[place + 1 :]
    if odds is None:
        return None
    return _bet(option, option.form, odds, lambda outcome: outcome["card"] in winning, card)


class HiLoBets(PlainBets):
    """One card of 25, which two of the bets compare with the card before."""

    def __init__(self) -> None:
        compared = (_compared(option, card) for option in (_HIGH, _LOW) for card in RANKS)
        self._listed = (*(bet for bet in compared if bet is not None), *_FIXED)
        super().__init__("12.21", _DRAWN, _LAW, _FIXED, _READINGS)
        self.options = (_HIGH, _LOW, *self.options)

    def bet(self, text: str, rules: Rules, before: Iterable[Outcome] = ()) -> Bet:
        """A bet; HI and LO need the cards of the rounds before. Raises `BetRefused`."""
        option = {_HIGH.form: _HIGH, _LOW.form: _LOW}.get(text)
        if option is None:
            return super().bet(text, rules)
        card = base_card(before)
        if card is None:
            raise BetRefused(f"{text} is not offered: no card, but for Jokers, was played before")
        bet = _compared(option, card)
        if bet is None:
            raise BetRefused(f"{text} is not offered after {card}, the {'lowest' if card == '2' else 'highest'} card")
        return bet

    def listed(self, rules: Rules) -> tuple[Bet, ...]:  # noqa: ARG002
        """All bets, HI and LO once for each card that they are active after."""
        return self._listed
