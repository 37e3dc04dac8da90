"""docs/paytable-format.md: the games that it works by hand are those of the catalogue, and their bets are settled as
it says.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pytest

from fairness import limits
from games.bets import CATALOGUE_BETS
from games.bets.bet import BetRefused
from games.bets.catalogue import data
from games.bets.paytable.context import LONGEST_TEXT, MOST_TEXTS
from games.bets.paytable.source import paytable_of
from games.bets.paytable.words import WORDS
from games.bets.settlement import settle
from tests.bets import rules_of
from tests.house import HOUSE

PAGE = (HOUSE / "docs" / "paytable-format.md").read_text("utf-8")
_GAME = re.compile(r"^### [^\n]*?: ([a-z0-9-]+)\n(.*?)(?=^##)", re.MULTILINE | re.DOTALL)
_ROW = re.compile(r"^\| `([^`]*)` \|(?: `([^`]*)` \|)? `([^`]*)` \| (.*) \|$", re.MULTILINE)


class Worked(NamedTuple):
    """One bet of the page."""

    game: str
    text: str
    before: Mapping[str, Any] | None
    outcome: Mapping[str, Any]
    result: str


def _worked() -> Iterator[Worked]:
    for game, body in _GAME.findall(PAGE):
        for text, before, outcome, result in _ROW.findall(body):
            yield Worked(game, text, json.loads(before) if before else None, json.loads(outcome), result)


WORKED = list(_worked())


def test_the_options_are_those_of_the_catalogue() -> None:
    """One of each game that is worked by hand, as its file has it."""
    for game, body in _GAME.findall(PAGE):
        option = re.search(r"```json\n(.*)\n```", body)
        assert option is not None
        assert json.loads(option[1]) in json.loads(paytable_of(data(), game))["options"], game


@pytest.mark.parametrize("worked", WORKED, ids=lambda worked: f"{worked.game}-{worked.text}-{worked.result}")
def test_bets_are_settled_as_the_page_works_them(worked: Worked) -> None:
    """The result, the odds, and what is paid."""
    try:
        bet = CATALOGUE_BETS[worked.game].bet(
            worked.text, rules_of(worked.game), [worked.before] if worked.before else []
        )
    except BetRefused:
        assert worked.result == "not offered"
        return
    settled = settle(bet, worked.outcome, "played")
    following = f"open as `{settled.next}`" if settled.result == "open" else settled.result
    assert worked.result == (f"wins {settled.odds}, pays {settled.pays}" if settled.odds else following)


def test_the_page_has_every_word_and_every_limit() -> None:
    """And no word that the program does not know."""
    table = PAGE.partition("| word | arguments | value |")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| `([a-z]+)` \|", table, re.MULTILINE)) == {*WORDS, "minus", "both", "holds"}
    numbers = [limits.LARGEST_PAYTABLE, limits.LARGEST_NEWER_PAYTABLE, limits.MOST_OPTIONS, limits.MOST_TABLES]
    for number in (*numbers, limits.MOST_COST, LONGEST_TEXT, MOST_TEXTS):
        assert re.search(rf"\b{number:,}\b", PAGE), number
    assert f"at most {limits.DEEPEST_PAYTABLE} deep" in PAGE
    assert len(WORKED) > 20
