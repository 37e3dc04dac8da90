"""`pictures.json`, which holds what the drawings are made of; browsers have the same
(`verifier/browser/pictures/data.js`).

A *drawing* is one of several cases, by the text that it shows: the first whose pattern matches all of it. A case
names numbers and words (``let``), and lists its shapes: ``["use", symbol, x, y, width, height]`` and others
(`drawn`). Numbers are formulas (`formulas`), and words have names in braces: ``die-{t0}`` is ``die-6`` if the text is
``6``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeAlias

import msgspec

Form: TypeAlias = list[Any]
"""A shape before it is drawn: its kind, then formulas, words, attributes, and the forms inside."""


class Case(msgspec.Struct, frozen=True):
    """How texts of one pattern are drawn; without a pattern, any text."""

    shapes: list[Form]
    when: str | None = None
    let: dict[str, int | str] = {}
    """Names in order: each is a formula, or words if it has braces."""
    says: str = "{t0}"
    """The text as a person would write it."""


class Drawing(msgspec.Struct, frozen=True):
    """How something is drawn: formulas of its width and height, and its cases."""

    width: int | str
    cases: list[Case]
    height: int | str = "size"


class LookRules(msgspec.Struct, frozen=True):
    """The looks of things: of named games, deals and ends by place, of the other kinds by what they draw."""

    games: dict[str, dict[str, str]]
    deals: dict[str, dict[str, str]]
    ends: list[tuple[str, dict[str, str]]]
    """A pattern that the JSON of each end matches, with its members sorted."""
    kinds: dict[str, str]
    packs: dict[str, str]
    ranges: dict[str, str]


class Rows(msgspec.Struct, frozen=True, rename="camel"):
    """The sizes of rows, in the units of drawings, and how many rows and things they may have."""

    width: int
    highest: int
    sizes: list[int]
    """Of the things of a large drawing, the largest first."""
    least_of_line: int
    """From this size on, one line of things is better than several lines of larger ones."""
    label: int
    letters: int
    small: int
    widest_small: int
    rows_of_small: int
    in_a_row: int


class Shown(msgspec.Struct, frozen=True):
    """Where the narrowest phone shows drawings: widths and heights, and how high letters are that can be read there,
    in CSS pixels.
    """

    small: tuple[int, int]
    large: tuple[int, int]
    letters: int


class Pictures(msgspec.Struct, frozen=True):
    """The whole file."""

    looks: LookRules
    shown: Shown
    rows: Rows
    colors: dict[str, str]
    tables: dict[str, dict[str, str]]
    """Words by words: ``{suit t2}`` in a text looks one up. An empty key holds for all that are missing."""
    parts: dict[str, list[Form]]
    """Shapes that several cases have."""
    things: dict[str, Drawing]
    """By look, one thing of many: at ``x``, ``y``, as high as ``size``."""
    wholes: dict[str, Drawing]
    """By look, an outcome that is one thing; ``large`` is 1 if it is the large drawing, else 0."""
    words: frozenset[str]
    """What the catalogue calls its places and its things: they are translated. An operator's own words stay as they
    are.
    """


FILE = Path(__file__).with_name("pictures.json")
PICTURES = msgspec.json.decode(FILE.read_bytes(), type=Pictures)
