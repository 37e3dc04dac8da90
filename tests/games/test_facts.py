"""The facts about each game agree with its rules and its bets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction

import pytest
from jsonschema import Draft202012Validator

from fairness.draws.game import Outcome, RulesRefused
from fairness.draws.stream import Stream
from games import GAMES
from games.bets import BETS
from games.facts import FACTS
from games.facts.facts import PLAIN_RULES, Facts, Grouping, Uniform

UNIFORM: Mapping[str, Uniform] = {game: facts.uniform for game, facts in FACTS.items() if facts.uniform is not None}
SAMPLE = 300


def outcomes(game: str) -> list[Outcome]:
    """All outcomes of a game; for a multiplier some, drawn by its rules."""
    if game in UNIFORM:
        return list(UNIFORM[game].outcomes)
    rules = FACTS[game].default_rules
    return [GAMES[game].outcome(Stream([bytes(32)], bytes(32), number), rules) for number in range(1, SAMPLE)]


def forms_of(facts: Facts) -> Draft202012Validator:
    """The JSON Schema of a game's outcomes."""
    forms = [
        {"type": "object", "properties": each, "required": list(each), "additionalProperties": False}
        for each in facts.members
    ]
    return Draft202012Validator({"oneOf": forms})


def test_every_game_has_facts() -> None:
    """In the order of the registry."""
    assert list(FACTS) == list(GAMES)


@pytest.mark.parametrize("game", GAMES)
def test_a_new_table_has_rules_of_the_game(game: str) -> None:
    """With parameters if the game has any."""
    facts = FACTS[game]
    GAMES[game].check_rules(facts.default_rules)
    if facts.has_parameters:
        with pytest.raises(RulesRefused):
            GAMES[game].check_rules(PLAIN_RULES)
    else:
        assert facts.default_rules == PLAIN_RULES


@pytest.mark.parametrize("game", GAMES)
def test_outcomes_are_of_the_described_forms(game: str) -> None:
    """Each has exactly one form, and every form occurs."""
    forms = forms_of(FACTS[game])
    assert all(forms.is_valid(outcome) for outcome in outcomes(game))
    assert {tuple(sorted(outcome)) for outcome in outcomes(game)} == {tuple(sorted(e)) for e in FACTS[game].members}
    assert not any(forms.is_valid(other) for other in ({}, {"pocket": 17}, {**outcomes(game)[0], "more": 1}))


@pytest.mark.parametrize("game", GAMES)
def test_outcomes_become_numbers_and_back(game: str) -> None:
    """Each has different numbers, in ascending order."""
    numbers = FACTS[game].numbers
    found = [numbers.of(outcome) for outcome in outcomes(game)]
    assert [numbers.outcome(each[: numbers.count]) for each in found] == outcomes(game)
    assert all(not any(each[numbers.count :]) for each in found)
    if game in UNIFORM:
        assert found == sorted(set(found))


@pytest.mark.parametrize("game", UNIFORM)
def test_all_outcomes_are_there_and_equally_likely(game: str) -> None:
    """They agree with those that the game's bets enumerate in another file."""
    chance = Fraction(1, len(UNIFORM[game].outcomes))
    assert BETS[game].chances(PLAIN_RULES) == tuple((outcome, chance) for outcome in UNIFORM[game].outcomes)


@pytest.mark.parametrize("game", UNIFORM)
def test_what_statistics_ask_is_about_every_outcome(game: str) -> None:
    """Groups without empty ones, two equal halves, a rare event, and symmetric scores."""
    uniform = UNIFORM[game]
    count = len(uniform.outcomes)
    for grouping in (*uniform.groupings, uniform.cells):
        check_grouping(grouping, count)
    assert uniform.groupings[0].groups == tuple(range(count))
    halves = Counter(uniform.half[1])
    assert len(uniform.half[1]) == count
    assert halves[0] == halves[1]
    assert halves.keys() <= {0, 1, -1}
    assert 0 < sum(uniform.event[1]) <= count / 8
    mean = Fraction(sum(uniform.scores), count)
    assert Counter(score - mean for score in uniform.scores) == Counter(mean - score for score in uniform.scores)


def check_grouping(grouping: Grouping, count: int) -> None:
    """Check that each outcome is in a group, and each group has an outcome and a unique name."""
    assert len(grouping.groups) == count
    assert set(grouping.groups) == set(range(len(grouping.labels)))
    assert len(set(grouping.labels)) == len(grouping.labels)


@pytest.mark.parametrize("game", UNIFORM)
def test_a_board_has_a_square_for_each_value_of_each_number(game: str) -> None:
    """Each has a name, and no two share a place."""
    board, numbers = UNIFORM[game].board, FACTS[game].numbers
    values = [{numbers.of(outcome)[at] for outcome in UNIFORM[game].outcomes} for at in range(numbers.count)]
    assert len(board.names) == len(set(board.names)) == len(set(board.squares)) == sum(map(len, values))
    assert len({len(each) for each in values}) == 1


@pytest.mark.parametrize("game", UNIFORM)
def test_the_standard_bet_pays_twice_the_stake_or_nothing(game: str) -> None:
    """For a multiplier it is a cash-out, which needs no fact."""
    bet = BETS[game].bet(FACTS[game].standard_bet, PLAIN_RULES)
    assert [prize.odds.pays for prize in bet.prizes] == [2]


@pytest.mark.parametrize("game", GAMES)
def test_examples_are_bets(game: str) -> None:
    """Each is offered after at least one card."""
    facts = FACTS[game]
    assert facts.bet_examples
    for text in facts.bet_examples:
        assert BETS[game].bet(text, facts.default_rules, [{"card": "7", "color": "red"}]).text == text


@pytest.mark.parametrize("game", GAMES)
def test_odds_are_written_as_the_facts_say(game: str) -> None:
    """With the stake included or not, the same for all bets of a game."""
    facts = FACTS[game]
    listed = BETS[game].listed(facts.default_rules)
    found = {prize.odds.beside_stake for bet in listed for prize in bet.prizes}
    assert found == {facts.is_paid_beside_stake}


def test_words_of_choices_are_in_outcomes() -> None:
    """So that readers find them there."""
    for game, facts in FACTS.items():
        for word in facts.choice_words:
            assert sum(word in outcome.values() for outcome in outcomes(game)) > 1
