"""Declarations that break a rule, each limit at it and one beyond; and ones that are newer than this program."""

from __future__ import annotations

from tests.support.declarations import Json, spelled

PAIR = [["a", 1], ["b", 1]]


def declared(*steps: Json, **more: Json) -> bytes:
    """A declaration's bytes."""
    return spelled({"draw": list(steps)} | more)


def shoe(packs: int, pack: Json, *steps: Json) -> bytes:
    """A declaration with a shoe."""
    return declared(*steps or (["p", "take", 1],), shoe=[packs, pack])


def padded(size: int) -> bytes:
    """A declaration of so many bytes: one of many labels."""
    many, last = divmod(size - len(declared(["p", "one", ["x"]])), len('"",') + 32)
    return declared(["p", "one", ["x" * 32] * (many - 1) + ["x" * 29, "x" * last, "x"]])


def nested(depth: int) -> bytes:
    """An unknown step whose arguments are so deep, as part of the whole."""
    return b'{"draw":[["p","new",%s0%s]]}' % (b"[" * (depth - 3), b"]" * (depth - 3))


def seats(low: Json, high: Json, *steps: Json, **more: Json) -> bytes:
    """A declaration with a parameter ``n``."""
    return declared(*steps or (["p", "number", 1, 6],), rules={"n": [low, high]}, **more)


def runners(least: Json, most: Json, weight: Json, *steps: Json) -> bytes:
    """A declaration with weights."""
    return declared(*steps or (["p", "race"],), rules={"n": [least, most], "w*n": weight})


AT_THE_LIMIT = {
    "bytes": (padded(16_384), padded(16_385)),
    "steps": (
        declared(*([f"p{n}", "number", 0, 1] for n in range(64))),
        declared(*([f"p{n}", "number", 0, 1] for n in range(65))),
    ),
    "one step": (declared(["p", "number", 0, 0]), declared()),
    "drum": (declared(["p", "take", 1], drum=[1, 4096]), declared(["p", "take", 1], drum=[0, 4096])),
    "shoe": (shoe(78, "french"), shoe(79, "french")),
    "packs": (shoe(1, "french"), shoe(0, "french")),
    "own pack": (shoe(4096, ["x"]), shoe(4097, ["x"])),
    "packs by rules": (
        seats(1, 78, ["p", "take", 1], shoe=["n", "french"]),
        seats(1, 79, ["p", "take", 1], shoe=["n", "french"]),
    ),
    "no pack by rules": (
        seats(1, 2, ["p", "take", 1], shoe=["n", "french"]),
        seats(0, 2, ["p", "take", 1], shoe=["n", "french"]),
    ),
    "pick": (declared(["p", "pick", 1, 1, 4096]), declared(["p", "pick", 1, 0, 4096])),
    "enough to pick": (declared(["p", "pick", 6, 1, 6]), declared(["p", "pick", 7, 1, 6])),
    "enough to take": (shoe(1, "bones", ["p", "take", 28]), shoe(1, "bones", ["p", "take", 28], ["q", "take", 1])),
    "enough for a range": (shoe(1, "bones", ["p", "take", [1, 28]]), shoe(1, "bones", ["p", "take", [1, 29]])),
    "enough in the best case": (
        seats(28, 90, ["p", "take", "n"], shoe=[1, "bones"]),
        seats(29, 90, ["p", "take", "n"], shoe=[1, "bones"]),
    ),
    "draws": (declared(["p", "numbers", 1024, 0, 1]), declared(["p", "numbers", 1025, 0, 1])),
    "draws and that of a count": (
        declared(["p", "numbers", [0, 1023], 0, 1]),
        declared(["p", "numbers", [0, 1024], 0, 1]),
    ),
    "draws by rules": (seats(0, 1024, ["p", "numbers", "n", 0, 1]), seats(0, 1025, ["p", "numbers", "n", 0, 1])),
    "draws of places": (
        declared(["p", "numbers", 512, 0, 1], ["q", "wheels", "p", [[1, 1]]]),
        declared(["p", "numbers", 512, 0, 1], ["q", "wheels", "p", [[1, 1]]], ["r", "number", 0, 1]),
    ),
    "draws of a deal": (
        declared(["*", "deal", "andar-bahar"], shoe=[19, "french"]),
        declared(["*", "deal", "andar-bahar"], shoe=[20, "french"]),
    ),
    "outcome": (
        declared(["p", "numbers", 816, 0, 999_999_999], ["q" * 19, "number", 0, 99]),
        declared(["p", "numbers", 816, 0, 999_999_999], ["q" * 20, "number", 0, 99]),
    ),
    "below": (declared(["p", "number", 7, 4_294_967_302]), declared(["p", "number", 6, 4_294_967_302])),
    "low to high": (declared(["p", "number", 7, 7]), declared(["p", "number", 8, 7])),
    "low to high by rules": (seats(1, 7, ["p", "number", "n", 7]), seats(1, 8, ["p", "number", "n", 7])),
    "integer": (declared(["p", "one", [2**53 - 1]]), declared(["p", "one", [2**53]])),
    "label": (declared(["p", "one", ["x" * 32]]), declared(["p", "one", ["x" * 33]])),
    "some label": (declared(["p", "one", ["x"]]), declared(["p", "one", [""]])),
    "visible label": (declared(["p", "one", ["!~"]]), declared(["p", "one", ["! ~"]])),
    "place": (declared(["p" * 32, "number", 0, 1]), declared(["p" * 33, "number", 0, 1])),
    "weights": (
        declared(["p", "wheel", [["a", 2**32 - 1], ["b", 1]]]),
        declared(["p", "wheel", [["a", 2**32], ["b", 1]]]),
    ),
    "some weight": (declared(["p", "wheel", [["a", 0], ["b", 1]]]), declared(["p", "wheel", [["a", 0], ["b", 0]]])),
    "weight by rules": (seats(1, 2, ["p", "wheel", [["a", "n"]]]), seats(0, 2, ["p", "wheel", [["a", "n"]]])),
    "again": (
        declared(["p", "spin", [["a", 3], ["b", 3]], ["a"]]),
        declared(["p", "spin", [["a", 4], ["b", 3]], ["a"]]),
    ),
    "again by rules": (
        seats(3, 5, ["p", "spin", [["a", 3], ["b", "n"]], ["a"]]),
        seats(2, 5, ["p", "spin", [["a", 3], ["b", "n"]], ["a"]]),
    ),
    "again is a label": (declared(["p", "spin", PAIR, ["a"]]), declared(["p", "spin", PAIR, ["c"]])),
    "again once": (declared(["p", "spin", PAIR, []]), declared(["p", "spin", PAIR, ["a", "a"]])),
    "parameters": (runners(1, 1023, [1, 1]), runners(1, 1024, [1, 1])),
    "family's size": (runners(1, 4, [1, 9]), runners(0, 4, [1, 9])),
    "runner's weight": (runners(1, 4, [1, 9]), runners(1, 4, [0, 9])),
    "runners' weights": (runners(1, 4, [1, 2**30]), runners(1, 4, [1, 2**30 + 1])),
    "reel": (
        declared(["p", "reels"], rules={"n": [1, 4], "reel*n": [1, 2**32]}),
        declared(["p", "reels"], rules={"n": [1, 4], "reel*n": [1, 2**32 + 1]}),
    ),
    "no empty reel": (
        declared(["p", "reels"], rules={"n": [1, 4], "reel*n": [1, 9]}),
        declared(["p", "reels"], rules={"n": [1, 4], "reel*n": [0, 9]}),
    ),
    "range": (seats(4, 4), seats(4, 3)),
    "cap": (
        declared(["p", "flight"], rules={"cap": [101, 10**9], "rtp": [1, 10_000]}),
        declared(["p", "flight"], rules={"cap": [100, 10**9], "rtp": [1, 10_000]}),
    ),
    "rtp": (
        declared(["p", "flight"], rules={"cap": [101, 101], "rtp": [1, 10_000]}),
        declared(["p", "flight"], rules={"cap": [101, 101], "rtp": [1, 10_001]}),
    ),
    "parameter's name": (
        declared(["p", "number", 0, 1], rules={"n" * 32: [1, 1]}),
        declared(["p", "number", 0, 1], rules={"n" * 33: [1, 1]}),
    ),
    "times": (shoe(1, "french", ["p", "take", 1, 1]), shoe(1, "french", ["p", "take", 1, 0])),
}


REFUSED = [
    b'\xef\xbb\xbf{"draw":[["p","number",0,1]]}',
    b"",
    b"{}",
    b"[]",
    b"1",
    b'{"draw":[["p","number",0,1]]}\n',
    b'{"draw": [["p","number",0,1]]}',
    b'{"draw":[["p","number",0,1.0]]}',
    b'{"draw":[["p","number",0,true]]}',
    b'{"draw":[["p","number",-1,1]]}',
    b'{"draw":[["p","number",0,01]]}',
    b'{"draw":[["p","number",0,1]],"draw":[["p","number",0,1]]}',
    b'{"moves":1,"draw":[["p","number",0,1]]}',
    b'{"draw":[["\\u0070","number",0,1]]}',
    b'{"draw":[["p","one",["\x7f"]]]}',
    b'{"draw":[["p","one",["\xc3\xa9"]]]}',
    b"[" * 16_000,
    declared(["p", "take", 0], drum=[2, 1]),
    declared(["p", "take", 0], drum=["n", 5], rules={"n": [1, 6]}),
    declared(["p", "number", 0, 1], moves=0),
    declared(["p", "number", 0, 1], rules={}),
    declared(["p", "number", 0, 1], rules=[]),
    declared(["p", "number", 0, 1], moves=2),
    declared(["p", "number", 0, 1], more=1),
    declared(["p", "take", 1]),
    declared(["p", "take", 1], drum=[1, 9], shoe=[1, "french"]),
    declared(["p", "number", 0, 1], ["p", "number", 0, 1]),
    declared(["dice", "number", 0, 1], ["*", "deal", "monopoly"]),
    declared(["*", "deal", "monopoly"], ["*", "deal", "monopoly"]),
    declared(["side", "number", 0, 1], ["*", "ends", [{"coin": 1}, {"side": 1}]]),
    declared(["*", "number", 0, 1]),
    declared(["p", "ends", [{"side": 1}]]),
    declared(["*", "ends", [{}]]),
    declared(["p", "deal", "rally"], rules={"a": [1, 9999]}),
    declared(["*", "deal", "rally"]),
    declared(["*", "deal", "rally", 1], rules={"a": [1, 9999]}),
    declared(["*", "deal", "punto-banco"]),
    declared(["*", "deal", "punto-banco"], drum=[1, 9]),
    declared(["*", "deal", "punto-banco"], shoe=[8, "short"]),
    declared(["*", "deal", "punto-banco"], shoe=[8, "new"]),
    declared(["*", "deal", "punto-banco"], shoe=[8, ["2c"]]),
    declared(["*", "deal", "punto-banco"], ["p", "take", 1], shoe=[8, "french"]),
    declared(["*", "deal", "New"]),
    declared(["p", "New", 1]),
    declared(["p"]),
    declared(["p", "number", 0]),
    declared(["p", "number", 0, 1, 2]),
    declared(["p", "numbers", "q", 0, 1], ["q", "numbers", 3, 0, 1]),
    declared(["q", "number", 0, 1], ["p", "numbers", "q", 0, 1]),
    declared(["p", "numbers", "p", 0, 1]),
    declared(["p", "numbers", [2, 1], 0, 1]),
    declared(["p", "numbers", [1], 0, 1]),
    declared(["p", "wheels", 1, PAIR]),
    declared(["p", "spin", [[1, 1]], []]),
    declared(["p", "wheel", [["a"]]]),
    declared(["p", "wheel", []]),
    declared(["p", "race"]),
    declared(["p", "chosen"], rules={"n": [1, 2], "v*n": [1, 2]}),
    declared(["p", "flight"]),
    declared(["p", "race"], rules={"w*n": [1, 2]}),
    declared(["p", "race"], rules={"n": [1, 2], "w*n": [1, 2], "w1": [1, 2]}),
    declared(["p", "race"], rules={"m": [1, 2], "n": [1, 2], "w*m": [1, 2], "w*n": [1, 2]}),
    declared(["p", "number", 0, 1], rules={"version": [1, 1]}),
    declared(["p", "number", 0, 1], rules={"1n": [1, 1]}),
    declared(["p", "number", 0, 1], rules={"p": [1, 1]}),
    declared(["p", "number", 0, "w1"], rules={"n": [1, 2], "w*n": [1, 2]}),
    declared(["p", "number", 0, "constructor"]),
    declared(["p", "numbers", "constructor", 0, 1]),
    shoe(1, []),
    shoe(1, ["a b"]),
    shoe(1, [1]),
    shoe(1, "New"),
]
"""Each breaks a rule of SPEC 3.6 or 3.7."""

NEWER = [
    (b'{"draw":[["p","new","\\"\\\\ "]]}', "the kind new"),
    (declared(["p", "new"]), "the kind new"),
    (declared(["*", "constructor", {"x": ["y"]}]), "the kind constructor"),
    (declared(["*", "deal", "faro"], shoe=[1, "french"]), "the deal faro"),
    (shoe(10**6, "tarot", ["p", "take", 1000]), "the pack tarot"),
    (shoe(1, "french", ["p", "take", 1], ["*", "deal", "faro"]), "the deal faro"),
    (declared(["p", "new"], ["q", "numbers", "p", 0, 1]), "the kind new"),
    (declared(["*", "new"], ["q", "numbers", "hidden", 0, 1]), "the kind new"),
    (declared(["*", "new"], ["*", "deal", "faro"]), "the kind new, the deal faro"),
]
"""Each with what is not known of it."""

WRONG_BESIDE_NEW = [
    b'{"draw":[["p","new","\xc3\xa9"]]}',
    b'{"draw":[["p","new","\x7f"]]}',
    b'{"draw":[["p","new","\\n"]]}',
    b'{"draw":[["p","new",{"\\n":1}]]}',
    b'{"draw":[["p","new","\\/"]]}',
    b'{"draw":[["p","new",1.5]]}',
    b'{"draw":[["p","new",null]]}',
    declared(["p", "new"], ["p", "number", 0, 1]),
    declared(["p", "new"], ["q", "numbers", "hidden", 0, 1]),
    declared(["p", "new"], ["q", "numbers", 1025, 0, 1]),
    declared(["*", "new"], ["q", "number", 0, "hidden"]),
    shoe(0, "tarot"),
    shoe(1, "tarot", ["p", "take", 1025]),
]
"""A new word, and something that is wrong whatever it means."""
