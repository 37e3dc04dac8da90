"""Bets that were settled once are settled so for good: what won and what lost, with which odds, of every option of
every game.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

from games.bets import CATALOGUE_BETS
from games.bets.settlement import settle
from games.multipliers import fraction_text
from tests.oracles.bets.options import NOT_OFFERED
from tests.oracles.second_verifier import SecondVerifier
from tests.support.asked_in_javascript import settled_there
from tests.support.settlements import FILE

GAMES: list[dict[str, Any]] = json.loads(FILE.read_text("utf-8"))


@pytest.fixture(scope="module")
def second() -> Iterator[SecondVerifier]:
    """The interpreter in JavaScript."""
    with SecondVerifier() as asked:
        yield asked


def test_of_every_option_a_bet_wins_and_a_bet_loses() -> None:
    """But for those that are not offered."""
    found: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for each in GAMES:
        for form, _, _, _, result, *_ in each["settled"]:
            found[each["game"], form].add(result)
    for game, bets in CATALOGUE_BETS.items():
        for option in bets.options:
            expected = set() if option.form in NOT_OFFERED else {"wins", "loses"}
            assert expected <= found[game, option.form], (game, option.form)


@pytest.mark.parametrize("each", GAMES, ids=lambda each: each["game"])
def test_settled_bets_are_settled_as_before(each: dict[str, Any]) -> None:
    """The result, the odds as they are written, and what is paid or how the bet goes on."""
    bets = CATALOGUE_BETS[each["game"]]
    for form, text, at, before, *expected in each["settled"]:
        bet = bets.bet(text, each["rules"], [before] if before else [])
        assert bet.option.form == form
        settled = settle(bet, each["outcomes"][at], "played")
        paid = settled.next if settled.pays is None else fraction_text(settled.pays)
        assert [settled.result, settled.odds and str(settled.odds), paid] == expected, text


@pytest.mark.parametrize("each", GAMES, ids=lambda each: each["game"])
def test_javascript_settles_them_so_too(each: dict[str, Any], second: SecondVerifier) -> None:
    """By the file alone: the same results, odds and payments."""
    by_round: defaultdict[tuple[str, int], list[list[Any]]] = defaultdict(list)
    for row in each["settled"]:
        by_round[json.dumps(row[3]), row[2]].append(row)
    for (before, at), rows in by_round.items():
        texts, told = [row[1] for row in rows], [json.loads(before)] if before != "null" else []
        found = settled_there(second, each["game"], each["rules"], texts, [each["outcomes"][at]], told)
        for (*_, text, _, _, result, odds, paid), row in zip(rows, found, strict=True):
            assert row == [(result, odds, paid)], text
