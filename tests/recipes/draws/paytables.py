"""Paytables: each limit at it and one beyond, what breaks a rule, what is newer; and what every option of the
catalogue's games pays.

The settlements were written before what a bet pays had a file of its own (``tests/vectors/settlements.json``).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from games.declared.catalogue import listed
from games.declared.declaration import Declaration
from tests.bets import PAYTABLES
from tests.recipes import Case, Format, Json, invalid, valid
from tests.support.hostile_paytables import (
    AT_THE_LIMIT,
    DICE,
    NEWER,
    REFUSED,
    REFUSED_OF_OTHERS,
    WRONG_BESIDE_NEW,
    option,
    paytable,
)
from tests.support.settlements import FILE

UNKNOWN = '{"draw":[["dice","quarks",3]]}'
"""A declaration with a kind that nobody knows."""
_WON: Json = {"odds": "1:1", "pays": "2/1", "result": "wins"}
_LARGE = 100_000
"""Bytes of a file that has no room in the vectors: the size of the largest ones is asked of a table's record."""


def _make() -> list[Case]:
    return [*_limits(), *_refused(), *_edges(), *_settled()]


def _given(file: bytes, declaration: Declaration = DICE) -> Json:
    return {"declaration": declaration.text.decode(), "text": file.decode()}


def _limits() -> Iterator[Case]:
    for name, (good, bad) in AT_THE_LIMIT.items():
        yield valid(f"{name}, at the limit", _given(good))
        yield invalid(f"{name}, one beyond", _given(bad), f"the limit of {name} that is not kept")


def _refused() -> Iterator[Case]:
    for name, file in REFUSED.items():
        yield invalid(name, _given(file), f"a rule of docs/paytable-format.md that is not checked: {name}")
    for name, (file, declaration) in REFUSED_OF_OTHERS.items():
        yield invalid(
            name, _given(file, declaration), f"a rule of docs/paytable-format.md that is not checked: {name}"
        )
    given = _given(REFUSED["a place that is not drawn"]) | {"declaration": UNKNOWN}
    yield valid("a game that declares something newer", given, {"unknown": True})
    given = given | {"text": REFUSED["white space"].decode()}
    yield invalid("white space, of a game that declares something newer", given, "a spelling that is not judged")
    for name, file in WRONG_BESIDE_NEW.items():
        if len(file) < _LARGE:
            yield invalid(name, _given(file), "a new word that excuses what is wrong beside it")
    for name, (file, _) in NEWER.items():
        if len(file) < _LARGE:
            yield valid(f"newer: {name}", _given(file), {"unknown": True})


def _edges() -> Iterator[Case]:
    """What the catalogue's games do not come by."""
    things = option(
        figure=["word", [f"dice -{at}" for at in range(1, 9)]],
        pays=[[["321"], ["to", 100]], [["32121"], ["to", 200]]],
    )
    given = _given(paytable(things)) | {"bets": [_asked("sum", {"dice": [1, 2, 3]}, None)], "rules": {"version": 1}}
    yield valid("things before the first one, counted from the end", given, {"settled": [_WON]})
    declared = Declaration.parse(b'{"draw":[["n","number",1,6]],"rules":{"value":[2,5]}}')
    left = option(figure=["value", "n"], pays=[[[4], ["returns", 9600, "left", 1, 2, "value"]]])
    given = _given(paytable(left), declared) | {
        "bets": [_asked("sum", {"n": 4}, None)],
        "rules": {"value": 3, "version": 1},
    }
    yield valid("a parameter that is called value", given, {"settled": [_WON | {"odds": "x 1.92", "pays": "48/25"}]})


def _settled() -> Iterator[Case]:
    files = {game: file for game, _, file in json.loads(PAYTABLES.read_text("utf-8"))}
    for at, each in enumerate(json.loads(FILE.read_text("utf-8"))):
        game, outcomes = each["game"], each["outcomes"]
        given = {"declaration": listed(game).declaration.text.decode(), "text": files[game], "rules": each["rules"]}
        bets = [_asked(text, outcomes[outcome], before) for _, text, outcome, before, *_ in each["settled"]]
        yield valid(f"bets on {game}, {at}", given | {"bets": bets}, {"settled": list(map(_found, each["settled"]))})


def _asked(text: str, outcome: Json, before: Json | None) -> Json:
    return {"bet": text, "outcome": outcome} | ({} if before is None else {"before": [before]})


def _found(row: list[Any]) -> Json:
    *_, result, odds, paid = row
    return (
        {"result": result} | ({} if odds is None else {"odds": odds}) | {"next" if result == "open" else "pays": paid}
    )


FORMATS = [Format("paytable", "settle", "5.10", _make)]
