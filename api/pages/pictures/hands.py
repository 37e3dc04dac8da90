"""What was dealt of the order of a round in which players decide: the hands that its engine has named, or the things
that it was given; if neither is known, how the order begins.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from api.pages.pictures.data import PICTURES
from api.pages.pictures.looks import Looks
from api.pages.pictures.things import thing_in_words
from games.order import Thing

_SHOWN_WHOLE, _SHOWN_FIRST = 12, 8
"""If nothing is known of a round, an order of so many things is shown whole, and of a longer one so many things."""


@dataclass(frozen=True, slots=True)
class Hand:
    """What is shown of an order: ``looks`` and ``outcome`` are drawn, and said, as those of a whole round are."""

    told: Literal["dealt", "given", "order"]
    looks: Looks
    outcome: Mapping[str, list[str | int]]
    count: int
    """How many things are shown."""
    others: list[str]
    """What was given, and lies in no hand."""
    rest: Mapping[str, list[tuple[int, str]]]
    """What else there is in the order: by place, positions and things."""
    left: int
    """How many things that are."""
    is_needless: bool
    """Whether nobody asked for them."""
    has_cards: bool
    """Whether there is nothing but cards in the order."""


def hand_of(
    looks: Looks, order: Sequence[Thing], *, given: int | None, dealt: Mapping[str, Sequence[int]]
) -> Hand | None:
    """Find what is shown of an order, whose beginning was ``given``; `None` if it is one thing, or none."""
    if len(order) <= 1:
        return None
    if dealt:
        by_first = sorted(dealt.items(), key=lambda hand: hand[1][0])
        hands = {name: [order[position - 1] for position in positions] for name, positions in by_first}
    else:
        unknown = len(order) if len(order) <= _SHOWN_WHOLE else _SHOWN_FIRST
        hands = _by_place(order[: unknown if given is None else given])
    shown = {each.position for things in hands.values() for each in things}
    known = 0 if given is None else given
    left = [each for each in order if each.position not in shown]
    rest = [each for each in left if each.position > known]
    return Hand(
        told="dealt" if dealt else "order" if given is None else "given",
        looks={name: _look(looks, things) for name, things in hands.items()},
        outcome={name: [each.thing for each in things] for name, things in hands.items()},
        count=len(shown),
        others=[_in_words(looks, each) for each in left if each.position <= known],
        rest={
            place: [(each.position, _in_words(looks, each)) for each in things]
            for place, things in _by_place(rest).items()
        },
        left=len(rest),
        is_needless=given is not None,
        has_cards={looks.get(each.place) for each in order} == {"card"},
    )


def _by_place(things: Iterable[Thing]) -> dict[str, list[Thing]]:
    found: dict[str, list[Thing]] = {}
    for each in things:
        found.setdefault(each.place, []).append(each)
    return found


def _look(looks: Looks, things: Iterable[Thing]) -> str:
    """Return the look that all of these things have, each by itself."""
    found = {looks.get(each.place, "word") for each in things}
    return found.pop() if len(found) == 1 and found <= PICTURES.things.keys() else "word"


def _in_words(looks: Looks, each: Thing) -> str:
    return thing_in_words(looks.get(each.place, "word"), str(each.thing))
