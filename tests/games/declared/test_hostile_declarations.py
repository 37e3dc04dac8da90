"""Declarations that break a rule, each limit at it and one beyond; ones that are newer; and any others."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairness.draws.game import RulesRefused
from fairness.draws.stream import Stream
from fairness.errors import Malformed, Unknown
from fairness.limits import LARGEST_OUTCOME
from games.declared.declaration import Declaration
from tests.support.declarations import Json, damaged, declarations, rules_of, spelled
from tests.support.hostile_declarations import AT_THE_LIMIT, NEWER, REFUSED, WRONG_BESIDE_NEW, nested


@pytest.mark.parametrize(("good", "bad"), AT_THE_LIMIT.values(), ids=AT_THE_LIMIT)
def test_a_limit_at_it_and_one_beyond(good: bytes, bad: bytes) -> None:
    """What keeps it is a declaration; what is one beyond is refused."""
    assert Declaration.parse(good).text == good
    with pytest.raises(Malformed, match=r"^declaration: expected"):
        Declaration.parse(bad)


def test_the_depth_at_its_limit_and_beyond() -> None:
    """Known kinds are never so deep, so only the arguments of an unknown one are."""
    with pytest.raises(Unknown):
        Declaration.parse(nested(8))
    for depth in (9, 5000):
        with pytest.raises(Malformed):
            Declaration.parse(nested(depth))


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_what_breaks_a_rule_is_refused(text: bytes) -> None:
    """With what was expected, and what was found."""
    with pytest.raises(Malformed, match=r"^declaration: expected"):
        Declaration.parse(text)


@pytest.mark.parametrize(("text", "what"), NEWER.values(), ids=NEWER)
def test_what_is_newer_is_unknown_and_not_refused(text: bytes, what: str) -> None:
    """It says what it does not know."""
    with pytest.raises(Unknown, match=f"^unknown to this program: {what}$"):
        Declaration.parse(text)


@pytest.mark.parametrize("text", WRONG_BESIDE_NEW.values(), ids=WRONG_BESIDE_NEW)
def test_what_is_wrong_is_refused_beside_something_new(text: bytes) -> None:
    """A new word excuses nothing else."""
    with pytest.raises(Malformed):
        Declaration.parse(text)


LOTTO: dict[str, Any] = {
    "draw": [["balls", "take", "count"]],
    "drum": [1, "of"],
    "rules": {"count": [1, 80], "of": [2, 1000]},
}
RACE: dict[str, Any] = {"draw": [["order", "race"]], "rules": {"runners": [2, 3], "w*runners": [1, 9]}}


@pytest.mark.parametrize(
    ("declaration", "good", "bad"),
    [
        (LOTTO, {"count": 5, "of": 5}, {"count": 6, "of": 5}),
        (LOTTO, {"count": 80, "of": 1000}, {"count": 81, "of": 1000}),
        (LOTTO, {"count": 1, "of": 2}, {"count": 1, "of": 1}),
        (LOTTO, {"count": 1, "of": 2}, {"count": 1}),
        (LOTTO, {"count": 1, "of": 2}, {"count": 1, "of": 2, "more": 1}),
        (LOTTO, {"count": 1, "of": 2}, {"count": 1, "of": 2, "version": 2}),
        (RACE, {"runners": 2, "w1": 1, "w2": 9}, {"runners": 2, "w1": 1, "w2": 10}),
        (RACE, {"runners": 3, "w1": 1, "w2": 9, "w3": 1}, {"runners": 2, "w1": 1, "w2": 9, "w3": 1}),
        (RACE, {"runners": 3, "w1": 1, "w2": 9, "w3": 1}, {"runners": 3, "w1": 1, "w2": 9}),
        (RACE, {"runners": 2, "w1": 1, "w2": 9}, {"runners": 10**15, "w1": 1, "w2": 9}),
        (RACE, {"runners": 2, "w1": 1, "w2": 9}, {"w1": 1, "w2": 9}),
    ],
)
def test_a_batchs_rules_are_exactly_the_parameters(
    declaration: Json, good: dict[str, int], bad: dict[str, int]
) -> None:
    """In their ranges, as many as there are, and with enough to take."""
    found = Declaration.parse(spelled(declaration))
    found.check_rules({"version": 1} | good)
    with pytest.raises(RulesRefused):
        found.check_rules({"version": 1} | bad)
    with pytest.raises(RulesRefused):
        found.check_rules(good)


def parsed(value: Json) -> Declaration | None:
    """Nothing but our errors comes out."""
    try:
        text = spelled(value)
    except UnicodeEncodeError:
        return None
    try:
        found = Declaration.parse(text)
    except (Malformed, Unknown):
        return None
    assert found.text == text
    return found


@given(st.data())
def test_random_declarations_give_outcomes_within_what_they_weigh(data: st.DataObject) -> None:
    """For any rules; only what repeats itself by chance can be longer."""
    value = data.draw(declarations())
    found = parsed(value)
    rules = data.draw(rules_of(value))
    if found is None:
        return
    try:
        found.check_rules(rules)
    except RulesRefused:
        return
    outcome = found.outcome(Stream([bytes(32)], bytes(32), data.draw(st.integers(1, 1000))), rules)
    repeats = any(step[1] in {"spin", "deal"} for step in value["draw"])
    size = len(json.dumps(outcome, separators=(",", ":")))
    assert size <= (LARGEST_OUTCOME if repeats else found.weigh(found.parameters).size)


@given(damaged())
def test_a_damaged_declaration_is_refused_or_unknown_or_one(value: Json) -> None:
    """Whatever stands in whichever place."""
    parsed(value)


@given(st.binary(max_size=200))
def test_any_bytes_are_refused(data: bytes) -> None:
    """Unless by chance they are a declaration, which none this short and random is."""
    with pytest.raises(Malformed):
        Declaration.parse(data)
