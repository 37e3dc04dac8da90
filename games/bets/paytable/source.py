"""``games/bets.json`` as paytables: what a bet pays, without what people read (docs/paytable-format.md)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from games.bets.paytable.spelling import PAYTABLE
from games.bets.pricing import RETURN
from games.bets.values import Given

_BESIDE = re.compile(r"([0-9.]+):1", re.ASCII)
_LETTERS = re.compile(r"\$([A-Z])(?:/([0-9]+))?", re.ASCII)
_SIDES = {1: "above", -1: "below"}
_OPEN = "open"


def lines_of(data: Mapping[str, Given], game: str) -> list[Mapping[str, Given]]:
    """Return the options of a game: its own lines, and named groups that several games have."""
    found: list[Mapping[str, Given]] = []
    for each in data["games"][game]["options"]:
        found += data["groups"][each] if isinstance(each, str) else [each]
    return found


def paytable_of(data: Mapping[str, Given], game: str) -> bytes:
    """Return the file of a game of the catalogue."""
    options = [_option(line) for line in lines_of(data, game)]
    named = _words(options)
    tables = {name: _table(table) for name, table in data["tables"].items() if name in named}
    return PAYTABLE.spelled({"options": options, **({"tables": tables} if tables else {})})


def _words(value: Given) -> set[str]:
    """Return all strings in it."""
    if isinstance(value, dict | list):
        return {word for each in (value.values() if isinstance(value, dict) else value) for word in _words(each)}
    return {value} if isinstance(value, str) else set()


def _table(table: Mapping[str, Mapping[str, Given]]) -> Given:
    return {key: dict(values) for key, values in table.items()}


def _option(line: Mapping[str, Given]) -> dict[str, Given]:
    found: dict[str, Given] = {"form": line["form"], "figure": _figure(line["figure"])}
    if "choices" in line:
        found["choices"] = {letter: _choice(given) for letter, given in line["choices"].items()}
    if "given" in line:
        known, values = line["given"]
        found["given"] = [_figure(known), _values(values)]
    if "lasts" in line:
        found["lasts"] = {**line["lasts"], "loses": _values(line["lasts"]["loses"])}
    if "after" in line:
        after = line["after"]
        by = {card: [_values(each[0]), _odds(each[1], line)] for card, each in after["by"].items() if each}
        found["after"] = {"place": after["place"], "skip": after["skip"], "by": by}
    else:
        pays = [[line["on"], line["odds"]]] if "on" in line else line["pays"]
        found["pays"] = [[_values(values), _odds(odds, line)] for values, odds in pays]
    return found


def _choice(given: Given) -> Given:
    is_words = isinstance(given, dict) and not {"choose", "hundredths"} & given.keys()
    return {"words": given} if is_words else given


def _figure(given: Given) -> Given:
    if isinstance(given, dict):
        return {"in": _values(given["in"])}
    if not isinstance(given, list):
        return "" if given is None else given
    if given[0] == "beyond":
        return [*given[:-1], _SIDES[given[-1]]]
    return [_figure(each) for each in given]


def _values(given: Sequence[Given]) -> list[Given]:
    found: list[Given] = []
    for each in given:
        if isinstance(each, dict):
            found.append({key: _bound(end) for key, end in each.items()})
        elif isinstance(each, int) and each < 0:
            found.append({"from": str(each), "to": str(each)})
        else:
            found.append(each)
    return found


def _bound(given: Given) -> Given:
    return str(given) if isinstance(given, int) and given < 0 else given


def _odds(given: Given, line: Mapping[str, Given]) -> Given:
    if isinstance(given, dict) and "left" in given:
        return ["returns", RETURN, "left", *given["left"]]
    if isinstance(given, dict):
        return {word: _odds(each, line) for word, each in given.items()}
    if given == _OPEN:
        return _open(line)
    return [*_printed(given), *(["value"] if "times" in line else [])]


def _open(line: Mapping[str, Given]) -> Given:
    """Return stored odds, or the chance that they follow from."""
    value = ["value"] if "times" in line else []
    if "among" in line:
        return ["returns", RETURN, "numbers", *line["among"]]
    priced = line.get("priced")
    if priced is None:
        return ["returns", RETURN, "points" if "points" in str(line["figure"]) else "race"]
    if not isinstance(priced, dict):
        return ["times", priced, *value]
    return {word: ["times", each, *value] for word, each in priced.items() if each}


def _printed(text: str) -> list[Given]:
    """Read ``35:1``, ``x 3``, ``x 36/4``, ``x $X/2+$Y/2``."""
    beside = _BESIDE.fullmatch(text)
    if beside:
        return ["to", _hundredths(beside[1])]
    amount = text.removeprefix("x ")
    letters = _LETTERS.findall(amount)
    if letters:
        return ["times", {letter: int(by or 1) for letter, by in letters}]
    number, _, by = amount.partition("/")
    return ["times", [int(number), int(by)]] if by else ["times", _hundredths(number)]


def _hundredths(text: str) -> int:
    whole, _, decimals = text.partition(".")
    return int(whole) * 100 + int(decimals.ljust(2, "0"))
