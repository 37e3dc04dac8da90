"""Draws the cases of `pictures.json`: `verifier/browser/pictures/drawn.js` does the same in browsers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from api.pages.pictures.data import PICTURES, Case, Form
from api.pages.pictures.formulas import Names, calculated
from api.pages.pictures.shapes import Shape, box, fit, text, use

_BRACES = re.compile(r"\{(?:(\w+) (?=[a-z]))?([^}]+)\}")

_PLACE = ("x", "y", "width", "size")
"""Where a thing is drawn."""


def case_of(cases: Sequence[Case], text: str) -> tuple[Case, Names] | None:
    """Find the case of a text, and name the text ``t0``, and what is in the pattern's parentheses ``t1``, ``t2`` …"""
    for case in cases:
        found = re.fullmatch(case.when or r"[\s\S]*", text)
        if found is not None:
            return case, {f"t{number}": words for number, words in enumerate((text, *found.groups()))}
    return None


def shapes_of(case: Case, names: Names) -> list[Shape | str]:
    """Draw a case."""
    known = dict(names)
    for name, value in case.let.items():
        has_words = isinstance(value, str) and "{" in value
        known[name] = filled(str(value), known) if has_words else calculated(value, known)
    return _drawn(case.shapes, known)


def _drawn(forms: Sequence[Form | str], names: Names) -> list[Shape | str]:
    return [shape for form in forms for shape in _shapes(form, names)]


def _shapes(form: Form | str, names: Names) -> Iterator[Shape | str]:
    match form:
        case str(words):
            yield filled(words, names)
        case ["like", part]:
            yield from _drawn(PICTURES.parts[part], names)
        case ["small" | "large" as size, *inside]:
            yield from _drawn(inside if names["large"] == (size == "large") else (), names)
        case ["each", name, last, each]:
            for number in range(1, last + 1):
                yield from _shapes(each, {**names, name: number})
        case list():
            yield _shape(form, names)


def _shape(form: Form, names: Names) -> Shape:
    match form:
        case ["use", symbol, *place]:
            return use(filled(symbol, names), *_numbers(place or _PLACE, names))
        case ["text", str(words), fill, *place]:
            return text(filled(words, names), _color(fill, names), *_numbers(place, names))
        case ["fit", words, fill, *place]:
            return fit(filled(words, names), _color(fill, names), *_numbers(place or _PLACE, names))
        case ["box", fill, round_by, *place]:
            return box(_color(fill, names), calculated(round_by, names), *_numbers(place or _PLACE, names))
    tag, attributes, *inside = form
    return tag, _attributes(attributes, names), *_drawn(inside, names)


def _numbers(formulas: Iterable[int | str], names: Names) -> Iterator[int]:
    return (calculated(formula, names) for formula in formulas)


def _attributes(attributes: Mapping[str, int | str], names: Names) -> dict[str, int | str]:
    return {name: _color(value, names) if isinstance(value, str) else value for name, value in attributes.items()}


def _color(name: str, names: Names) -> str:
    words = filled(name, names)
    return PICTURES.colors.get(words, words)


def filled(template: str, names: Names) -> str:
    """Fill in the braces: ``{suit t2}`` looks words up in a table, and anything else is words by their name, or a
    formula.
    """

    def words_in(found: re.Match[str]) -> str:
        table, inside = found.groups()
        known = names.get(inside)
        words = known if isinstance(known, str) else str(calculated(inside, names))
        if table is None:
            return words
        entries = PICTURES.tables[table]
        return entries.get(words, entries.get("", words))

    # Most templates are plain words, and a search for braces costs more than what draws them.
    return _BRACES.sub(words_in, template) if "{" in template else template
