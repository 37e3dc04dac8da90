"""Facts about HI LO."""

from __future__ import annotations

from games.facts.facts import Board, Facts, Uniform, ends_of, grouped, place_in
from games.facts.facts import message as _

DECK = ends_of("hi-lo")
"""Every card: each rank red, then black; the Joker, neither high nor low, last."""
RANKS = tuple(dict.fromkeys(str(card["card"]) for card in DECK if "color" in card))
COLORS = ("red", "black")

_COUNT = len(DECK)
_CARDS = grouped("cards", (" ".join(map(str, card.values())) for card in DECK))
_COLORS = grouped("colours", (str(card.get("color", "Joker")) for card in DECK))

FACTS = Facts(
    members=({"card": {"enum": list(RANKS)}, "color": {"enum": list(COLORS)}}, {"card": {"const": "Joker"}}),
    numbers=place_in(DECK),
    uniform=Uniform(
        one="card",
        outcomes=DECK,
        groupings=(_CARDS, grouped("ranks", (str(card["card"]) for card in DECK)), _COLORS),
        half=("red and black", tuple(color if color < len(COLORS) else -1 for color in _COLORS.groups)),
        event=("the Joker", tuple("color" not in card for card in DECK)),
        scores=tuple(range(_COUNT)),
        cells=_CARDS,
        board=Board(
            "Cards",
            _CARDS.labels,
            (*((place % len(COLORS), place // len(COLORS)) for place in range(_COUNT - 1)), (0, len(RANKS))),
        ),
    ),
    choice_words=(_("red"), _("black")),
    bet_examples=("hi", "lo", "red", "2-9", "card 7", "joker"),
    bet_note=_("High and low need a card before that is no Joker; no card is higher than A or lower than 2."),
    standard_bet="red",
)
