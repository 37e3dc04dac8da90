"""What the things at each place of a game's outcome look like: by the kind that draws them, never by the game's name.

A declaration (SPEC 3.6) says what is drawn; a *look* is what a person sees of it: a die, a ball, a card.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from api.pages.pictures.data import PICTURES
from fairness.draws.game import Declaring

Looks: TypeAlias = Mapping[str, str]
"""By place, in the order in which they are shown. A place that is missing has the look ``word``."""

_RULES = PICTURES.looks
_POCKETS = {"00", *map(str, range(37))}


def looks_of(game: str, declaration: Mapping[str, Any] | None = None) -> Looks:
    """Find the looks of a declared game, or of a game whose tables have no declaration; none for a game that is
    neither.
    """
    if declaration is None:
        return _RULES.games.get(game, {})
    looks: dict[str, str] = {}
    for place, kind, *arguments in declaration["draw"]:
        looks.update(_looks(place, kind, arguments, declaration))
    return looks


def after_lock(looks: Looks, *, has_flight: bool) -> str:
    """Say what a locked round is: in ``flight``, in ``play`` (players decide), or just ``locked``."""
    if not has_flight:
        return "locked"
    return "flight" if looks.get("multiplier") in ("flight", "rocket") else "play"


def looks_of_table(table: Declaring) -> Looks:
    """Find the looks of the game that a table plays."""
    return looks_of(table.game, msgspec.json.decode(table.declaration_text) if table.declaration_text else None)


def _looks(place: str, kind: str, arguments: Sequence[Any], declaration: Mapping[str, Any]) -> Looks:
    if kind == "deal":
        return _RULES.deals.get(arguments[0], {})
    if kind == "ends":
        return _of_ends(arguments[0])
    return {place: _look(kind, arguments, declaration)}


def _look(kind: str, arguments: Sequence[Any], declaration: Mapping[str, Any]) -> str:
    match kind:
        case "number" | "numbers":
            return _RULES.ranges.get(" ".join(map(str, arguments[-2:])), "ball")
        case "one":
            return "pocket" if set(map(str, arguments[0])) == _POCKETS else "segment"
        case "take" if "shoe" in declaration:
            pack = declaration["shoe"][1]
            return _RULES.packs.get(pack, "card") if isinstance(pack, str) else "thing"
    return _RULES.kinds.get(kind, "word")


def _of_ends(ends: Sequence[Mapping[str, Any]]) -> Looks:
    """Find the looks of outcomes that are listed whole: some lists have looks of their own, if each outcome can be
    drawn so.
    """
    spelled = [json.dumps(end, sort_keys=True, separators=(",", ":")) for end in ends]
    for pattern, looks in _RULES.ends:
        if all(re.fullmatch(pattern, each) for each in spelled):
            return looks
    return dict.fromkeys((place for end in ends for place in end), "word")
