"""Outcomes as pictures: what each one is drawn of, and in a few words.

`verifier/browser/games/pictures.js` is the same for browsers, function by function; a test holds the two
together. A drawing is a tree of SVG elements, each ``(tag, attributes, *inside)``. Its symbols stand
in ``static/pictures.svg``. All numbers are whole, so that two languages cannot round them differently.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from jinja2 import Environment
from markupsafe import Markup, escape

from api.pages.shell import languages
from api.rounds.outcome_text import outcome_text
from games.penalty import is_yellow

Outcome: TypeAlias = Mapping[str, Any]
Translate: TypeAlias = Callable[[str], str]
Shape: TypeAlias = tuple[Any, ...]
"""A tag, its attributes, and what is inside: shapes and text."""

SHEET = "/static/pictures.svg"
"""Where the symbols are; empty where they stand in the page itself."""

_FLIGHTS = ("crash", "rocketon")
_READABLE = ("hi-lo", "sic-bo", "penalty", "keno-express")
_SIDE_BY_SIDE = {"sic-bo": 3, "penalty": 3, "crash": 4, "rocketon": 4, "hi-lo": 5}
_SIDE_BY_SIDE_ELSE = 5
_INK, _RED, _BLACK = "currentColor", "#c9142b", "#16181d"


def install(environment: Environment) -> None:
    """Give the templates ``picture``, ``in_words`` and ``has_caption``; `templates/outcome.html` puts both together."""
    environment.globals.update(picture=picture, in_words=_in_words, has_caption=has_caption)


def _in_words(game: str, outcome: Outcome) -> str:
    return in_words(game, outcome, languages.gettext)


def drawing(game: str, outcome: Outcome, *, large: bool = False) -> Shape | None:
    """What an outcome looks like, an ``svg``; `None` for a game that has no picture."""
    match game:
        case "crash" | "rocketon":
            return _flight(game, outcome["multiplier"], large=large)
        case "hi-lo":
            return _card(outcome["card"], outcome.get("color"), large=large)
        case "sic-bo":
            return _dice(outcome["dice"])
        case "penalty":
            return _shot(outcome, large=large)
        case "keno-express":
            return _number(outcome["number"], large=large)
    return None


def in_words(game: str, outcome: Outcome, _: Translate) -> str:
    """An outcome as a person would say it, in the language of ``_``."""
    match game:
        case "crash" | "rocketon":
            return f"{outcome['multiplier']}\N{MULTIPLICATION SIGN}"
        case "hi-lo":
            return _card_words(outcome, _)
        case "sic-bo":
            return " · ".join(str(die) for die in outcome["dice"])
        case "penalty":
            return _shot_words(outcome, _)
        case "keno-express":
            return _("number %(number)s") % outcome
    return outcome_text(dict(outcome))


def has_caption(game: str, *, large: bool = False) -> bool:
    """Whether the words stand beside the drawing: a small one of a flight lacks the multiplier, and only a large one has it."""
    return game not in (_FLIGHTS if large else _READABLE)


def side_by_side(game: str) -> int:
    """How many small drawings stand side by side on the narrowest phone."""
    return _SIDE_BY_SIDE.get(game, _SIDE_BY_SIDE_ELSE)


def picture(game: str, outcome: Outcome, label: str = "", *, large: bool = False, void: bool = False) -> Markup:
    """The drawing as markup; empty for a game that has none. ``label`` is read aloud, an empty one is not.

    The outcome of a void round is drawn pale and struck through.
    """
    shape = drawing(game, outcome, large=large)
    if shape is None:
        return Markup()
    tag, attributes, *inside = struck(shape) if void else shape
    spoken = {"role": "img", "aria-label": label} if label else {"aria-hidden": "true"}
    kind = {"class": "picture large" if large else "picture"}
    return _markup((tag, {**attributes, **kind, **spoken}, *inside))


def struck(shape: Shape) -> Shape:
    """A drawing of what did not count."""
    tag, attributes, *inside = shape
    _left, _top, width, height = attributes["viewBox"].split(" ")
    line = {"d": f"M0 {height} {width} 0", "stroke": _INK, "stroke-width": 2, "vector-effect": "non-scaling-stroke"}
    return tag, attributes, ("g", {"opacity": "0.4"}, *inside), ("path", line)


def _markup(shape: Shape | str) -> Markup:
    if isinstance(shape, str):
        return escape(shape)
    tag, attributes, *inside = shape
    spelled = Markup().join(Markup(' {}="{}"').format(name, value) for name, value in attributes.items())
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(tag), spelled, Markup().join(map(_markup, inside)))  # noqa: S704


def _svg(width: int, height: int, *inside: Shape) -> Shape:
    attributes = {"viewBox": f"0 0 {width} {height}", "width": width, "height": height}
    return "svg", attributes, *inside


def _use(symbol: str, x: int, y: int, width: int, height: int) -> Shape:
    return "use", {"href": f"{SHEET}#{symbol}", "x": x, "y": y, "width": width, "height": height}


def _text(text: str, x: int, y: int, size: int, fill: str, anchor: str = "middle") -> Shape:
    attributes = {"x": x, "y": y, "font-size": size, "font-weight": 700, "fill": fill, "text-anchor": anchor}
    return "text", attributes, text


# Crash and Rocketon (regulation 12.20, 12.26): the multiplier grows by a curve until it stops.

_LEFT, _RIGHT, _BOTTOM, _TOP = 64, 530, 340, 64
_CURVES = 8


def _flight(game: str, multiplier: str, *, large: bool) -> Shape:
    color = "#d9480f" if game == "crash" else "#7c5cfc"
    path, (x, y) = flight_path(float(multiplier))
    size = 96 if large else 128
    axes = {"d": f"M{_LEFT} {_TOP} {_LEFT} {_BOTTOM} {_RIGHT} {_BOTTOM}", "fill": "none"}
    pen = {"stroke-linecap": "round", "stroke-linejoin": "round"}
    inside: list[Shape] = [
        ("path", {"d": f"{path}V{_BOTTOM}H{_LEFT}z", "fill": color, "opacity": "0.16"}),
        ("path", {**axes, "stroke": _INK, "stroke-opacity": "0.35", "stroke-width": size // 20}),
        ("path", {"d": path, "fill": "none", "stroke": color, "stroke-width": size // 8, **pen}),
        _use("burst", x - size // 2, y - size // 2, size, size),
    ]
    if game == "rocketon":
        inside.append(_use("rocket", x - size * 3 // 8, y - size * 3 // 8, size * 3 // 4, size * 3 // 4))
    if large:
        words = f"{multiplier}\N{MULTIPLICATION SIGN}"
        inside.append(_text(words, _LEFT + 24, 124, min(84, 720 // len(words)), _INK, "start"))
    return _svg(600, 400, *inside)


def flight_path(multiplier: float) -> tuple[str, tuple[int, int]]:
    """The curve e^t from 1 to where it stopped, in the drawing's units, and its last point.

    The drawing shows what lies between 1 and the multiplier, but never less than up to 2: so 1.00
    is a point, 1.50 half of the height, and all that is beyond 2 fills it, the steeper the larger.
    """
    top = max(multiplier, 2.0)
    growth = math.log(top)
    end = math.log(multiplier) / growth

    def point(along: float, height: float) -> tuple[int, int]:
        x = _LEFT + (_RIGHT - _LEFT) * along
        y = _BOTTOM - (_BOTTOM - _TOP) * height
        return math.floor(x + 0.5), math.floor(y + 0.5)

    def height(along: float) -> float:
        return (math.exp(growth * along) - 1) / (top - 1)

    def slope(along: float) -> float:
        return growth * math.exp(growth * along) / (top - 1)

    # Bézier curves with the right slope at both ends, shorter where it is steep.
    at = [end * (1 - (1 - i / _CURVES) ** 2) for i in range(_CURVES + 1)]
    parts = []
    for start, stop in itertools.pairwise(at):
        third = (stop - start) / 3
        first = point(start + third, height(start) + third * slope(start))
        second = point(stop - third, height(stop) - third * slope(stop))
        parts.append(" ".join(f"{x} {y}" for x, y in (first, second, point(stop, height(stop)))))
    return f"M{_LEFT} {_BOTTOM}C{' '.join(parts)}", point(end, height(end))


# HI LO (12.21): red cards bear a heart, black ones a spade, so nobody needs to see the colour.


def _card(card: str, color: str | None, *, large: bool) -> Shape:
    face = _use("card", 0, 0, 100, 140)
    if color is None:
        return _svg(100, 140, face, _use("joker", 16, 26, 68, 68), _text("Joker", 50, 120, 24, "#3a2a63"))
    mark, ink = ("heart", _RED) if color == "red" else ("spade", _BLACK)
    if not large:
        return _svg(100, 140, face, _text(card, 50, 68, 66, ink), _use(mark, 26, 78, 48, 48))
    corner = _text(card, 19, 34, 28, ink), _use(mark, 10, 40, 18, 18)
    return _svg(
        100,
        140,
        face,
        ("g", {}, *corner),
        ("g", {"transform": "rotate(180 50 70)"}, *corner),
        _use(mark, 24, 44, 52, 52),
    )


def _card_words(outcome: Outcome, _: Translate) -> str:
    match outcome:
        case {"color": "red"}:
            return _("%(card)s, red") % outcome
        case {"color": "black"}:
            return _("%(card)s, black") % outcome
    return _("Joker")


# Sic Bo (12.25): three dice, as they were drawn.


def _dice(dice: list[int]) -> Shape:
    return _svg(340, 100, *(_use(f"die-{die}", place * 120, 0, 100, 100) for place, die in enumerate(dice)))


# Penalty (12.29): sectors 1 to 8 are the upper row, 9 to 16 the middle, 17 to 24 the lower one.

_COLUMNS, _ROWS = 8, 3
_CELL, _CELL_HEIGHT = 44, 38


def _shot(outcome: Outcome, *, large: bool) -> Shape:
    inside = [_use("goal", 0, 0, 440, 170)]
    if "sector" in outcome:
        x, y = _corner(outcome["sector"])
        fill = "#ffc107" if is_yellow(outcome["sector"]) else "#2563c9"
        inside.append(("rect", {"x": x, "y": y, "width": _CELL, "height": _CELL_HEIGHT, "fill": fill,
                                "stroke": _BLACK, "stroke-width": 3}))  # fmt: skip
    if large:
        inside.extend(_sector_number(number) for number in range(1, _COLUMNS * _ROWS + 1))
    if "sector" in outcome:
        inside.append(_use("ball", x + 15, y + 10, 26, 26) if large else _use("ball", x + 4, y + 1, 36, 36))
    elif outcome["result"] == "bar":
        inside += [_use("impact", 190, 0, 60, 60), _use("ball", 202, 12, 36, 36)]
    else:
        inside += [_use("cross", 180, 41, 80, 80), _use("ball", 402, 118, 36, 36)]
    return _svg(440, 170, *inside)


def _shot_words(outcome: Outcome, _: Translate) -> str:
    match outcome:
        case {"sector": sector}:
            return _("sector %(number)s") % {"number": sector}
        case {"result": "bar"}:
            return _("the bar")
    return _("failure")


def _corner(sector: int) -> tuple[int, int]:
    return 44 + (sector - 1) % _COLUMNS * _CELL, 24 + (sector - 1) // _COLUMNS * _CELL_HEIGHT


def _sector_number(sector: int) -> Shape:
    x, y = _corner(sector)
    return _text(str(sector), x + 4, y + 13, 12, _BLACK, "start")


# Keno Express (12.33): one ball of a hundred, from the drum.


def _number(number: int, *, large: bool) -> Shape:
    if not large:
        return _svg(
            100, 100, _use("keno-ball", 0, 0, 100, 100), _text(str(number), 50, 63, _ball_size(number), _BLACK)
        )
    ball = _text(str(number), 360, 243, _ball_size(number) * 3 // 2, _BLACK)
    return _svg(440, 310, _use("keno-drum", 0, 0, 300, 300), _use("keno-ball", 285, 150, 150, 150), ball)


def _ball_size(number: int) -> int:
    return 38 if number < 100 else 30  # noqa: PLR2004
