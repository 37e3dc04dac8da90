"""The facts about games agree with their rules and their bets."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import msgspec
import pytest

from fairness.draws.game import Outcome
from fairness.draws.stream import Stream
from games import GAMES
from games.bets import BETS
from games.declared.catalogue import catalogue, listed
from games.facts import FACTS, facts_of
from games.facts.facts import NOTHING, Facts, Whole, every_outcome

WHOLE = {game: facts.whole for game, facts in FACTS.items() if facts.whole is not None}
SAMPLE = 300


def outcomes(game: str) -> list[Outcome]:
    """All outcomes of a game; for a multiplier some, drawn by its rules."""
    if game in WHOLE:
        return list(every_outcome(game))
    rules = FACTS[game].default_rules
    return [GAMES[game].outcome(Stream([bytes(32)], bytes(32), number), rules) for number in range(1, SAMPLE)]


def test_games_with_facts_are_games_of_the_catalogue() -> None:
    """Those that have names have facts; of an operator's own game nothing is known, whatever its name is."""
    assert set(GAMES) <= FACTS.keys() <= {each.game for each in catalogue()}
    text = listed("hi-lo").declaration.text.decode()
    assert facts_of("hi-lo") == facts_of("hi-lo", text) == FACTS["hi-lo"]
    assert facts_of("hi-lo", listed("roulette").declaration.text.decode()) is facts_of("no game") is NOTHING


@pytest.mark.parametrize("game", FACTS)
def test_a_new_table_has_rules_of_the_game(game: str) -> None:
    """Those that the facts name are the game's."""
    listed(game).declaration.check_rules(FACTS[game].default_rules)


@pytest.mark.parametrize("game", WHOLE)
def test_all_outcomes_have_names_and_are_equally_likely(game: str) -> None:
    """They agree with those that the game's bets enumerate in another file."""
    chance = Fraction(1, len(WHOLE[game].labels))
    assert BETS[game].chances({"version": 1}) == tuple((outcome, chance) for outcome in outcomes(game))
    assert len(set(WHOLE[game].labels)) == len(WHOLE[game].labels)


@pytest.mark.parametrize("game", WHOLE)
def test_groups_have_each_outcome_once(game: str) -> None:
    """Groups without empty ones, two equal halves, a rare event, and symmetric scores."""
    whole, count = WHOLE[game], len(WHOLE[game].labels)
    for places in whole.groups.values():
        assert all(places.values())
        assert sorted(place for own in places.values() for place in own) == list(range(count))
    one, other = (members(whole, whole.half.group, side) for side in whole.half.sides)
    assert len(one) == len(other) > 0
    assert one.isdisjoint(other)
    assert 0 < len(members(whole, whole.event.group, whole.event.labels)) <= count / 8
    scores = whole.scores or tuple(range(count))
    mean = Fraction(sum(scores), count)
    assert Counter(score - mean for score in scores) == Counter(mean - score for score in scores)
    assert {whole.cells, *whole.board.groups} <= {whole.every, *whole.groups}


def members(whole: Whole, group: str, labels: tuple[str, ...]) -> set[int]:
    """The places of some labels of a group."""
    places = whole.groups.get(group) or {label: (place,) for place, label in enumerate(whole.labels)}
    return {place for label in labels for place in places[label]}


def test_groups_are_what_they_are_called() -> None:
    """By another reading of each outcome."""
    for game, group, called in (
        ("hi-lo", "ranks", lambda outcome: outcome["card"]),
        ("hi-lo", "colours", lambda outcome: outcome.get("color", "Joker")),
        ("sic-bo", "die 1", lambda outcome: str(outcome["dice"][0])),
        ("sic-bo", "die 2", lambda outcome: str(outcome["dice"][1])),
        ("sic-bo", "die 3", lambda outcome: str(outcome["dice"][2])),
        ("sic-bo", "sums", lambda outcome: f"sum {sum(outcome['dice'])}"),
        ("sic-bo", "triples", lambda outcome: "no triple" if len(set(outcome["dice"])) > 1 else "a triple"),
        ("keno-express", "odd and even", lambda outcome: "odd" if outcome["number"] % 2 else "even"),
        ("keno-express", "tens", lambda outcome: "{} to {}".format(*ten_of(outcome["number"]))),
        ("penalty", "colours", colour_of),
    ):
        for label, places in WHOLE[game].groups[group].items():
            assert {called(outcomes(game)[place]) for place in places} == {label}
    assert list(WHOLE["sic-bo"].scores) == [sum(outcome["dice"]) for outcome in outcomes("sic-bo")]


def ten_of(number: int) -> tuple[int, int]:
    """The first and the last number of its ten."""
    first = (number - 1) // 10 * 10 + 1
    return first, first + 9


def colour_of(end: Outcome) -> str:
    """The colour of the sector of a shot, by what the bet on yellow pays."""
    if "sector" not in end:
        return "bar or failure"
    return "blue" if BETS["penalty"].bet("yellow", {"version": 1}).odds(end) is None else "yellow"


@pytest.mark.parametrize("game", WHOLE)
def test_the_standard_bet_pays_twice_the_stake_or_nothing(game: str) -> None:
    """For a multiplier it is a cash-out at 2.00."""
    bet = BETS[game].bet(FACTS[game].standard_bet, {"version": 1})
    assert [prize.odds.pays for prize in bet.prizes] == [2]


@pytest.mark.parametrize("game", FACTS)
def test_examples_are_bets(game: str) -> None:
    """Each is offered after at least one card."""
    facts = FACTS[game]
    assert facts.bet_examples
    for text in facts.bet_examples:
        assert BETS[game].bet(text, facts.default_rules, [{"card": "7", "color": "red"}]).text == text


@pytest.mark.parametrize("game", FACTS)
def test_odds_are_written_as_the_facts_say(game: str) -> None:
    """With the stake included or not, the same for all bets of a game."""
    facts = FACTS[game]
    listed_bets = BETS[game].listed(facts.default_rules)
    found = {prize.odds.beside_stake for bet in listed_bets for prize in bet.prizes}
    assert found == {facts.is_paid_beside_stake}


def test_words_of_choices_are_in_outcomes() -> None:
    """So that readers find them there."""
    for game, facts in FACTS.items():
        for word in facts.choice_words:
            assert sum(word in outcome.values() for outcome in outcomes(game)) > 1


def test_a_fact_that_is_not_known_is_refused() -> None:
    """A name that is misspelled in the data would otherwise be lost."""
    with pytest.raises(msgspec.ValidationError, match="standard-bet"):
        msgspec.json.decode(b'{"standard-bet":"red"}', type=Facts)
