"""Outcomes that are one thing with a look of its own: a card without a suit, dice, a shot at the goal, a ball from a drum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from api.pages.pictures.shapes import BLACK, RED, Shape, svg, text, use
from games.facts.penalty import is_yellow

_THREE_DIGITS = 100


def card_of_color(card: str, color: str | None, *, large: bool) -> Shape:
    """A card that has a colour but no suit: red ones bear a heart, black ones a spade, so nobody needs to see the colour."""
    face = use("card", 0, 0, 100, 140)
    if color is None:
        return svg(100, 140, face, use("joker", 16, 26, 68, 68), text("Joker", 50, 120, 24, "#3a2a63"))
    mark, ink = ("heart", RED) if color == "red" else ("spade", BLACK)
    if not large:
        return svg(100, 140, face, text(card, 50, 68, 66, ink), use(mark, 26, 78, 48, 48))
    corner = text(card, 19, 34, 28, ink), use(mark, 10, 40, 18, 18)
    return svg(
        100,
        140,
        face,
        ("g", {}, *corner),
        ("g", {"transform": "rotate(180 50 70)"}, *corner),
        use(mark, 24, 44, 52, 52),
    )


_COLUMNS, _ROWS = 8, 3
_CELL, _CELL_HEIGHT = 44, 38


def shot(outcome: Mapping[str, Any], *, large: bool) -> Shape:
    """The goal, and where the ball went: sectors 1 to 8 are the upper row, 9 to 16 the middle, 17 to 24 the lower one."""
    inside = [use("goal", 0, 0, 440, 170)]
    if "sector" in outcome:
        x, y = _corner(outcome["sector"])
        fill = "#ffc107" if is_yellow(outcome["sector"]) else "#2563c9"
        inside.append(("rect", {"x": x, "y": y, "width": _CELL, "height": _CELL_HEIGHT, "fill": fill,
                                "stroke": BLACK, "stroke-width": 3}))  # fmt: skip
    if large:
        inside.extend(_sector_number(number) for number in range(1, _COLUMNS * _ROWS + 1))
    if "sector" in outcome:
        inside.append(use("ball", x + 15, y + 10, 26, 26) if large else use("ball", x + 4, y + 1, 36, 36))
    elif outcome["result"] == "bar":
        inside += [use("impact", 190, 0, 60, 60), use("ball", 202, 12, 36, 36)]
    else:
        inside += [use("cross", 180, 41, 80, 80), use("ball", 402, 118, 36, 36)]
    return svg(440, 170, *inside)


def _corner(sector: int) -> tuple[int, int]:
    return 44 + (sector - 1) % _COLUMNS * _CELL, 24 + (sector - 1) // _COLUMNS * _CELL_HEIGHT


def _sector_number(sector: int) -> Shape:
    x, y = _corner(sector)
    return text(str(sector), x + 4, y + 13, 12, BLACK, "start")


def dice_in_a_row(dice: Sequence[int]) -> Shape:
    """Dice, as they were thrown."""
    width = len(dice) * 120 - 20
    return svg(width, 100, *(use(f"die-{die}", place * 120, 0, 100, 100) for place, die in enumerate(dice)))


def lone_ball(number: int, *, large: bool) -> Shape:
    """One ball, which in a large drawing comes from the drum."""
    size = 38 if number < _THREE_DIGITS else 30
    if not large:
        return svg(100, 100, use("keno-ball", 0, 0, 100, 100), text(str(number), 50, 63, size, BLACK))
    ball = text(str(number), 360, 243, size * 3 // 2, BLACK)
    return svg(440, 310, use("keno-drum", 0, 0, 300, 300), use("keno-ball", 285, 150, 150, 150), ball)
