"""What the deals draw (SPEC 3.8), as JSON Schema: how many cards a hand can have, which rolls follow a spin."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from games.declared.deals import DEALS, ROLLS, SEGMENTS, Deal
from games.outcome_schema.forms import Schema, number, one_of, text
from games.outcome_schema.patterns import after_others, words

_CHANCE = "chance"
_OTHERS_PER_SIDE = 24
"""Of a pack, half of the cards that are not of the joker's rank."""


@dataclass(frozen=True, slots=True)
class Dealt:
    """The schema of each place of a deal, and what holds between them."""

    places: Mapping[str, Schema]
    between: tuple[Schema, ...] = ()


def dealt(deal: Deal, card: str, packs: int) -> Dealt:
    """Return what a ``deal`` draws: ``card`` is the pattern of a card, ``packs`` the most packs of the shoe."""
    (name,) = (name for name, each in DEALS.items() if each is deal)
    return _DEALS[name](deal, card, packs)


def _hands(least: int, most: int | None) -> Callable[[Deal, str, int], Dealt]:
    return lambda deal, card, _packs: Dealt(dict.fromkeys(deal.places, text(words(card, least, most))))


def _andar_bahar(_deal: Deal, card: str, packs: int) -> Dealt:
    """Describe a deal: all cards but those of the joker's rank may come before one of them; the sides take turns."""
    sides, most = ("andar", "bahar"), _OTHERS_PER_SIDE * packs + 1
    places = dict.fromkeys(sides, text(words(card, 0, most))) | {"first": one_of(sides), "joker": text(f"^{card}$")}
    begun = [{"properties": {"first": {"const": side}, side: text(words(card, 1, most))}} for side in sides]
    return Dealt(places, ({"anyOf": begun},))


def _monopoly(_deal: Deal, _card: str, _packs: int) -> Dealt:
    """Describe a spin: a chance card is followed by another spin; only rolls have dice, two each, and doubles are
    more than asked for.
    """
    last = [label for label in SEGMENTS if label != _CHANCE]
    without_dice = _spun((label for label in last if label not in ROLLS), {"maxItems": 0})
    with_dice = [_spun([label], {"minItems": 2 * rolls}) for label, rolls in ROLLS.items()]
    places = {"dice": {"type": "array", "items": number(1, 6)}, "spins": text(after_others([_CHANCE], last))}
    return Dealt(places, ({"anyOf": [without_dice, *with_dice]},))


def _spun(last: Iterable[str], dice: Schema) -> Schema:
    return {"properties": {"spins": {"pattern": after_others([_CHANCE], last)}, "dice": dice}}


def _rally(_deal: Deal, _card: str, _packs: int) -> Dealt:
    return Dealt({"points": text("^[AB]{7,17}$")})


_DEALS: Mapping[str, Callable[[Deal, str, int], Dealt]] = {
    "punto-banco": _hands(2, 3),
    "twenty-one": _hands(2, 5),
    "andar-bahar": _andar_bahar,
    "thirty-two": _hands(1, None),
    "monopoly": _monopoly,
    "rally": _rally,
}
