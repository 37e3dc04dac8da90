"""What the things at each place of a game's outcome look like: by the kind that draws them, never by the game's name.

A declaration (SPEC 3.6) says what is drawn; a *look* is what a person sees of it: a die, a ball, a card.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

import msgspec

from fairness.draws.game import Declaring
from games.declared.catalogue import catalogue
from games.facts.hi_lo import DECK
from games.facts.penalty import ENDS

Looks: TypeAlias = Mapping[str, str]
"""By place, in the order in which they are shown. A place that is missing has the look ``word``."""

_ROCKET = "rocketon"
"""The one flight that has a rocket."""
_DEALT: Mapping[str, Looks] = {
    "punto-banco": {"player": "card", "banker": "card"},
    "twenty-one": {"first": "card", "second": "card"},
    "andar-bahar": {"joker": "card", "first": "word", "bahar": "card", "andar": "card"},
    "thirty-two": {f"player-{points}": "card" for points in range(8, 12)},
    "monopoly": {"spins": "segment", "dice": "die"},
    "rally": {"points": "point"},
}
_OF_KIND = {
    "wheel": "segment",
    "wheels": "segment",
    "spin": "segment",
    "chosen": "segment",
    "race": "runner",
    "reels": "stop",
    "pick": "ball",
}
_OF_PACK = {"fruits": "thing", "sixty": "colored-ball", "bones": "bone"}
_RANGES = {(1, 2): "word", (1, 6): "die", (0, 36): "pocket"}
_POCKETS = {*map(str, range(37)), "00"}


def looks_of(game: str, declaration: Mapping[str, Any] | None = None) -> Looks:
    """The looks of a declared game, or of a game of the catalogue; none for a game that is neither."""
    if declaration is None:
        declaration = _of_the_catalogue(game)
    looks: dict[str, str] = {}
    for place, kind, *arguments in declaration["draw"]:
        looks.update(_looks(place, kind, arguments, declaration))
    if looks == {"multiplier": "flight"} and game == _ROCKET:
        return {"multiplier": "rocket"}
    return looks


def after_lock(looks: Looks, *, has_flight: bool) -> str:
    """What a locked round is: in ``flight``, in ``play`` (players decide), or just ``locked``."""
    if not has_flight:
        return "locked"
    return "flight" if looks.get("multiplier") in ("flight", "rocket") else "play"


def looks_of_table(table: Declaring) -> Looks:
    """The looks of the game that a table plays."""
    return looks_of(table.game, msgspec.json.decode(table.declaration_text) if table.declaration_text else None)


@cache
def _of_the_catalogue(game: str) -> Mapping[str, Any]:
    text = next((each.declaration.text for each in catalogue() if each.game == game), b'{"draw":[]}')
    declaration: Mapping[str, Any] = msgspec.json.decode(text)
    return declaration


def _looks(place: str, kind: str, arguments: Sequence[Any], declaration: Mapping[str, Any]) -> Looks:
    if kind == "deal":
        return _DEALT.get(arguments[0], {})
    if kind == "ends":
        return _of_ends(arguments[0])
    return {place: _look(kind, arguments, declaration)}


def _look(kind: str, arguments: Sequence[Any], declaration: Mapping[str, Any]) -> str:
    match kind:
        case "number" | "numbers":
            return _RANGES.get((arguments[-2], arguments[-1]), "ball")
        case "one":
            return "pocket" if set(map(str, arguments[0])) == _POCKETS else "segment"
        case "take" if "shoe" in declaration:
            pack = declaration["shoe"][1]
            return _OF_PACK.get(pack, "card") if isinstance(pack, str) else "thing"
        case "take":
            return "ball"
        case "flight":
            return "flight"
    return _OF_KIND.get(kind, "word")


def _of_ends(ends: Sequence[Mapping[str, Any]]) -> Looks:
    """The looks of outcomes that are listed whole: two lists have a look of their own, if each of their outcomes can be drawn so."""
    if all(each in DECK for each in ends):
        return {"card": "colored-card"}
    if all(each in ENDS for each in ends):
        return {"sector": "goal", "result": "goal"}
    return dict.fromkeys((place for end in ends for place in end), "word")
