"""The six games: every outcome by enumeration of every draw."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator

import pytest
from msgspec import json

from fairness.draws.game import Outcome, RulesRefused
from fairness.draws.stream import Stream
from games import GAMES
from tests.oracles.given_stream import GivenStream

PLAIN = {"version": 1}
CRASH_RULES = {"cap": 1_000_000, "rtp": 9700, "version": 1}


def outcome_of(game: str, draws: tuple[int, ...]) -> Outcome:
    """The outcome of given draws (a word below the limit is the draw itself); checks that nothing else is read."""
    stream = GivenStream.of_words(*draws)
    outcome = GAMES[game].outcome(stream, PLAIN)
    with pytest.raises(StopIteration):
        stream.take(1)
    return outcome


def all_outcomes(game: str, limit: int, count: int = 1) -> Iterator[Outcome]:
    for draws in itertools.product(range(limit), repeat=count):
        yield outcome_of(game, draws)


def test_the_games_are_these_with_the_leads_of_the_regulation() -> None:
    """Sections 12.20, 12.26, 12.21 and 12.29 say 10 rounds in advance, 12.25 says 5, 12.33 at least 2."""
    assert {name: game.lead for name, game in GAMES.items()} == {
        "crash": 10,
        "rocketon": 10,
        "hi-lo": 10,
        "sic-bo": 5,
        "penalty": 10,
        "keno-express": 2,
    }
    assert all(game.name == name for name, game in GAMES.items())


def test_hi_lo_draws_each_of_25_cards_once() -> None:
    """2 to 9, J, Q, K, A but no 10; each red, then black; the Joker last, without a color."""
    expected = [
        *({"card": card, "color": color} for card in [*"23456789", "J", "Q", "K", "A"] for color in ("red", "black")),
        {"card": "Joker"},
    ]
    assert list(all_outcomes("hi-lo", 25)) == expected
    assert len(expected) == 25


def test_sic_bo_draws_each_of_216_throws_once() -> None:
    """Three dice in the order of their draws, each 1 to 6, independent of one another."""
    throws = list(all_outcomes("sic-bo", 6, 3))
    assert throws == [{"dice": list(dice)} for dice in itertools.product(range(1, 7), repeat=3)]
    sums = Counter(sum(throw["dice"]) for throw in throws if isinstance(throw["dice"], list))
    assert sums == Counter(a + b + c for a in range(1, 7) for b in range(1, 7) for c in range(1, 7))


def test_penalty_draws_each_of_26_ends_once() -> None:
    """Sectors 1 to 24, then the bar, then failure."""
    sectors = [{"sector": sector} for sector in range(1, 25)]
    assert list(all_outcomes("penalty", 26)) == [*sectors, {"result": "bar"}, {"result": "failure"}]


def test_keno_express_draws_each_of_100_numbers_once() -> None:
    """1 to 100."""
    assert list(all_outcomes("keno-express", 100)) == [{"number": number} for number in range(1, 101)]


LIMITS = {"hi-lo": 25, "sic-bo": 6, "penalty": 26, "keno-express": 100}


@pytest.mark.parametrize("game", LIMITS)
def test_a_draw_beyond_the_last_whole_multiple_is_drawn_again(game: str) -> None:
    """The refused words show that the limit that a game passes to its draw is the number of its outcomes."""
    limit = LIMITS[game]
    whole = (1 << 32) // limit * limit
    count = 3 if game == "sic-bo" else 1
    assert outcome_of(game, (whole - 1,) * count) == outcome_of(game, (limit - 1,) * count)
    assert outcome_of(game, (whole, 1) * count) == outcome_of(game, (1,) * count)


@pytest.mark.parametrize("game", ["crash", "rocketon"])
@pytest.mark.parametrize(
    ("word", "multiplier"),
    [
        ((1 << 64) - 1, "1.00"),
        (((9700 << 64) // (100 * 101)) - 1, "1.01"),
        ((9700 << 64) // (100 * 101), "1.00"),
        (((9700 << 64) // (100 * 110)) - 1, "1.10"),
        (((9700 << 64) // (100 * 2123)) - 1, "21.23"),
        (((9700 << 64) // (100 * 2000)) - 1, "20.00"),
        (((9700 << 64) // (100 * 1_000_000)) - 1, "10000.00"),
        (((9700 << 64) // (100 * 999_999)) - 1, "9999.99"),
        (0, "10000.00"),
    ],
)
def test_a_multiplier_always_has_two_decimals(game: str, word: int, multiplier: str) -> None:
    """From 1.00 to the cap, at the exact words where it changes; it reads exactly eight bytes."""
    stream = GivenStream(word.to_bytes(8, "big"))
    assert GAMES[game].outcome(stream, CRASH_RULES) == {"multiplier": multiplier}
    with pytest.raises(StopIteration):
        stream.take(1)


@pytest.mark.parametrize("game", ["crash", "rocketon"])
@pytest.mark.parametrize("rtp", [1, 9700, 10_000])
@pytest.mark.parametrize("cap", [101, 1_000_000, 1_000_000_000])
def test_the_rules_of_a_multiplier_at_their_limits(game: str, rtp: int, cap: int) -> None:
    """The smallest and the largest rtp and cap are accepted."""
    GAMES[game].check_rules({"cap": cap, "rtp": rtp, "version": 1})


@pytest.mark.parametrize("game", ["crash", "rocketon"])
@pytest.mark.parametrize(
    "rules",
    [
        {},
        PLAIN,
        {"cap": 1_000_000, "rtp": 9700},
        {"cap": 1_000_000, "version": 1},
        {"rtp": 9700, "version": 1},
        {**CRASH_RULES, "edge": 300},
        {**CRASH_RULES, "version": 0},
        {**CRASH_RULES, "version": 2},
        {**CRASH_RULES, "rtp": 0},
        {**CRASH_RULES, "rtp": 10_001},
        {**CRASH_RULES, "cap": 100},
        {**CRASH_RULES, "cap": 1_000_000_001},
    ],
)
def test_other_rules_of_a_multiplier_are_refused(game: str, rules: dict[str, int]) -> None:
    """The error names a missing, unknown or too large parameter, and says what is allowed."""
    with pytest.raises(RulesRefused, match="cap 101 to 1000000000, rtp 1 to 10000, version 1"):
        GAMES[game].check_rules(rules)


@pytest.mark.parametrize("game", LIMITS)
def test_the_other_games_take_a_version_and_nothing_else(game: str) -> None:
    """Version 1, without parameters."""
    GAMES[game].check_rules(PLAIN)
    for rules in ({}, {"version": 0}, {"version": 2}, {"version": 1, "cap": 5}, CRASH_RULES):
        with pytest.raises(RulesRefused, match="version 1 and no parameters"):
            GAMES[game].check_rules(rules)


@pytest.mark.parametrize("game", GAMES)
def test_an_outcome_fits_into_a_record(game: str) -> None:
    """Its JSON is allowed in a record, and reading it again gives the same outcome."""
    rules = CRASH_RULES if game in {"crash", "rocketon"} else PLAIN
    for number in range(1, 200):
        outcome = GAMES[game].outcome(Stream([b"s" * 32], bytes(32), number), rules)
        text = json.encode(outcome, order="deterministic")
        assert text.isascii()
        assert json.decode(text, type=dict[str, str | int | list[int]]) == outcome


@pytest.mark.parametrize("game", sorted(LIMITS))
def test_an_outcome_is_the_callers_own(game: str) -> None:
    """Changing a returned outcome changes no other round's."""
    first, second = (outcome_of(game, (3, 3, 3) if game == "sic-bo" else (3,)) for _ in range(2))
    assert first == second
    assert first is not second
