"""Outcomes that pictures are drawn of: of the games that are known by name, of the catalogue's, and of an operator's
own.
"""

from __future__ import annotations

import json
from itertools import product
from typing import Any

from fairness.draws.stream import Stream
from games.declared.catalogue import catalogue
from games.declared.declaration import Declaration
from games.facts.hi_lo import DECK
from games.facts.penalty import ENDS
from tests.house import HOUSE

EDGES = [100, 101, 123, 125, 150, 175, 199, 200, 201, 317, 2123, 9_999, 10_000, 123_456, 999_999_999, 1_000_000_000]
FLIGHTS = [{"multiplier": f"{hundredths // 100}.{hundredths % 100:02}"} for hundredths in [*range(100, 400), *EDGES]]
OUTCOMES: dict[str, list[dict[str, Any]]] = {
    "crash": FLIGHTS,
    "rocketon": FLIGHTS,
    "hi-lo": [dict(card) for card in DECK],
    "sic-bo": [{"dice": list(dice)} for dice in product(range(1, 7), repeat=3)],
    "penalty": [*map(dict, ENDS)],
    "keno-express": [{"number": n} for n in range(1, 101)],
}
Declared = dict[str, Any] | None
Asked = tuple[str, Declared, dict[str, Any]]
"""A game, its declaration if its tables have one, and an outcome."""
OLD: list[Asked] = [(game, None, outcome) for game, outcomes in OUTCOMES.items() for outcome in outcomes]
SHARED = json.loads((HOUSE / "tests" / "vectors" / "catalogue.json").read_text("utf-8"))["outcomes"]
DECLARED = {each.game: json.loads(each.declaration.text) for each in catalogue()}
ROUNDS = 6


def drawn_outcomes(game: str) -> list[dict[str, Any]]:
    """Outcomes of a game of the catalogue, under the narrowest and the widest rules."""
    declaration = Declaration.of(DECLARED[game])
    rules = [rules_at(DECLARED[game].get("rules", {}), bound) for bound in (0, 1)]
    for each in rules:
        declaration.check_rules(each)
    streams = (Stream([bytes(32)], bytes(32), number) for number in range(ROUNDS))
    return [dict(declaration.outcome(stream, each)) for stream, each in product(streams, rules)]


def rules_at(ranges: dict[str, list[int]], bound: int) -> dict[str, int]:
    """Rules with each parameter at the lower or at the upper end of its range."""
    rules = {"version": 1} | {name: ends[bound] for name, ends in ranges.items() if "*" not in name}
    for name, ends in ranges.items():
        prefix, star, size = name.partition("*")
        rules |= {f"{prefix}{number}": ends[bound] for number in range(1, rules[size] + 1)} if star else {}
    return rules


CATALOGUE: list[Asked] = [
    *((game, DECLARED[game], json.loads(outcome)) for game, outcome in SHARED.items()),
    *((game, DECLARED[game], outcome) for game in SHARED for outcome in drawn_outcomes(game)),
]
OWN: list[Asked] = [
    (
        "own",
        {"draw": [["5", "one", ["left", "right"]], ["next-one", "numbers", 4, 0, 99999]]},
        {"5": "left", "next-one": [7, 99999, 3, 0]},
    ),
    ("own", {"draw": [["dice", "numbers", 7, 1, 6]]}, {"dice": [1, 2, 3, 4, 5, 6, 6]}),
    ("own", {"draw": [["hand", "take", 3]], "shoe": [1, ["cat", "dog", "Xx"]]}, {"hand": "dog Xx cat"}),
    ("own", {"draw": [["*", "ends", [{"a": "win"}, {"a": "lose", "b": 3}]]]}, {"a": "lose", "b": 3}),
    ("own", {"draw": [["*", "ends", [{"multiplier": 2}, {"bonus": "x"}]]]}, {"bonus": "x"}),
    ("own", {"draw": [["*", "ends", [{"result": "in", "sector": "left"}]]]}, {"result": "in", "sector": "left"}),
    (
        "own",
        {"draw": [["*", "ends", [{"result": "win", "sector": 1}, {"result": "lose"}]]]},
        {"result": "win", "sector": 1},
    ),
    ("own", {"draw": [["*", "ends", [{"result": "saved"}]]]}, {"result": "saved"}),
    ("own", {"draw": [["*", "ends", [{"card": "A", "color": "red"}, {"color": "red"}]]]}, {"color": "red"}),
    ("own", {"draw": [["*", "ends", [{"card": "5", "color": "blue"}]]]}, {"card": "5", "color": "blue"}),
    ("own", {"draw": [["*", "ends", [{"card": 2, "color": 7}]]]}, {"card": 2, "color": 7}),
    ("own", {"draw": [["multiplier", "flight"], ["z", "number", 0, 9]]}, {"multiplier": "5.00", "z": 3}),
    ("own", {"draw": [["multiplier", "one", [2, 3]], ["prize", "one", ["a"]]]}, {"multiplier": 2, "prize": "a"}),
    ("own", {"draw": [["height", "flight"]]}, {"height": "5.00"}),
    (
        "own",
        {"draw": [["b", "number", 0, 9], ["10", "number", 0, 9], ["9", "take", 1]], "drum": [0, 9]},
        {"10": 1, "9": [2], "b": 3},
    ),
    ("own", {"draw": [["*", "ends", [{"10": "x", "9": 1, "a": 0}]]]}, {"10": "x", "9": 1, "a": 0}),
    ("own", {"draw": [["new", "of-tomorrow"]]}, {"10": "x", "9": 1, "a": 0}),
    (
        "own",
        {"draw": [["*", "ends", [{"sector": 3}, {"result": "bar"}]], ["z", "number", 0, 9]]},
        {"sector": 3, "z": 4},
    ),
    ("own", {"draw": [["*", "ends", [{"sector": 3}]], ["result", "one", ["won"]]]}, {"result": "won", "sector": 3}),
    ("own", {"draw": [["constructor", "number", 0, 9]]}, {"constructor": 4}),
    ("own", {"draw": [["a", "number", 0, 9]]}, {"a": 1, "constructor": 4}),
    ("own", {"draw": [["new", "of-tomorrow"]]}, {"new": "x" * 64}),
    (
        "own",
        {"draw": [["hand", "take", 24]], "shoe": [8, ["$&", "{t0}", "$'"]]},
        {"hand": " ".join(["$& {t0} $'"] * 8)},
    ),
    ("own", {"draw": [["m", "flight"], ["o", "flight"]]}, {"m": "1.00", "o": "25.00"}),
    ("own", None, {"pocket": 17}),
]
ALL = [*OLD, *CATALOGUE, *OWN]


def english(message: str) -> str:
    """A message in the language in which it is written."""
    return message
