"""Which options of a paytable have laws that are exact here, though no catalogue has them.

The methods of `games.bets.laws` were written for the catalogue's bets. Of other files they are asked only where they
are exact for any figure, or for one that the catalogue has for the same draw.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from games.bets.catalogue import CATALOGUE_BETS
from games.bets.figures import Figure, frozen, leaves, names_of
from games.bets.forms import chosen_from, is_cash_out
from games.bets.game_bets import GameBets
from games.bets.options import Offer
from games.bets.values import Given
from games.declared.catalogue import listed_as
from games.declared.deals import Deal
from games.declared.declaration import Drum
from games.declared.takes import Take
from games.declared.throws import Flight
from games.declared.wheels import Race, Spin

_OF_PILES = {"value", "word", "sum", "tally", "length", "distinct", "most", "beyond", "between", "path"}
"""What is exact of any things that are taken without return."""
_LETTER = re.compile(r"\$[A-Z](?:\.[a-z]+)?")
_OF_NUMBERS = ({"tally"}, {"done"})
_WITHOUT_READING = 3
"""A figure's word, its selection, and a set."""
_ALL_ENDS = 4
"""Of the drum, and of the choice."""


def has_method(bets: GameBets, offer: Offer) -> bool:
    """Return whether the law of an option's figure is exact here, and so is that of what was known before, if there
    is anything.
    """
    if offer.given is None:
        return _has_method(bets, offer)
    both = replace(offer, figure=["both", offer.given[0], offer.figure], given=None)
    return has_method(bets, both) and has_method(bets, replace(offer, given=None))


def _has_method(bets: GameBets, offer: Offer) -> bool:
    figure = frozen(_without_letters(offer.figure))
    places = names_of([figure])
    steps = [step for step in bets.declaration.steps if not places.isdisjoint(step.places)]
    is_general = any(
        (
            _is_pile(bets, figure, steps),
            _is_flight(figure, steps),
            _is_spin(offer, steps),
            _is_race(offer, places, steps),
            _is_listed(offer, figure, steps),
        )
    )
    # Odds of what is left believe the bet's own text, so that nothing is known without `given`.
    is_of_left = any(each.chance == "left" for each in offer.pays)
    return (is_general or _is_in_catalogue(bets, offer)) and not is_of_left


def is_alike(bets: GameBets, offer: Offer) -> bool:
    """Return whether it does not matter which numbers a bet chooses: they are from the drum, and count only by being
    drawn.
    """
    chosen = {
        letter: ends for letter, choice in offer.form.choices.items() if (ends := chosen_from(choice)) is not None
    }
    pile = bets.declaration.pile
    if len(chosen) != 1 or not isinstance(pile, Drum):
        return False
    ((letter, ends),) = chosen.items()
    figure, numbers = offer.figure, [end for end in (pile.low, *ends, pile.high) if isinstance(end, int)]
    return (
        len(numbers) == _ALL_ENDS
        and numbers == sorted(numbers)
        and len(figure) == _WITHOUT_READING
        and {figure[0]} in _OF_NUMBERS
        and figure[2] == {"in": [f"${letter}"]}
        and f"${letter}" not in str(offer.pays)
    )


def _without_letters(figure: Given) -> Given:
    """Put a number in the place of each letter: which things are looked at does not decide which method there is."""
    if isinstance(figure, list):
        return [_without_letters(each) for each in figure]
    return _LETTER.sub("1", figure) if isinstance(figure, str) else figure


def _words(figure: Figure) -> set[Given]:
    return {leaf[0] for leaf in leaves(figure)}


def _is_pile(bets: GameBets, figure: Figure, steps: Sequence[object]) -> bool:
    """Return whether a figure is of cards and balls that are taken, whatever the figure adds up or compares of their
    readings.
    """
    is_of_drum = figure[0] == "done" and isinstance(bets.declaration.pile, Drum)
    is_known = _words(figure) <= _OF_PILES or is_of_drum
    return (
        bool(steps) and all(isinstance(step, Take) for step in steps) and is_known and "letters " not in str(figure)
    )


def _is_flight(figure: Figure, steps: Sequence[object]) -> bool:
    return figure[0] == "hundredths" and len(steps) == 1 and isinstance(steps[0], Flight)


def _is_spin(offer: Offer, steps: Sequence[object]) -> bool:
    if offer.figure[0] != "chain" or not (len(steps) == 1 and isinstance(steps[0], Spin)) or len(offer.pays) != 1:
        return False
    (pays,) = offer.pays
    return pays.values == [{"from": 1}] and isinstance(pays.odds, list) and "value" in pays.odds[2:]


def _is_race(offer: Offer, places: set[str], steps: Sequence[object]) -> bool:
    return places == {"order"} and len(steps) == 1 and isinstance(steps[0], Race) and not _has_cash_out(offer)


def _is_listed(offer: Offer, figure: Figure, steps: Sequence[object]) -> bool:
    """Return whether outcomes can be listed, one by one, which does for any figure."""
    others = any(isinstance(step, Take | Deal | Flight | Spin | Race) for step in steps)
    return bool(steps) and not others and "lit" not in _words(figure) and not _has_cash_out(offer)


def _has_cash_out(offer: Offer) -> bool:
    """Return whether a bet has a cash-out, of which only the ends are looked at: right for flights alone."""
    return any(map(is_cash_out, offer.form.choices.values()))


def _is_in_catalogue(bets: GameBets, offer: Offer) -> bool:
    """Return whether a game of the catalogue that is drawn alike has the same figure, with the same tables."""
    alike = (CATALOGUE_BETS[each.game] for each in listed_as(bets.declaration) if each.game in CATALOGUE_BETS)
    return not _has_cash_out(offer) and any(
        other.figure == offer.figure and _same_tables(offer.figure, bets, theirs)
        for theirs in alike
        for other in theirs.offers
    )


def _same_tables(figure: Given, bets: GameBets, others: GameBets) -> bool:
    if isinstance(figure, list):
        return all(_same_tables(each, bets, others) for each in figure)
    return not isinstance(figure, str) or bets.tables.get(figure) == others.tables.get(figure)
