"""Random declarations: valid ones with rules for them, and ones that are damaged."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

Json = Any
_WORDS = st.from_regex(r"[A-Za-z0-9!./+-]{1,5}", fullmatch=True)
_LABELS = st.one_of(_WORDS, st.integers(0, 400))
_WEIGHTS = st.integers(1, 50)
_RULES = {"count": [0, 3], "size": [1, 6], "w*size": [1, 1000], "reel*size": [1, 40], "a": [1, 9999]} | {
    "rtp": [9000, 9700],
    "cap": [101, 5000],
}
_COUNTS = st.one_of(st.integers(0, 4), st.sampled_from(["count", "size"]), st.sampled_from([[0, 2], [1, 3], [2, 2]]))
_RANGES: st.SearchStrategy[Json] = st.sampled_from(
    [[0, 36], [1, 6], [1, 1], ["size", 12], [0, "size"], [0, 4_294_967_295], [7, 4_294_967_302]]
)
_SHOES: st.SearchStrategy[Json] = st.one_of(
    st.tuples(
        st.one_of(st.integers(1, 8), st.just("size")),
        st.sampled_from(["french", "joker", "two-jokers", "short", "piquet", "bet-win", "fruits", "sixty", "bones"]),
    ).map(list),
    st.tuples(st.integers(6, 9), st.lists(_WORDS, min_size=8, max_size=12)).map(list),
)
_PILES: st.SearchStrategy[Json] = st.one_of(
    st.just({}),
    st.sampled_from([[1, 90], [0, 60], ["size", 70]]).map(lambda drum: {"drum": drum}),
    _SHOES.map(lambda shoe: {"shoe": shoe}),
)
_DEALS = {"punto-banco": "french", "twenty-one": "short", "andar-bahar": "french", "thirty-two": "thirty-two"}
_COUNTED = ("numbers", "reels", "wheels", "race", "take", "pick")


def spelled(value: Json) -> bytes:
    """In its one spelling, if its strings are printable."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def _segments(labels: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    return st.lists(st.tuples(labels, _WEIGHTS).map(list), min_size=1, max_size=5)


def _arguments(kind: str, counts: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    """The arguments of a step of this kind."""
    pockets = st.tuples(st.integers(0, 9), st.integers(200, 300))
    again = [["again", 7], ["stop", 50]]
    by_kind: dict[str, st.SearchStrategy[Json]] = {
        "number": _RANGES,
        "numbers": st.tuples(counts, _RANGES).map(lambda both: [both[0], *both[1]]),
        "one": st.lists(_LABELS, min_size=1, max_size=6).map(lambda labels: [labels]),
        "wheel": _segments(_LABELS).map(lambda segments: [segments]),
        "wheels": st.tuples(counts, _segments(st.integers(0, 500))).map(list),
        "spin": st.tuples(_segments(_WORDS).map(again.__add__), st.sampled_from([[], ["again"]])).map(list),
        "take": st.sampled_from([[3], ["count"], ["size", 2], [[0, 4]], [2, 3]]),
        "pick": st.tuples(counts, pockets).map(lambda both: [both[0], *both[1]]),
    }
    return by_kind.get(kind, st.just([]))


@st.composite
def declarations(draw: st.DrawFn) -> Json:
    """A declaration that most often keeps all limits."""
    pile = draw(_PILES)
    kinds = ["number", "numbers", "one", "flight", "reels", "wheel", "wheels", "spin", "chosen", "race", "pick"]
    kinds += ["take", "take"] if pile else []
    steps, counted = [], list[str]()
    for at in range(draw(st.integers(1, 5))):
        kind, place = draw(st.sampled_from(kinds)), f"p{at}"
        counts = st.one_of(_COUNTS, st.sampled_from(counted)) if counted else _COUNTS
        steps.append([place, kind, *draw(_arguments(kind, counts))])
        counted += [place] if kind in _COUNTED else []
    if draw(st.integers(0, 3)) == 0:
        steps.append(
            ["*", "ends", draw(st.lists(st.dictionaries(st.sampled_from("xyz"), _LABELS, min_size=1), min_size=1))]
        )
    deal = draw(st.sampled_from(["", "", "", "rally", "monopoly", *_DEALS]))
    if deal in _DEALS:
        pile, steps = {"shoe": [draw(st.integers(1, 8)), _DEALS[deal]]}, [s for s in steps if s[1] != "take"]
        steps = [["again", "number", 0, 9], *(s for s in steps if s[1] not in {"numbers", "wheels", "pick"})]
    if deal:
        steps.append(["*", "deal", deal])
    moves = {"moves": 1} if draw(st.booleans()) else {}
    return {"draw": steps, "rules": _RULES} | pile | moves


@st.composite
def rules_of(draw: st.DrawFn, declaration: Json) -> dict[str, int]:
    """Rules within the ranges of a declaration."""
    ranges = declaration.get("rules", {})
    rules = {key: draw(st.integers(*bounds)) for key, bounds in ranges.items() if "*" not in key}
    for key, bounds in ranges.items():
        prefix, _, size = key.partition("*")
        if size:
            rules |= {f"{prefix}{at}": draw(st.integers(*bounds)) for at in range(1, rules[size] + 1)}
    return rules | {"version": 1}


_ODD: st.SearchStrategy[Json] = st.one_of(
    st.integers(-1, 2**53),
    st.sampled_from(
        [0, 1, 4096, 4097, 2**32, 2**32 + 1, 2**53 - 1, 1.5, True, None, "", "*", "size", "w*size", "p0"]
    ),
    st.sampled_from(["take", "deal", "constructor", "__proto__", "length", "french", "a b", "é", "\x00", '"', "\\"]),
    st.sampled_from([[], {}, [[]], [0, 4], [4, 0], {"draw": []}, [["*", "deal", "new"]], ["x", "new", {"y": []}]]),
    st.text(max_size=40),
)


def _paths(value: Json) -> list[tuple[Json, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [(), *((key, *rest) for key, each in inner for rest in _paths(each))]


def _with(value: Json, path: tuple[Json, ...], new: Json) -> Json:
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = _with(value[path[0]], path[1:], new)
    return copy


@st.composite
def damaged(draw: st.DrawFn) -> Json:
    """A declaration with something else at a place or two, or with a key more."""
    value = draw(declarations())
    for _ in range(draw(st.integers(1, 2))):
        value = _with(value, draw(st.sampled_from(_paths(value))), draw(_ODD))
    if isinstance(value, dict) and draw(st.integers(0, 5)) == 0:
        value = value | {draw(st.sampled_from(["more", "Draw", "rules", "__proto__"])): draw(_ODD)}
    return value
