"""Paytables, judged by both implementations: the same files are accepted, refused and unknown, and bets by them
settled alike.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import pytest

from fairness.draws.game import Outcome, Rules
from fairness.errors import CheckFailed, Unknown
from games.bets.bet import BetRefused
from games.bets.game_bets import GameBets
from games.bets.paytable.read import Paytable
from games.bets.settlement import settle
from games.declared.catalogue import listed
from games.declared.declaration import Declaration
from games.multipliers import fraction_text
from tests.bets import PAYTABLES, rules_of
from tests.oracles.bets.drawn import some_outcomes
from tests.oracles.second_verifier import SecondVerifier
from tests.support.asked_in_javascript import Settled, declared, settled_there
from tests.support.fuzzed_paytables import fuzzed, texts_of
from tests.support.hostile_paytables import AT_THE_LIMIT, COSTLY, DICE, NEWER, REFUSED, WRONG_BESIDE_NEW, spelled

FILES: list[tuple[str, str, str]] = json.loads(PAYTABLES.read_text("utf-8"))
GAMES = [game for game, _, _ in FILES]
MOST_MILLISECONDS = 100


@pytest.fixture(scope="module")
def second() -> Iterator[SecondVerifier]:
    """The verifier in JavaScript."""
    with SecondVerifier() as asked:
        yield asked


def judged(file: bytes, declaration: Declaration) -> list[Any]:
    """What Python says: ``held``, the check that ``failed``, or what is ``unknown``."""
    try:
        Paytable.checked(file, sha256(file).hexdigest(), declaration)
    except CheckFailed as error:
        return ["failed", str(error.check)]
    except Unknown as error:
        return ["unknown", list(error.what)]
    return ["held", None]


def judged_there(second: SecondVerifier, files: list[bytes], declaration: Declaration) -> list[list[Any]]:
    """What JavaScript says, and after how many milliseconds."""
    text = declaration.text.decode()
    found: list[list[Any]] = second.ask("judged", game="own", declaration=text, files=[each.hex() for each in files])[
        "judged"
    ]
    return found


def test_the_file_of_every_game(second: SecondVerifier) -> None:
    """Held, under the declaration of the catalogue."""
    for game, hashed, file in FILES:
        asked = second.ask("judged", game=game, declaration=declared(game), files=[file.encode().hex()])
        assert asked["judged"][0][:2] == ["held", None], (game, hashed, asked)


def test_limits_and_words_are_judged_alike(second: SecondVerifier) -> None:
    """Each limit at it and one beyond, what breaks a rule, what is newer: of a game with three dice."""
    files: dict[str, bytes] = {f"{name} at it": good for name, (good, _) in AT_THE_LIMIT.items()}
    files |= {f"{name} beyond": bad for name, (_, bad) in AT_THE_LIMIT.items()} | dict(REFUSED)
    files |= {name: file for name, (file, _) in NEWER.items()} | dict(WRONG_BESIDE_NEW)
    expected = {name: judged(file, DICE) for name, file in files.items()}
    found = judged_there(second, list(files.values()), DICE)
    assert {name: each[:2] for name, each in zip(files, found, strict=True)} == expected


def test_the_worst_files_are_judged_at_once(second: SecondVerifier) -> None:
    """As Python judges them, in less than 100 ms."""
    for name, (file, declaration) in COSTLY.items():
        found = min(judged_there(second, [file] * 5, declaration), key=lambda each: each[2])
        assert found[:2] == judged(file, declaration), name
        assert found[2] < MOST_MILLISECONDS, (name, found[2])


def agree_on_fuzzed(second: SecondVerifier, seed: int, files: int, step: int = 1) -> None:
    """Check that both say the same of files at random, and of bets by those that are accepted."""
    draw, held = random.Random(seed), 0
    for game in GAMES[::step]:
        declaration, rules = listed(game).declaration, rules_of(game)
        drawn = some_outcomes(game, rules, 6)
        made = [fuzzed(draw, game) for _ in range(files)]
        for file, found in zip(made, judged_there(second, made, declaration), strict=True):
            assert found[:2] == judged(file, declaration), (game, file, found)
            if found[0] != "held":
                continue
            held += 1
            bets = GameBets.of(Paytable.parse(file, declaration))
            texts = texts_of(file, draw)
            before = [drawn[0], drawn[-1]]
            there = settled_there(second, game, rules, texts, drawn, before, file)
            for text, row in zip(texts, there, strict=True):
                assert row == [settled(bets, text, rules, before, outcome) for outcome in drawn], (game, text, file)
    assert held > files


def settled(bets: GameBets, text: str, rules: Rules, before: list[Outcome], outcome: Outcome) -> Settled | None:
    """What Python says of one bet."""
    try:
        found = settle(bets.bet(text, rules, before), outcome, "played")
    except BetRefused:
        return None
    paid = found.next if found.pays is None else fraction_text(found.pays)
    return found.result, None if found.odds is None else str(found.odds), paid


_ONE: dict[str, Any] = {"form": "it", "pays": [[[{"from": 0}], ["to", 100, "value"]]]}
_OPEN: dict[str, Any] = {"lasts": {"loses": [], "as": "now #"}, "pays": [[["none"], ["to", 100]]]}
_MANY = {"n": [9999] * 100}
EDGES: dict[str, tuple[dict[str, Any], dict[str, Any], Outcome]] = {
    "a thing before the first one": (
        {"draw": [["n", "numbers", 3, 1, 9]]},
        _ONE | _OPEN | {"figure": ["word", [f"n -{at}" for at in range(1, 9)]]},
        {"n": [1, 2, 3]},
    ),
    "a parameter that is called value": (
        {"draw": [["n", "number", 1, 6]], "rules": {"value": [2, 5]}},
        _ONE | {"figure": ["value", "n"], "pays": [[[4], ["returns", 9600, "left", 1, 3, "value"]]]},
        {"n": 4},
    ),
    "a product of hundreds of digits": (
        {"draw": [["n", "numbers", 100, 1, 9999]]},
        _ONE | {"figure": ["chain", "n", "9999"]},
        _MANY,
    ),
    "a text of hundreds of digits": (
        {"draw": [["n", "numbers", 100, 1, 9999]]},
        _ONE | _OPEN | {"figure": ["both", ["chain", "n", "9999"], ["length", "n"]]},
        _MANY,
    ),
    "a next bet of hundreds of digits": (
        {"draw": [["n", "numbers", 100, 1, 9999]]},
        _ONE | _OPEN | {"figure": ["chain", "n", "9999"]},
        _MANY,
    ),
}
"""A game, its one option, and an outcome."""


@pytest.mark.parametrize("name", EDGES)
def test_both_agree_where_figures_are_strange(second: SecondVerifier, name: str) -> None:
    """Each settles the bet, and alike."""
    declared_as, bet, outcome = EDGES[name]
    text, file, rules = (spelled(declared_as).decode(), spelled({"options": [bet]}), {"version": 1, "value": 5})
    bets = GameBets.of(Paytable.parse(file, Declaration.parse(text.encode())))
    asked: dict[str, Any] = {"game": "own", "declaration": text, "rules": rules, "file": file.decode()}
    answer = second.ask("settlements", **asked, texts=["it"], outcomes=[outcome])
    (row,) = answer["settled"]
    assert [found and tuple(found) for found in row] == [settled(bets, "it", rules, [], outcome)]


def test_both_agree_on_files_at_random(second: SecondVerifier) -> None:
    """Of the catalogue's files with parts exchanged; the seed is fixed."""
    agree_on_fuzzed(second, 30, 6, step=5)


@pytest.mark.nightly("judges and settles by thousands of bets in both languages")
@pytest.mark.parametrize("seed", range(2))
def test_both_agree_on_many_files_at_random(second: SecondVerifier, seed: int) -> None:
    """The same with others."""
    agree_on_fuzzed(second, seed, 40)
