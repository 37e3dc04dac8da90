"""Paytables at random: those of the catalogue with parts exchanged, and bets on them."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from tests.bets import PAYTABLES
from tests.support.hostile_paytables import spelled

Json = Any
_WORDS = (
    *(
        "value",
        "word",
        "sum",
        "tally",
        "length",
        "points",
        "duel",
        "distinct",
        "most",
        "done",
        "hand",
        "hundredths",
        "inorder",
    ),
    *("match", "beyond", "between", "path", "ahead", "lit", "chain", "minus", "both", "holds", "median"),
)
_TEXTS = (
    *(
        "$N",
        "$M",
        "$K",
        "$N+1",
        "$M/2",
        "$M/2-1",
        "-1",
        "-3",
        "",
        "rank",
        "suit",
        "above",
        "below",
        "A",
        "K",
        "x",
        "N",
        "M-N",
        "cap",
    ),
    *("runners", "#", "bust", "winner", "to", "times", "value", "returns", "numbers", "left", "race", "points", "AK"),
)
_NUMBERS = (0, 1, 2, 3, 5, 7, 9, 10, 11, 13, 21, 36, 100, 101, 9600, 10_000, 90_071_992_547_409, (1 << 53) - 1)
_WHOLE: tuple[Json, ...] = (
    {"in": [{"from": "-3", "to": 9}]},
    {"in": ["A", 1, "red"]},
    {"from": 2},
    {"to": "-1"},
    ["to", 350],
    ["times", [8, 3]],
    ["times", 101, "value"],
    ["returns", 9600, "numbers", 1, 36],
    ["returns", 9000, "left", 1, 2, 9],
    ["sum", "dice"],
    {"words": {"a": 1, "b": [1, 2], "c": {"at": 3}}},
    {"choose": 2, "of": [1, 9]},
    {"hundredths": [101, 900]},
    [1, 9],
)


@cache
def _of_catalogue() -> dict[str, Json]:
    return {game: json.loads(file) for game, _, file in json.loads(PAYTABLES.read_text("utf-8"))}


def _places(value: Json, path: tuple[Json, ...] = ()) -> Iterator[tuple[Json, ...]]:
    """The way to each part."""
    if path:
        yield path
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from _places(value[key], (*path, key))


def fuzzed(draw: random.Random, game: str) -> bytes:
    """A file of a few options, perhaps with one from another game, of which one to three parts are exchanged, left
    out or named otherwise.
    """
    whole = _of_catalogue()[game]
    found: Json = {"options": draw.sample(whole["options"], min(3, len(whole["options"])))}
    if draw.random() < 0.3:
        found["options"].append(draw.choice(_of_catalogue()[draw.choice(list(_of_catalogue()))]["options"]))
    if "tables" in whole:
        found["tables"] = whole["tables"]
    found = json.loads(json.dumps(found))
    for _ in range(draw.choice((1, 1, 2, 3))):
        if not (places := list(_places(found))):
            break
        *way, last = draw.choice(places)
        at = found
        for key in way:
            at = at[key]
        _change(draw, found, at, last)
    return spelled(found)


def _change(draw: random.Random, whole: Json, at: Json, key: Json) -> None:
    chance = draw.random()
    if chance < 0.1:
        del at[key]
    elif chance < 0.2 and isinstance(at, dict):
        at[draw.choice(_TEXTS)] = at.pop(key)
    elif chance < 0.3 and isinstance(at, list):
        at.insert(key, draw.choice((*_WHOLE, *_TEXTS, *_NUMBERS)))
    elif chance < 0.4:
        other = whole
        for step in draw.choice(list(_places(whole))):
            other = other[step]
        at[key] = json.loads(json.dumps(other))
    elif isinstance(at[key], str):
        at[key] = draw.choice((*_TEXTS, *_WORDS))
    elif isinstance(at[key], int):
        at[key] = draw.choice(_NUMBERS)
    else:
        at[key] = json.loads(json.dumps(draw.choice(_WHOLE)))


def texts_of(file: bytes, draw: random.Random) -> list[str]:
    """Some texts for each option, with words in the places of its letters; not all of them are bets."""
    options = json.loads(file)["options"]
    return [_text_of(option["form"], option.get("choices", {}), draw) for option in options for _ in range(4)]


def _text_of(form: str, choices: Json, draw: random.Random) -> str:
    def word(match: re.Match[str]) -> str:
        choice = choices.get(match[0])
        if choice is None:
            return match[0]
        if "words" in choice:
            return str(draw.choice(list(choice["words"])))
        if "hundredths" in choice:
            return draw.choice(("1.01", "1.50", "2.00", "9.00", "75.25"))
        numbers = sorted(draw.sample(range(1, 80), 1 if isinstance(choice, list) else choice.get("choose", 1)))
        return " ".join(map(str, numbers)) if draw.random() < 0.5 else " ".join(map(str, range(1, len(numbers) + 1)))

    return re.sub(r"\b[A-Z]\b", word, form)
