"""An outcome in a few words: its places and its things."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from api.pages.pictures.data import PICTURES
from api.pages.pictures.looks import Looks
from api.pages.pictures.things import thing_in_words, things_of

Translate: TypeAlias = Callable[[str], str]
Place: TypeAlias = tuple[str, str, list[str]]
"""Its name, the look of its things, and the things."""

_SHOWN = 20


def places_of(looks: Looks, outcome: Mapping[str, Any]) -> Iterator[Place]:
    """List each place that has something."""
    for place in [
        *(place for place in looks if place in outcome),
        *(place for place in outcome if place not in looks),
    ]:
        look = looks.get(place, "word")
        if things := things_of(look, outcome[place]):
            yield place, look, things


def place_in_words(place: str, translate: Translate) -> str:
    """Name a place."""
    return translate(place) if place in PICTURES.words else place.replace("-", " ")


def words_of(looks: Looks, outcome: Mapping[str, Any], translate: Translate) -> str:
    """Say an outcome as a person would.

    ``pocket 17``, ``1 · 5 · 2``, ``player 6♠ 2♦, banker 9♥ K♠``: where there is one place with several things, they
    need no name.
    """
    match list(looks.items()):
        case [(place, "flight" | "rocket")]:
            return f"{outcome[place]}\N{MULTIPLICATION SIGN}"
        case [(_, "colored-card"), (_, "colored-card")]:
            return _card_of_color(outcome, translate)
        case [(_, "goal"), (_, "goal")]:
            return _shot(outcome, translate)
    places = list(places_of(looks, outcome))
    if len(places) == 1 and len(places[0][2]) > 1:
        (_place, look, things) = places[0]
        return _things(look, things, translate)
    return ", ".join(
        f"{place_in_words(place, translate)} {_things(look, things, translate)}" for place, look, things in places
    )


def _things(look: str, things: list[str], translate: Translate) -> str:
    words = [translate(word) if (word := thing_in_words(look, thing)) in PICTURES.words else word for thing in things]
    shown = (" " if look in ("card", "bone") else "" if look == "point" else " · ").join(words[:_SHOWN])
    if len(words) <= _SHOWN:
        return shown
    return translate("%(things)s and %(count)s more") % {"things": shown, "count": len(words) - _SHOWN}


def _card_of_color(outcome: Mapping[str, Any], translate: Translate) -> str:
    match outcome:
        case {"color": "red"}:
            return translate("%(card)s, red") % outcome
        case {"color": "black"}:
            return translate("%(card)s, black") % outcome
    return translate("Joker")


def _shot(outcome: Mapping[str, Any], translate: Translate) -> str:
    match outcome:
        case {"sector": sector}:
            return translate("sector %(number)s") % {"number": sector}
        case {"result": "bar"}:
            return translate("the bar")
    return translate("failure")
