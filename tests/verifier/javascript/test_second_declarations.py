"""Declared games in both implementations: what one refuses or does not know, so does the other, and outcomes are the
same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairness.draws.game import RulesRefused
from fairness.draws.stream import Stream
from fairness.errors import Malformed, Unknown
from fairness.hashing import sha256
from games.declared.catalogue import Listed, catalogue
from games.declared.declaration import Declaration
from games.declared.packs import PACKS
from tests.house import HOUSE
from tests.oracles.second_verifier import SecondVerifier
from tests.support.declarations import Json, damaged, declarations, rules_of, spelled
from tests.support.hostile_declarations import nested

VECTORS = json.loads((HOUSE / "tests" / "vectors" / "catalogue.json").read_text("utf-8"))


@pytest.fixture(name="second", scope="module")
def _second() -> Iterator[SecondVerifier]:
    """The verifier in JavaScript."""
    with SecondVerifier() as asked:
        yield asked


Case = dict[str, Any]
LONGEST = 10_000
"""Milliseconds on a busy machine; none needs a hundred."""


def ours(text: bytes, cases: list[Case]) -> Json:
    """Our answer in the form of the other one."""
    try:
        declaration = Declaration.parse(text)
    except Malformed:
        return {"verdict": "malformed"}
    except Unknown as unknown:
        return {"verdict": "unknown", "what": list(unknown.what)}
    return {"flight": declaration.has_flight, "outcomes": [_outcome(declaration, each) for each in cases]}


def _outcome(declaration: Declaration, case: Case) -> Json:
    try:
        declaration.check_rules(case["rules"])
    except RulesRefused:
        return None
    stream = Stream([bytes.fromhex(seed) for seed in case["seeds"]], bytes.fromhex(case["context"]), case["round"])
    outcome = declaration.outcome(stream, case["rules"])
    return {"outcome": outcome, "next": stream.take(4).hex()}


def agree(second: SecondVerifier, text: bytes, cases: list[Case] | None = None) -> Json:
    """Check that both give the same answer, and have read the same bytes of the stream; return it."""
    own, other = ours(text, cases or []), second.ask("declared", hex=text.hex(), cases=cases or [])
    assert other.pop("milliseconds", 0) < LONGEST
    assert other == own
    return own


def case(number: int, rules: dict[str, int]) -> Case:
    """A round of some batch, of one custodian or two."""
    seeds = [sha256(b"%d %d" % (number, custodian)).hex() for custodian in range(1 + number % 2)]
    return {"rules": rules, "seeds": seeds, "context": sha256(b"context").hex(), "round": number + 1}


def test_the_packs_are_the_same(second: SecondVerifier) -> None:
    """Thing by thing."""
    assert second.ask("packs") == {"packs": {name: list(things) for name, things in PACKS.items()}}


@pytest.mark.parametrize("listed", catalogue(), ids=lambda listed: listed.game)
def test_each_game_of_the_catalogue(second: SecondVerifier, listed: Listed) -> None:
    """The outcome of the vectors, byte for byte; and those of 100 rounds more."""
    fallback = {"cap": 1_000_000, "rtp": 9700} if listed.declaration.parameters.plain.keys() == {"cap", "rtp"} else {}
    rules = VECTORS["rules"].get(listed.game, fallback) | {"version": 1}
    known = {"rules": rules, "seeds": [VECTORS["seed"]], "context": VECTORS["context"], "round": VECTORS["round"]}
    answer = agree(second, listed.declaration.text, [known, *(case(number, rules) for number in range(100))])
    if listed.game in VECTORS["outcomes"]:
        assert spelled(answer["outcomes"][0]["outcome"]).decode() == VECTORS["outcomes"][listed.game]


@pytest.mark.nightly("asks Node about many declarations")
@given(st.data())
def test_random_declarations(second: SecondVerifier, data: st.DataObject) -> None:
    """With rules within their ranges, and ones with something else."""
    value = data.draw(declarations())
    rules = data.draw(rules_of(value))
    odd = rules | {data.draw(st.sampled_from([*rules, "more", "w7"])): data.draw(st.integers(0, 9))}
    agree(second, spelled(value), [case(data.draw(st.integers(0, 10**6)), data.draw(st.sampled_from([rules, odd])))])


@pytest.mark.nightly("asks Node about many declarations")
@given(damaged())
def test_damaged_declarations(second: SecondVerifier, value: Json) -> None:
    """Each is refused by both, or unknown to both, or one."""
    try:
        text = spelled(value)
    except UnicodeEncodeError:
        return
    agree(second, text)


@given(st.data())
def test_damaged_texts(second: SecondVerifier, data: st.DataObject) -> None:
    """A byte more, fewer, or another."""
    text = spelled(data.draw(declarations()))
    at = data.draw(st.integers(0, len(text)))
    agree(second, text[:at] + data.draw(st.binary(max_size=2)) + text[at + data.draw(st.integers(0, 2)) :])


@pytest.mark.parametrize("depth", [8, 9, 5000])
def test_deep_declarations(second: SecondVerifier, depth: int) -> None:
    """The other limits, what is newer and what is wrong are among the vectors of the format `declaration`."""
    agree(second, nested(depth))
