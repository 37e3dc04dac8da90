"""Lies in what a table declares of its game, and in the rounds of such a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fairness.checks import Check
from fairness.limits import DEEPEST_DECLARATION, LARGEST_DECLARATION, MOST_DRAWS
from tests.lies import Lie, changed
from tests.support.dishonest_operator import ABSENT, Operator

ROULETTE: dict[str, Any] = {"draw": [["pocket", "number", 0, 36]]}
LOTTO: dict[str, Any] = {
    "draw": [["balls", "take", "count"]],
    "drum": [1, "of"],
    "rules": {"count": [1, 80], "of": [2, 1000]},
}
_LOTTO_RULES = {"count": 6, "of": 49}


def _declared(name: str, declaration: object, check: Check = Check.TABLE_DECLARATION) -> Lie:
    return changed(name, check, lambda op: op.table("x", "roulette", declaration=declaration))


def _lotto(operator: Operator) -> Operator:
    operator.table("lotto-1", "lotto", rules=_LOTTO_RULES)
    return operator


def _ruled(name: str, **rules: object) -> Lie:
    def rule(honest: object) -> object:
        assert isinstance(honest, dict)
        return {key: value for key, value in (honest | rules).items() if value is not ABSENT}

    return changed(name, Check.BATCH_RULES, lambda op: _lotto(op).batch("lotto-1", 4, rules=rule))


def _revealed(lie: Callable[[Any], object]) -> Callable[[Operator], object]:
    def tell(operator: Operator) -> None:
        operator.table("dragon-1", "dragon-tiger")
        operator.batch("dragon-1", 4)
        operator.lock("dragon-1")
        operator.reveal("dragon-1", outcome=lie)

    return tell


def _swapped(cards: dict[str, object]) -> dict[str, object]:
    return {"dragon": cards["tiger"], "tiger": cards["dragon"]}


def _nested(depth: int) -> object:
    return [_nested(depth - 1)] if depth else []


_WHEEL = [["1", 22], ["again", 23]]
_OTHER = {"draw": [["pocket", "number", 0, 37]]}

LIES: list[Lie] = [
    changed(
        "a game that has neither a name nor a declaration",
        Check.TABLE_DECLARATION,
        lambda op: op.table("x", "crash", game="roulette"),
    ),
    changed(
        "a declaration of a game that has a name",
        Check.TABLE_DECLARATION,
        lambda op: op.table("x", "sic-bo", declaration={"draw": [["dice", "numbers", 3, 1, 6]]}),
    ),
    _declared("a declaration that draws nothing", {"draw": []}),
    _declared("an empty declaration", {}),
    _declared("a declaration with a key more", ROULETTE | {"bets": 1}),
    _declared("a declaration with a drum and a shoe", ROULETTE | {"drum": [1, 9], "shoe": [1, "french"]}),
    _declared("moves that are 2", ROULETTE | {"moves": 2}),
    _declared("a place twice", {"draw": [["a", "number", 0, 36], ["a", "number", 0, 36]]}),
    _declared("65 steps", {"draw": [[f"a{at}", "number", 0, 1] for at in range(65)]}),
    _declared("a declaration that draws too often", {"draw": [["a", "numbers", MOST_DRAWS + 1, 0, 1]]}),
    _declared("a declaration whose outcomes are too long", {"draw": [["a", "numbers", 1000, 0, 99_999_999]]}),
    _declared("a drum of 4097", {"draw": [["a", "take", 1]], "drum": [1, 4097]}),
    _declared("a wheel that is mostly spun again", {"draw": [["a", "spin", _WHEEL, ["again"]]]}),
    _declared("more cards than a pack has", {"draw": [["a", "take", 53]], "shoe": [1, "french"]}),
    _declared("a number below nothing", {"draw": [["a", "number", 6, 1]]}),
    _declared("a declaration that is nested too deep", {"draw": _nested(DEEPEST_DECLARATION)}),
    _declared("a declaration that is too large", {"draw": [["a", "one", ["x" * 30] * (LARGEST_DECLARATION // 33)]]}),
    _declared("an unknown kind beside what is malformed", {"draw": [["a", "jump"], ["a", "number", 0, 36]]}),
    _declared("a fraction in a declaration", {"draw": [["pocket", "number", 0, 36.5]]}, Check.RECORD_FORM),
    _declared("null in a declaration", ROULETTE | {"shoe": None}, Check.RECORD_FORM),
    _declared("a declaration that is text", "roulette", Check.RECORD_FORM),
    _declared("a declaration of a number below 0", {"draw": [["pocket", "number", -1, 36]]}, Check.RECORD_FORM),
    changed("a declared game without a lead", Check.TABLE_LEAD, lambda op: op.table("x", "roulette", lead=0)),
    _ruled("a parameter that is not declared", seats=3),
    _ruled("a parameter too few", of=ABSENT),
    _ruled("a parameter beyond its range", of=1001),
    _ruled("more balls than the drum has", count=7, of=6),
    _ruled("declared rules of version 0", version=0),
    changed(
        "a card of another suit", Check.OUTCOME, _revealed(lambda cards: cards | {"dragon": "2c", "tiger": "2c"})
    ),
    changed("hands that are swapped", Check.OUTCOME, _revealed(_swapped)),
    changed("a hand too few", Check.OUTCOME, _revealed(lambda cards: {"dragon": cards["dragon"]})),
]
