"""Outcomes as pictures: what each one is drawn of, and in a few words.

What they look like is data, `pictures.json`. This package and `verifier/browser/pictures` both draw by it, and a test
compares the two.

`data`      `pictures.json`: looks, sizes and shapes, which are the same for browsers
`formulas`  the numbers in it
`drawn`     draws the shapes in it
`looks`     what the things at each place look like, by the kind that draws them
`things`    one thing
`rows`      many things
`hands`     what was dealt of an order of things
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

from api.pages.pictures.data import PICTURES
from api.pages.pictures.hands import hand_of
from api.pages.pictures.looks import Looks, after_lock, looks_of, looks_of_table
from api.pages.pictures.rows import large_rows, small_rows
from api.pages.pictures.shapes import Shape, letters_of, markup, struck
from api.pages.pictures.whole import whole_of
from api.pages.pictures.words import Translate, place_in_words, words_of
from api.pages.shell import languages

__all__ = [
    "after_lock",
    "drawing",
    "hand_of",
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
_SHOWN = PICTURES.shown
_STRIP, _STRIP_GAP = 272, 16
"""Pixels that the strip of a table's last outcomes has on a page 320 wide."""
_LONGEST_CAPTION = 24


def install(environment: Environment) -> None:
    """Give the templates ``picture``, ``in_words`` and the rest; `templates/outcome.html` puts them together."""
    environment.globals.update(picture=picture, in_words=_in_words, has_caption=has_caption, looks_of=looks_of)
    environment.filters["place"] = _place


def _in_words(looks: Looks, outcome: Mapping[str, Any]) -> str:
    return words_of(looks, outcome, languages.gettext)


def _place(place: str) -> str:
    return place_in_words(place, languages.gettext)


def drawing(looks: Looks, outcome: Mapping[str, Any], translate: Translate, *, large: bool = False) -> Shape | None:
    """Return what an outcome looks like, an ``svg``; `None` for a game of which nothing is known, and where words say
    it better: on a phone, the drawing would be too small to be read.
    """
    if not looks:
        return None
    shape = whole_of(looks, outcome, large=large)
    if shape is None:
        shape = large_rows(looks, outcome, translate) if large else small_rows(looks, outcome)
    return shape if shape and _is_readable(shape, _SHOWN.large if large else _SHOWN.small) else None


def _is_readable(shape: Shape, room: tuple[int, int]) -> bool:
    """Return whether its letters are high enough where it has so much room."""
    (widest, highest), width, height = room, shape[1]["width"], shape[1]["height"]
    return all(
        letters * widest >= _SHOWN.letters * width and letters * highest >= _SHOWN.letters * height
        for letters in letters_of(shape)
    )


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
    """Return how many small drawings of these outcomes stand side by side on the narrowest phone; words in the place
    of one take a whole line.
    """
    shapes = [drawing(looks, outcome, str) for outcome in outcomes]
    widest = max(map(_shown_width, shapes), default=_SHOWN.small[0])
    return max(1, min(_MOST_SIDE_BY_SIDE, _STRIP // (widest + _STRIP_GAP)))


def _shown_width(shape: Shape | None) -> int:
    if shape is None:
        return _STRIP
    widest, highest = _SHOWN.small
    return int(min(widest, highest * shape[1]["width"] // shape[1]["height"]))
