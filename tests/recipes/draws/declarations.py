"""Declarations: each limit at it and one beyond, what breaks a rule, what is newer; and the outcomes of declared
games.

The outcomes of the catalogue's games were computed by an implementation that shares no code with this one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from games.declared.catalogue import catalogue
from tests.house import HOUSE
from tests.recipes import Case, Format, Json, invalid, spelled, valid
from tests.support.declarations import spelled as spelled_again
from tests.support.hostile_declarations import AT_THE_LIMIT, NEWER, REFUSED, WRONG_BESIDE_NEW, nested

_CATALOGUE: Json = json.loads((HOUSE / "tests" / "vectors" / "catalogue.json").read_text("utf-8"))
_EXAMPLE = '{"declaration":'
"""How the lines of SPEC 3.6 begin that have a declaration, rules, and what they draw in the round of section 1."""
_FLIGHT = {"cap": 1_000_000, "rtp": 9700}
_ROUND: Json = {
    "batch_id": "48045e061fccf234f7bbc8ed83cf5359b92aa8ac77ec7a24651ce70ea625b477",
    "round": _CATALOGUE["round"],
    "salt": "00" * 32,
    "seeds": [_CATALOGUE["seed"]],
}
"""The round of SPEC 1."""


def _declarations() -> list[Case]:
    return [*_limits(), *_refused(), *_newer()]


def _limits() -> Iterator[Case]:
    for name, (good, bad) in AT_THE_LIMIT.items():
        yield valid(f"{name}, at its limit", spelled(good))
        yield invalid(f"{name}, one beyond", spelled(bad), f"the limit of {name} that is not kept")
    yield invalid("9 deep", spelled(nested(9)), "a depth without limit")


def _refused() -> Iterator[Case]:
    for name, text in REFUSED.items():
        yield invalid(name, spelled(text), f"a rule of SPEC 3.6 or 3.7 that is not checked: {name}")
    for name, text in WRONG_BESIDE_NEW.items():
        yield invalid(name, spelled(text), "a new word that excuses what is wrong beside it")


def _newer() -> Iterator[Case]:
    for name, (text, _) in NEWER.items():
        yield valid(name, spelled(text), {"unknown": True})
    yield valid("8 deep", spelled(nested(8)), {"unknown": True})


def declared_outcomes() -> Iterator[Case]:
    """What declared games draw, and rules that they refuse."""
    for listed in catalogue():
        if (told := _CATALOGUE["outcomes"].get(listed.game)) is not None:
            fallback = _FLIGHT if listed.declaration.parameters.plain.keys() == _FLIGHT.keys() else {}
            rules = _CATALOGUE["rules"].get(listed.game, fallback) | {"version": 1}
            given = _given(listed.declaration.text.decode(), rules)
            yield valid(f"declared, {listed.game}", given, {"outcome": json.loads(told)})
    lines = (HOUSE / "SPEC.md").read_text("utf-8").splitlines()
    for number, line in enumerate(filter(_is_example, lines), start=1):
        told = json.loads(line)
        given = _given(spelled_again(told["declaration"]).decode(), told["rules"])
        yield valid(f"declared, example {number} of the specification", given, {"outcome": told["outcome"]})
    yield from _ruled()


def _is_example(line: str) -> bool:
    return line.startswith(_EXAMPLE)


def _given(declaration: str, rules: Json) -> Json:
    return {"declaration": declaration, "rules": rules} | _ROUND


def _ruled() -> Iterator[Case]:
    declaration = '{"draw":[["balls","take","count"]],"drum":[1,"of"],"rules":{"count":[1,80],"of":[2,1000]}}'
    honest: Json = {"count": 6, "of": 49, "version": 1}
    for name, rules, catches in (
        ("a parameter below its range", honest | {"count": 0}, "a range without its least"),
        ("a parameter above its range", honest | {"of": 1001}, "a range without its most"),
        ("more balls than the drum has", honest | {"count": 7, "of": 6}, "a drum that runs out"),
        ("a parameter that is not declared", honest | {"seats": 3}, "a parameter that is not looked at"),
        ("a parameter too few", {"count": 6, "version": 1}, "a default for what is missing"),
        ("declared rules of version 0", honest | {"version": 0}, "rules of any version"),
        ("declared rules of version 2", honest | {"version": 2}, "version 1's rules for any version"),
        ("declared rules without a version", {"count": 6, "of": 49}, "a default for what is missing"),
    ):
        yield invalid(name, _given(declaration, rules), catches)


FORMATS = [Format("declaration", "parse", "3.6 to 3.8", _declarations)]
