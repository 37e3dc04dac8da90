"""Outcomes as pictures: what each one is drawn of, and in a few words.

What they look like is data, `pictures.json`. This package and `verifier/browser/pictures` both draw by it, and a test
compares the two.

`data`      `pictures.json`: looks, sizes and shapes, which are the same for browsers
`formulas`  the numbers in it
`drawn`     draws the shapes in it
`looks`     what the things at each place look like, by the kind that draws them
`things`    one thing
`rows`      many things
`whole`     outcomes that are one thing with a look of its own
`flight`    the curve of a multiplier
`words`     an outcome in a few words
`shapes`    the elements that drawings are made of
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from api.pages.pictures.looks import Looks, after_lock, looks_of, looks_of_table
from api.pages.pictures.rows import dice_in_a_row, large_rows, small_rows
from api.pages.pictures.shapes import Shape, markup, struck
from api.pages.pictures.whole import whole_of
from api.pages.pictures.words import Translate, words_of
from api.pages.shell import languages

__all__ = [
    "after_lock",
    "drawing",
    "has_caption",
    "install",
    "looks_of",
    "looks_of_table",
    "picture",
    "side_by_side",
    "words_of",
]

_FLIGHTS = (["flight"], ["rocket"])
_MOST_SIDE_BY_SIDE = 5
_STRIP, _STRIP_GAP, _STRIP_WIDEST, _STRIP_HIGHEST = 272, 16, 72, 52
"""Pixels that the strip of a table's last outcomes has on a page 320 wide, and those of its pictures
(`static/pictures.css`).
"""
_DICE_IN_A_ROW = 3
_LONGEST_CAPTION = 24


def install(environment: Environment) -> None:
    """Give the templates ``picture``, ``in_words`` and the rest; `templates/outcome.html` puts them together."""
    environment.globals.update(picture=picture, in_words=_in_words, has_caption=has_caption, looks_of=looks_of)


def _in_words(looks: Looks, outcome: Mapping[str, Any]) -> str:
    return words_of(looks, outcome, languages.gettext)


def drawing(looks: Looks, outcome: Mapping[str, Any], translate: Translate, *, large: bool = False) -> Shape | None:
    """Return what an outcome looks like, an ``svg``; `None` for a game of which nothing is known."""
    if not looks:
        return None
    whole = whole_of(looks, outcome, large=large)
    if whole is not None:
        return whole
    match [(look, outcome.get(place)) for place, look in looks.items()]:
        case [("die", list(dice))] if len(dice) <= _DICE_IN_A_ROW:
            return dice_in_a_row(dice)
    return large_rows(looks, outcome, translate) if large else small_rows(looks, outcome)


def has_caption(looks: Looks, words: str, *, large: bool = False) -> bool:
    """Return whether the words stand beside the drawing.

    A small one of a flight lacks the multiplier, and a large one has it; under a large one, long words would say
    again what it shows.
    """
    if not looks:
        return True
    if list(looks.values()) in _FLIGHTS:
        return not large
    return large and len(words) <= _LONGEST_CAPTION


def picture(
    looks: Looks,
    outcome: Mapping[str, Any],
    label: str = "",
    translate: Translate = languages.gettext,
    *,
    large: bool = False,
    void: bool = False,
) -> Markup:
    """Return the drawing as markup; empty for a game that has none. ``label`` is read aloud, an empty one is not.

    The outcome of a void round is drawn pale and struck through.
    """
    shape = drawing(looks, outcome, translate, large=large)
    if shape is None:
        return Markup()
    tag, attributes, *inside = struck(shape) if void else shape
    spoken = {"role": "img", "aria-label": label} if label else {"aria-hidden": "true"}
    kind = {"class": "picture large" if large else "picture"}
    return markup((tag, {**attributes, **kind, **spoken}, *inside))


def side_by_side(looks: Looks, outcomes: Sequence[Mapping[str, Any]]) -> int:
    """Return how many small drawings of these outcomes stand side by side on the narrowest phone."""
    shapes = [drawing(looks, outcome, str) for outcome in outcomes]
    widest = max((_shown_width(shape) for shape in shapes if shape is not None), default=_STRIP_WIDEST)
    return max(1, min(_MOST_SIDE_BY_SIDE, _STRIP // (widest + _STRIP_GAP)))


def _shown_width(shape: Shape) -> int:
    width, height = shape[1]["width"], shape[1]["height"]
    return int(min(_STRIP_WIDEST, _STRIP_HIGHEST * width // height))
