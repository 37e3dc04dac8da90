"""The packs that declarations name (SPEC 3.8)."""

from __future__ import annotations

from collections.abc import Mapping

_SUITS = "cdhs"
_BONES = tuple(f"{low}{high}" for low in range(7) for high in range(low, 7))
# How many red and blue balls these digits have; every other digit has three of each.
_UNEVEN = {3: (2, 4), 6: (4, 2)}


def _cards(ranks: str, *jokers: str) -> tuple[str, ...]:
    return (*(rank + suit for rank in ranks for suit in _SUITS), *jokers)


def _sixty() -> tuple[str, ...]:
    balls: list[str] = []
    for digit in range(10):
        red, blue = _UNEVEN.get(digit, (3, 3))
        balls += [f"{digit}r"] * red + [f"{digit}b"] * blue
    return tuple(balls)


PACKS: Mapping[str, tuple[str, ...]] = {
    "french": _cards("23456789TJQKA"),
    "joker": _cards("23456789TJQKA", "Xx"),
    "two-jokers": _cards("23456789TJQKA", "Xr", "Xb"),
    "short": _cards("6789TJQKA"),
    "piquet": _cards("789TJQKA"),
    "belote": _cards("9TJQKA"),
    "thirty-two": _cards("6789TJQK"),
    "bet-win": _cards("12345MVCDR", "Xx", "Xx", "Xx", "Xx"),
    "fruits": ("plum",) * 3 + ("cherry",) * 3 + ("lemon",) * 3 + ("7",),
    "sixty": _sixty(),
    "bones": _BONES,
}
