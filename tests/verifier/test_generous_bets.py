"""What an audit remarks of bets that return more than is staked, and what that may cost with a hostile file."""

from __future__ import annotations

import time
from hashlib import sha256
from typing import Any

import pytest

from tests.support.hostile_paytables import option, paytable, spelled
from verifier.paytables import NamedPaytable, check_paytables

Json = Any
MOST_SECONDS = 5.0
DIE: Json = {"draw": [["n", "number", 1, 6]]}
LARGE: Json = {"draw": [["n", "number", 999_999_999, 999_999_999]]}
_SUM: Json = ["sum", "n"]


def remarks(declaration: Json, *options: Json) -> list[str]:
    """Of one table."""
    file = paytable(*options)
    hashed = sha256(file).hexdigest()
    named = NamedPaytable("dice-1", "own", spelled(declaration).decode(), hashed, [{"version": 1}])
    judged = check_paytables(lambda _: file, [named])
    assert judged.unknown == []
    return judged.generous


def test_what_a_bet_returns_is_said() -> None:
    """Rounded up, so that what is above 100 % is so in print."""
    assert remarks(DIE, option(figure=_SUM, pays=[[[4], ["times", 600]]])) == []
    (said,) = remarks(DIE, option(figure=_SUM, pays=[[[4], ["times", [600_001, 100_000]]]]))
    assert " the bet sum returns 100.01% of " in said


@pytest.mark.nightly("lists hundreds of thousands of outcomes")
def test_no_more_outcomes_are_listed_than_memory_has_room_for() -> None:
    """Each of these tables has 100,000, which take a second."""
    file, began = paytable(option(figure=_SUM)), time.thread_time()
    hashed, texts = (
        sha256(file).hexdigest(),
        [f'{{"draw":[["n","numbers",5,{low},{low + 9}]]}}' for low in range(1, 21)],
    )
    check_paytables(
        lambda _: file, [NamedPaytable("dice-1", "own", text, hashed, [{"version": 1}]) for text in texts]
    )
    assert time.thread_time() - began < 2 * MOST_SECONDS


def test_a_return_of_hundreds_of_digits_is_cut_short() -> None:
    """No number of the machine's own holds it."""
    figure = ["chain", ["n"] * 40, "999999999"]
    (said,) = remarks(LARGE, option(figure=figure, pays=[[[{"from": 1}], ["to", 100, "value"]]]))
    assert " returns more than 100,000,000% of " in said


@pytest.mark.nightly("looks at as many bets as an audit does")
@pytest.mark.parametrize(
    "bet",
    [
        option(form="on N", choices={"N": [0, 9_999_999_999]}, figure=_SUM),
        option(form="on N", choices={"N": [0, 9_999_999_999]}, figure=_SUM, pays=[[[4], ["to", 0]]]),
        option(form="on M N", choices={"M": [5, 9_999_999_999], "N": ["$M", 4]}, figure=_SUM),
    ],
    ids=["bets", "bets that are not offered", "letters without a word"],
)
def test_a_file_with_bets_without_end_is_audited_at_once(bet: Json) -> None:
    """No more are looked at than a few seconds allow."""
    began = time.thread_time()
    assert remarks(DIE, bet) == []
    assert time.thread_time() - began < MOST_SECONDS
