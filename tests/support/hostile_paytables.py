"""Paytables that break a rule, each limit at it and one beyond; ones that are newer; and the most that a hostile one
can cost.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from fairness.limits import LARGEST_PAYTABLE
from games.declared.catalogue import listed
from games.declared.declaration import Declaration

Json = Any
DICE = listed("sic-bo").declaration
"""Three dice."""
RACE = listed("racing").declaration
PACK = listed("jokerbet").declaration
RALLY = listed("table-tennis").declaration
FLIGHT = listed("rocketon").declaration
_ENCODER = msgspec.json.Encoder(order="deterministic")


def spelled(value: Json) -> bytes:
    """Its one spelling, however large or deep."""
    return _ENCODER.encode(value)


def option(**more: Json) -> dict[str, Json]:
    """A bet on the sum of the dice, with other keys; `None` leaves one out."""
    found = {"form": "sum", "figure": ["sum", "dice"], "pays": [[[4], ["to", 100]]]} | more
    return {key: value for key, value in found.items() if value is not None}


def paytable(*options: Json, **more: Json) -> bytes:
    """A file of these options, or of one."""
    return spelled({"options": list(options) or [option()]} | more)


def pays(odds: Json, values: Json = (4,), **more: Json) -> bytes:
    """A file with one prize."""
    return paytable(option(pays=[[list(values), odds]], **more))


def looks(*figure: Json, **more: Json) -> bytes:
    """A file with one figure."""
    return paytable(option(figure=list(figure)), **more)


def chosen(choice: Json, form: str = "sum N", **more: Json) -> bytes:
    """A file with one letter."""
    return paytable(option(form=form, choices={"N": choice}, **more))


def table(number: int) -> dict[str, Json]:
    """So many tables."""
    return {f"t{at}": {"thing": {"1": 1}} for at in range(number)}


def words(number: int) -> dict[str, Json]:
    """A choice of so many words."""
    return {"words": {f"{at}": at for at in range(number)}}


def padded(size: int) -> bytes:
    """A file of so many bytes: tables of long words."""
    entries = {f"{at:064}": "x" * 64 for at in range(480)}
    left = size - len(paytable(tables={"t": {"thing": entries}, "u": {"thing": {"": ""}}}))
    rest = {f"u{at:063}": "x" * 64 for at in range(left // 134)}
    found = paytable(tables={"t": {"thing": entries}, "u": {"thing": rest | {"v": ""}}})
    return paytable(
        tables={
            "t": {"thing": entries},
            "u": {"thing": rest | {"v" + "v" * ((size - len(found)) // 2): "x" * ((size - len(found) + 1) // 2)}},
        }
    )


def deep(figures: int) -> Json:
    """So many figures within one another, and one in the midst of them."""
    found: Json = ["sum", "dice"]
    for _ in range(figures):
        found = ["minus", found, ["sum", "dice"]]
    return found


def two_letters(first: int, second: int) -> bytes:
    """A file whose one selection has two letters, of so many words each."""
    choices = {"A": words(first), "B": words(second)}
    return paytable(option(form="A B", choices=choices, figure=["sum", "dice $A+$B"]))


AT_THE_LIMIT: Mapping[str, tuple[bytes, bytes]] = {
    "bytes": (padded(LARGEST_PAYTABLE), padded(LARGEST_PAYTABLE + 1)),
    "options": (paytable(*[option()] * 512), paytable(*[option()] * 513)),
    "an option": (paytable(option()), spelled({"options": []})),
    "tables": (paytable(tables=table(64)), paytable(tables=table(65))),
    "a table": (paytable(tables=table(1)), paytable(tables={})),
    "prizes": (paytable(option(pays=[[[4], ["to", 1]]] * 64)), paytable(option(pays=[[[4], ["to", 1]]] * 65))),
    "a prize": (paytable(option(pays=[[[4], ["to", 1]]])), paytable(option(pays=[]))),
    "values": (pays(["to", 1], [7] * 4096), pays(["to", 1], [7] * 4097)),
    "words": (chosen(words(4096)), chosen(words(4097))),
    "a form": (paytable(option(form="x" * 64)), paytable(option(form="x" * 65))),
    "some form": (paytable(option(form="x")), paytable(option(form=""))),
    "a word": (chosen({"words": {"x" * 64: 1}}), chosen({"words": {"x" * 65: 1}})),
    "a value": (pays(["to", 1], ["x" * 64]), pays(["to", 1], ["x" * 65])),
    "letters": (
        paytable(option(form="A B C D", choices={key: [1, 2] for key in "ABCD"})),
        paytable(option(form="A B C D E", choices={key: [1, 2] for key in "ABCDE"})),
    ),
    "figures": (looks(*deep(4)), looks(*deep(5))),
    "parts": (
        looks("holds", *[[["sum", "dice"], {"in": [1]}]] * 63),
        looks("holds", *[[["sum", "dice"], {"in": [1]}]] * 64),
    ),
    "selections": (looks("sum", ["dice"] * 64), looks("sum", ["dice"] * 65)),
    "a choice of many": (chosen({"choose": 64, "of": [1, 99]}), chosen({"choose": 65, "of": [1, 99]})),
    "a choice of some": (chosen({"choose": 1, "of": [1, 99]}), chosen({"choose": 0, "of": [1, 99]})),
    "a return": (pays(["returns", 10_000, "numbers", 1, 6]), pays(["returns", 10_001, "numbers", 1, 6])),
    "a return of some": (pays(["returns", 1, "numbers", 1, 6]), pays(["returns", 0, "numbers", 1, 6])),
    "numbers": (pays(["returns", 9600, "numbers", 1, 10_000]), pays(["returns", 9600, "numbers", 0, 10_000])),
    "a number": (pays(["returns", 9600, "numbers", 6, 6]), pays(["returns", 9600, "numbers", 7, 6])),
    "a fraction": (pays(["to", [1, 1]]), pays(["to", [1, 0]])),
    "texts": (two_letters(128, 128), two_letters(128, 129)),
    "the odds": (pays(["to", ((1 << 53) - 1) // 100]), pays(["to", ((1 << 53) - 1) // 100 + 1])),
    # A selection of 249 things, each of which is looked for in 401 values: 99,849, with the rest 99,852.
    "steps": (
        looks("tally", "dice 1-249", {"in": [1] * 400}),
        looks("tally", "dice 1-250", {"in": [1] * 400}),
    ),
    # As many things as a whole place has, 8 of the 16 bytes of the largest outcome, each looked for in 2,000 values,
    # six times.
    "steps up to a letter": (
        chosen([1, 3], figure=["holds", *[[["tally", "dice 1-$N", {"in": [1] * 2000}], {"in": [1]}]] * 6]),
        chosen([1, 3], figure=["holds", *[[["tally", "dice 1-$N", {"in": [1] * 2000}], {"in": [1]}]] * 7]),
    ),
}
"""What keeps a limit, and what is one beyond it: all of a game with three dice."""

REFUSED: Mapping[str, bytes] = {
    "nothing": b"",
    "no JSON": b"{",
    "no object": b"[]",
    "white space": b'{"options": []}',
    "a line feed": paytable() + b"\n",
    "keys that are not sorted": b'{"tables":{"t":{"thing":{"1":1}}},"options":[]}',
    "a key twice": paytable().replace(b'"form":"sum"', b'"form":"sum","form":"sum"'),
    "a fraction": pays(["to", 1.5]),
    "below zero": pays(["to", -1]),
    "null": pays(["to", 1], [None]),
    "true": pays(["to", True]),
    "another alphabet": paytable(option(form="\u0441um")),
    "an escape": paytable().replace(b'"sum"', b'"s\\u0075m"'),
    "a key more": paytable(more=1),
    "a version of today": paytable(version=1),
    "an option without a form": paytable(option(form=None)),
    "a key of an option more": paytable(option(wins="always")),
    "pays and after": paytable(option(after={"by": {"1": [[4], ["to", 1]]}, "place": "dice", "skip": []})),
    "choices of nothing": paytable(option(choices={})),
    "a letter that is not in the form": chosen([1, 6], "sum"),
    "a letter inside a word": chosen([1, 6], "sumN"),
    "a letter twice": chosen([1, 6], "N N"),
    "a small letter": paytable(option(form="sum n", choices={"n": [1, 6]})),
    "a letter that nobody chose": pays(["to", 1], ["$N"]),
    "a later letter as a bound": paytable(option(form="M N", choices={"M": [1, "$N"], "N": [1, 6]})),
    "a bound that is no number": paytable(option(form="M N", choices={"M": {"words": {"a": "x"}}, "N": ["$M", 6]})),
    "a bound of no parameter": chosen([1, "cap"]),
    "a bound that is 0 below zero": chosen(["-0", 6]),
    "a part that a meaning lacks": chosen({"words": {"a": {"at": 1}, "b": {"of": 1}}}, pays=[[["$N.at"], ["to", 1]]]),
    "a meaning of parts as a value": chosen({"words": {"a": {"at": 1}}}, pays=[[["$N"], ["to", 1]]]),
    "a part in capitals": chosen({"words": {"a": {"AT": 1}}}),
    "a list inside a text": chosen({"words": {"a": [1, 2]}}, pays=[[["x$N"], ["to", 1]]]),
    "a range without ends": pays(["to", 1], [{}]),
    "a range with a step": pays(["to", 1], [{"by": 2, "from": 1}]),
    "order 2": chosen({"choose": 2, "of": [1, 6], "order": 2}),
    "choose from one end": chosen({"choose": 2, "of": [1]}),
    "two kinds of choices": chosen({"choose": 2, "hundredths": [1, 2], "of": [1, 6]}),
    "a place that is not drawn": looks("sum", "cards"),
    "a selection of nothing": looks("sum", []),
    "a selection that is none": looks("sum", "dice 1,2"),
    "a reading without its table": looks("sum", "dice", "ace-high"),
    "a reading that is an array": looks("sum", "dice", ["rank"]),
    "a figure of no word": paytable(option(figure=[])),
    "a figure whose word is an array": looks([], "dice"),
    "an argument too few": looks("tally", "dice"),
    "an argument too many": looks("length", "dice", "rank"),
    "a rest of 0": looks("sum", "dice", "", 0),
    "a set that is a list": looks("tally", "dice", [1]),
    "done with a range": looks("done", "dice", {"in": [{"from": 1}]}),
    "above and below": looks("beyond", "dice", "rank", "beside"),
    "a duel for nothing": looks("duel", "dice", "dice", "rank", "stakes"),
    "three figures to subtract": looks("minus", *[["sum", "dice"]] * 3),
    "holds without a set": looks("holds", [["sum", "dice"]]),
    "a table by nothing": paytable(tables={"t": {"colour": {"1": 1}}}),
    "a table by two": paytable(tables={"t": {"rank": {"1": 1}, "thing": {"1": 1}}}),
    "a table with a dollar": paytable(tables={"$t": {"thing": {"1": 1}}}),
    "an empty table": paytable(tables={"t": {"thing": {}}}),
    "a table of arrays": paytable(tables={"t": {"thing": {"1": [1]}}}),
    "odds as text": pays("35:1"),
    "odds without a number": pays(["to"]),
    "odds with a fourth word": pays(["to", 1, "value", "value"]),
    "odds by a figure": pays(["to", 1, "figure"]),
    "odds of three numbers": pays(["to", [1, 2, 3]]),
    "odds of a letter that is no cash-out": chosen([1, 6], pays=[[[4], ["to", {"N": 1}]]]),
    "odds over 0": paytable(
        option(form="at X", choices={"X": {"hundredths": [101, 200]}}, pays=[[[4], ["times", {"X": 0}]]])
    ),
    "no odds by words": pays({}),
    "options by names": spelled({"options": {"sum": option()}}),
    "a form that is a number": paytable(option(form=5)),
    "choices without names": paytable(option(form="sum N", choices=[1])),
    "a dollar alone": pays(["to", 1], ["x$y"]),
    "a number below zero": looks("lit", "dice", "-1", "dice 1", "dice 2"),
    "a return in words": pays(["returns", "9600", "numbers", 1, 6]),
    "numbers from a word": pays(["returns", 9600, "numbers", "1", 6]),
    "numbers to a word": pays(["returns", 9600, "numbers", 1, "6"]),
    "a word of choices": chosen({"choose": "2", "of": [1, 6]}),
    "a chance of three words by words": pays({"1": ["returns", 9600, "race"]}),
    "odds over a word": paytable(
        option(form="at X", choices={"X": {"hundredths": [101, 200]}}, pays=[[[4], ["times", {"X": "2"}]]])
    ),
    "a chance beside a prize": paytable(option(pays=[[[4], ["returns", 9600, "numbers", 1, 6]], [[5], ["to", 1]]])),
    "a chance by words": pays({"1": ["returns", 9600, "numbers", 1, 6]}),
    "a race of dice": pays(["returns", 9600, "race"]),
    "a rally of dice": pays(["returns", 9600, "points"]),
    "given without values": paytable(option(given=[["sum", "dice"]])),
    "lasts without what loses": paytable(option(lasts={"as": "sum"})),
    "after nothing": paytable(option(pays=None, after={"by": {}, "place": "dice", "skip": []})),
    "after with chances": paytable(
        option(pays=None, after={"by": {"1": [[4], {"1": ["to", 1]}]}, "place": "dice", "skip": []})
    ),
}
"""What breaks a rule, of a game with three dice."""

REFUSED_OF_OTHERS: Mapping[str, tuple[bytes, Any]] = {
    "a race with an argument": (
        paytable(option(figure=["value", "order 1"], pays=[[[1], ["returns", 9600, "race", 1]]])),
        RACE,
    ),
    "a race of a sum": (paytable(option(figure=["sum", "order"], pays=[[[1], ["returns", 9600, "race"]]])), RACE),
    "a rally with an argument": (
        paytable(option(figure=["value", "letters points -1"], pays=[[["A"], ["returns", 9600, "points", 1]]])),
        RALLY,
    ),
    "a rally whose figure is costly": (
        paytable(option(figure=["ahead", ["letters points"] * 3], pays=[[[1], ["returns", 9600, "points"]]])),
        RALLY,
    ),
}
"""What breaks a rule, of other games."""

NEWER: Mapping[str, tuple[bytes, str]] = {
    "a figure": (looks("median", "dice"), "the figure median"),
    "odds": (pays(["half", 1]), "the odds half"),
    "a chance": (pays(["returns", 9600, "lotto"]), "the chance lotto"),
    "a choice": (chosen({"colour": ["red"]}), "the choice colour"),
    "two words": (looks("both", ["mean", "dice"], ["median", "dice"]), "the figure mean, the figure median"),
    "a version": (spelled({"bets": [], "version": 2}), "paytables of version 2"),
    "a large one of a later version": (
        spelled({"bets": ["x" * 1000] * 900, "version": 3}),
        "paytables of version 3",
    ),
}
"""What is newer than this program, with what it says."""
WRONG_BESIDE_NEW: Mapping[str, bytes] = {
    "a wrong option": paytable(option(figure=["median", "dice"]), option(pays=[])),
    "another spelling of a version": b'{"version":2, "bets":[]}',
    "too large for a version": spelled({"bets": ["x" * 1000] * 1100, "version": 2}),
    "too deep for a version": b'{"bets":' + b"[" * 16 + b"]" * 16 + b',"version":2}',
}


def _costly() -> dict[str, tuple[bytes, Any]]:
    """The worst that fits, and the declaration it is for."""
    race = {"choices": {"N": {"choose": 16, "of": [1, "runners"], "order": 1}}, "form": "all N"}
    all_of_them = {**race, "figure": ["inorder", "order 1-16", ["$N"]], "pays": [[[1], ["returns", 9600, "race"]]]}
    many = {"in": [1] * 4000}
    letters = {"words": {f"{at}-{at}": f"{at}" for at in range(1100)}}
    return {
        "an order of sixteen runners": (spelled({"options": [all_of_them]}), RACE),
        "large sets of whole packs": (paytable(*[option(figure=["tally", "cards", many])] * 8), PACK),
        "rallies again and again": (
            paytable(*[option(figure=["holds", *[[["ahead", ["letters points"] * 3], {"in": [1]}]] * 63])] * 13),
            RALLY,
        ),
        "one selection again and again": (
            paytable(*[option(figure=["holds", *[[["length", ["dice 1"] * 64], {"in": [1]}]] * 24])] * 4),
            DICE,
        ),
        "short selections again and again": (
            paytable(*[option(figure=["holds", *[[["length", ["a"] * 64], {"in": [1]}]] * 63])] * 3),
            Declaration.parse(b'{"draw":[["a","number",1,6]]}'),
        ),
        "as many options as fit": (paytable(*[option(form=f"{at}") for at in range(900)]), DICE),
        "as deep as fits": (b'{"options":' + b"[" * 32_762 + b"]" * 32_762 + b"}", DICE),
        "objects as deep as fit": (b'{"a":' * 10_000 + b"1" + b"}" * 10_000, DICE),
        "empty arrays": (b'{"options":[' + b",".join([b"[]"] * 21_000) + b"]}", DICE),
        "numbers": (b'{"options":[' + b",".join([b"1"] * 32_000) + b"]}", DICE),
        "words in two letters": (
            paytable(option(form="A B", choices={"A": letters, "B": letters}, figure=["sum", "dice $A"])),
            DICE,
        ),
        "texts with four letters": (
            paytable(
                *[
                    option(
                        form="A B C D",
                        choices={key: {"words": {f"{at}": at for at in range(1, 9)}} for key in "ABCD"},
                        pays=[[["$A$B$C$D"] * 60, ["to", 1]]],
                        figure=["sum", ["dice $A+$B+$C"] * 20],
                    )
                ]
                * 40
            ),
            DICE,
        ),
        "a letter with many words, named often": (
            paytable(
                option(
                    form="N",
                    choices={"N": {"words": {f"{at}": at for at in range(1900)}}},
                    pays=[[["$N"] * 3500, ["to", 1]]] * 2,
                )
            ),
            DICE,
        ),
        "a key twice, often": (b'{"options":[' + b'{"a":1,"a":1},' * 4600 + b"1]}", DICE),
        "a large number": (b'{"options":' + b"9" * 65_000 + b"}", DICE),
        "odds by many words": (pays({f"{at}": ["to", 1] for at in range(3800)}, ["to"]), DICE),
    }


COSTLY: Mapping[str, tuple[bytes, Any]] = _costly()
