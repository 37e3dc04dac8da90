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
    "weights of wheels": (
        declared(["p", "wheels", 1, [[1, 2**32 - 1], [2, 1]]]),
        declared(["p", "wheels", 1, [[1, 2**32], [2, 1]]]),
    ),
    "weights of a spin": (
        declared(["p", "spin", [["a", 2**32 - 1], ["b", 1]], []]),
        declared(["p", "spin", [["a", 2**32], ["b", 1]], []]),
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


REFUSED = {
    "a byte order mark": b'\xef\xbb\xbf{"draw":[["p","number",0,1]]}',
    "nothing": b"",
    "an empty object": b"{}",
    "a list": b"[]",
    "a number": b"1",
    "a line feed at the end": b'{"draw":[["p","number",0,1]]}\n',
    "a space": b'{"draw": [["p","number",0,1]]}',
    "a number with a point": b'{"draw":[["p","number",0,1.0]]}',
    "a number that is true": b'{"draw":[["p","number",0,true]]}',
    "a number below 0": b'{"draw":[["p","number",-1,1]]}',
    "a number with a leading zero": b'{"draw":[["p","number",0,01]]}',
    "a key twice": b'{"draw":[["p","number",0,1]],"draw":[["p","number",0,1]]}',
    "keys out of order": b'{"moves":1,"draw":[["p","number",0,1]]}',
    "a letter escaped": b'{"draw":[["\\u0070","number",0,1]]}',
    "a DEL": b'{"draw":[["p","one",["\x7f"]]]}',
    "a character above ASCII": b'{"draw":[["p","one",["\xc3\xa9"]]]}',
    "arrays that are never closed": b"[" * 16_000,
    "a drum that ends before it begins": declared(["p", "take", 0], drum=[2, 1]),
    "a drum that may end before it begins": declared(["p", "take", 0], drum=["n", 5], rules={"n": [1, 6]}),
    "moves that are 0": declared(["p", "number", 0, 1], moves=0),
    "rules of nothing": declared(["p", "number", 0, 1], rules={}),
    "rules that are an array": declared(["p", "number", 0, 1], rules=[]),
    "moves that are 2": declared(["p", "number", 0, 1], moves=2),
    "a key more": declared(["p", "number", 0, 1], more=1),
    "a take without a drum or a shoe": declared(["p", "take", 1]),
    "a drum and a shoe": declared(["p", "take", 1], drum=[1, 9], shoe=[1, "french"]),
    "a place twice": declared(["p", "number", 0, 1], ["p", "number", 0, 1]),
    "a place that a deal has": declared(["dice", "number", 0, 1], ["*", "deal", "monopoly"]),
    "a deal twice": declared(["*", "deal", "monopoly"], ["*", "deal", "monopoly"]),
    "a place that an end has": declared(["side", "number", 0, 1], ["*", "ends", [{"coin": 1}, {"side": 1}]]),
    "a star for a place": declared(["*", "number", 0, 1]),
    "ends with a place": declared(["p", "ends", [{"side": 1}]]),
    "an end of nothing": declared(["*", "ends", [{}]]),
    "a deal with a place": declared(["p", "deal", "rally"], rules={"a": [1, 9999]}),
    "a rally without its rule": declared(["*", "deal", "rally"]),
    "a deal with an argument": declared(["*", "deal", "rally", 1], rules={"a": [1, 9999]}),
    "cards dealt from nothing": declared(["*", "deal", "punto-banco"]),
    "cards dealt from a drum": declared(["*", "deal", "punto-banco"], drum=[1, 9]),
    "cards dealt from another pack": declared(["*", "deal", "punto-banco"], shoe=[8, "short"]),
    "cards dealt from an unknown pack": declared(["*", "deal", "punto-banco"], shoe=[8, "new"]),
    "cards dealt from a pack of its own": declared(["*", "deal", "punto-banco"], shoe=[8, ["2c"]]),
    "a deal and a take": declared(["*", "deal", "punto-banco"], ["p", "take", 1], shoe=[8, "french"]),
    "a deal in upper case": declared(["*", "deal", "New"]),
    "a kind in upper case": declared(["p", "New", 1]),
    "a step without a kind": declared(["p"]),
    "an argument too few": declared(["p", "number", 0]),
    "an argument too many": declared(["p", "number", 0, 1, 2]),
    "a count of a later place": declared(["p", "numbers", "q", 0, 1], ["q", "numbers", 3, 0, 1]),
    "a count of a place without a count": declared(["q", "number", 0, 1], ["p", "numbers", "q", 0, 1]),
    "a count of its own place": declared(["p", "numbers", "p", 0, 1]),
    "a count that ends before it begins": declared(["p", "numbers", [2, 1], 0, 1]),
    "a count of one number": declared(["p", "numbers", [1], 0, 1]),
    "wheels whose labels are words": declared(["p", "wheels", 1, PAIR]),
    "a spin whose labels are numbers": declared(["p", "spin", [[1, 1]], []]),
    "a segment without a weight": declared(["p", "wheel", [["a"]]]),
    "no segments": declared(["p", "wheel", []]),
    "a race without weights": declared(["p", "race"]),
    "a choice with another family": declared(["p", "chosen"], rules={"n": [1, 2], "v*n": [1, 2]}),
    "a flight without its rules": declared(["p", "flight"]),
    "a family without its size": declared(["p", "race"], rules={"w*n": [1, 2]}),
    "a parameter that a family has": declared(["p", "race"], rules={"n": [1, 2], "w*n": [1, 2], "w1": [1, 2]}),
    "two families of one prefix": declared(
        ["p", "race"], rules={"m": [1, 2], "n": [1, 2], "w*m": [1, 2], "w*n": [1, 2]}
    ),
    "a parameter named version": declared(["p", "number", 0, 1], rules={"version": [1, 1]}),
    "a parameter that begins with a digit": declared(["p", "number", 0, 1], rules={"1n": [1, 1]}),
    "a parameter named as a place": declared(["p", "number", 0, 1], rules={"p": [1, 1]}),
    "a number up to a family's parameter": declared(["p", "number", 0, "w1"], rules={"n": [1, 2], "w*n": [1, 2]}),
    "a number up to no parameter": declared(["p", "number", 0, "constructor"]),
    "a count of no place": declared(["p", "numbers", "constructor", 0, 1]),
    "an empty pack": shoe(1, []),
    "a thing with a space": shoe(1, ["a b"]),
    "a thing that is a number": shoe(1, [1]),
    "a pack in upper case": shoe(1, "New"),
    "a drum that is text": declared(["p", "take", 1], drum="ab", rules={"a": [1, 1], "b": [9, 9]}),
    "a place that is a number": declared([1, "number", 0, 1]),
    "a label with a quotation mark": declared(["p", "one", ['"']]),
    "a label with a backslash": declared(["p", "one", ["\\"]]),
    "a thing with a control character": shoe(1, ["\n"]),
    "a thing of 33 characters": shoe(1, ["x" * 33]),
}
"""Each breaks a rule of SPEC 3.6 or 3.7."""

NEWER = {
    "an unknown kind with quotation marks": (b'{"draw":[["p","new","\\"\\\\ "]]}', "the kind new"),
    "an unknown kind": (declared(["p", "new"]), "the kind new"),
    "an unknown kind in the place of a star": (declared(["*", "constructor", {"x": ["y"]}]), "the kind constructor"),
    "an unknown deal": (declared(["*", "deal", "faro"], shoe=[1, "french"]), "the deal faro"),
    "an unknown pack of more than there may be": (shoe(10**6, "tarot", ["p", "take", 1000]), "the pack tarot"),
    "an unknown deal beside a take": (shoe(1, "french", ["p", "take", 1], ["*", "deal", "faro"]), "the deal faro"),
    "an unknown kind whose place is a count": (declared(["p", "new"], ["q", "numbers", "p", 0, 1]), "the kind new"),
    "an unknown kind that may have another place": (
        declared(["*", "new"], ["q", "numbers", "hidden", 0, 1]),
        "the kind new",
    ),
    "an unknown kind and an unknown deal": (
        declared(["*", "new"], ["*", "deal", "faro"]),
        "the kind new, the deal faro",
    ),
}
"""Each with what is not known of it."""

WRONG_BESIDE_NEW = {
    "an unknown kind with a character above ASCII": b'{"draw":[["p","new","\xc3\xa9"]]}',
    "an unknown kind with a DEL": b'{"draw":[["p","new","\x7f"]]}',
    "an unknown kind with a line feed": b'{"draw":[["p","new","\\n"]]}',
    "an unknown kind with a line feed in a key": b'{"draw":[["p","new",{"\\n":1}]]}',
    "an unknown kind with a slash escaped": b'{"draw":[["p","new","\\/"]]}',
    "an unknown kind with a fraction": b'{"draw":[["p","new",1.5]]}',
    "an unknown kind with null": b'{"draw":[["p","new",null]]}',
    "an unknown kind and a place twice": declared(["p", "new"], ["p", "number", 0, 1]),
    "an unknown kind and a count of no place": declared(["p", "new"], ["q", "numbers", "hidden", 0, 1]),
    "an unknown kind and too many draws": declared(["p", "new"], ["q", "numbers", 1025, 0, 1]),
    "an unknown kind and a number up to no parameter": declared(["*", "new"], ["q", "number", 0, "hidden"]),
    "an unknown pack and none of it": shoe(0, "tarot"),
    "an unknown pack and too many draws": shoe(1, "tarot", ["p", "take", 1025]),
}
"""A new word, and something that is wrong whatever it means."""
