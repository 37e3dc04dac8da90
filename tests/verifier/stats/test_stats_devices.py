"""Declared games by kind: each device has the law of its draws, planted faults are found, and every game of the
catalogue is tested.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, permutations
from typing import Any

import msgspec
import numpy as np
import pytest
from msgspec import structs

from api.operations.drift import law_of
from games.declared.catalogue import catalogue
from games.declared.declaration import Declaration
from games.declared.kinds import NAMES
from games.declared.law import TooMany, law
from tests.oracles.made_columns import (
    closed_after,
    declared_table,
    drawn,
    numbers,
    some_rules,
    table,
    with_drawn,
    with_numbers,
    with_voids,
)
from tests.soak.clean_logs import raised
from verifier.stats.conduct.returns import has_standard_bet, table_return, winning
from verifier.stats.conduct.voids import judge_voids
from verifier.stats.numbers.columns import Ints, TableColumns
from verifier.stats.numbers.devices import Device, devices_of
from verifier.stats.numbers.family import judge
from verifier.stats.numbers.samples import Drawn, Part, parts_of
from verifier.stats.randomness.chi_square import LEAST_EXPECTED, merged
from verifier.stats.randomness.devices import of_devices
from verifier.stats.statistics import findings_of

ROOT = bytes(range(32))
ROUNDS = 3_000
ALARM, SUSPICIOUS = 1e-4, 1e-2
DECLARED = [listed for listed in catalogue() if listed.game not in {"crash", "rocketon", "hi-lo", "sic-bo"}]


def alarms(*tables: TableColumns) -> set[tuple[str, str]]:
    """Which tests of these tables raise an alarm: name and subject."""
    return {
        (each.finding.test, each.finding.subject) for each in judge(list(findings_of(tables, ROOT))) if each.alarm
    }


def test_a_device_has_the_law_of_what_is_drawn() -> None:
    """Every game whose outcomes can be listed: the law at each place, and at the first two, added up over all
    outcomes.
    """
    compared = 0
    for listed in catalogue():
        rules = some_rules(listed.declaration.parameters)
        try:
            outcomes = law(listed.declaration, rules)
        except TooMany:
            continue
        compared += 1
        _compare(listed.declaration, rules, outcomes)
    assert compared >= 20


@pytest.mark.parametrize(
    "declared",
    [
        {"draw": [["order", "race"]], "rules": {"runners": [4, 4], "w*runners": [1, 5]}},
        {"draw": [["balls", "take", 3]], "drum": [1, 5]},
        {"draw": [["a", "take", 2], ["b", "take", 1]], "shoe": [2, ["red", "red", "blue", "7"]]},
        {"draw": [["n", "take", [1, 2]], ["m", "wheels", "n", [[5, 3], [9, 1]]]], "drum": [1, 4]},
        {"draw": [["stops", "reels"]], "rules": {"reels": [2, 2], "reel*reels": [3, 12]}},
        # A count asks for the things of an earlier place of any kind, also of one that is drawn before the pile is
        # read.
        {
            "draw": [["stops", "reels"], ["m", "wheels", "stops", [[5, 1], [9, 2]]]],
            "rules": {"reels": [2, 2], "reel*reels": [2, 12]},
        },
        {
            "draw": [["order", "race"], ["dice", "numbers", "order", 1, 3]],
            "rules": {"runners": [2, 2], "w*runners": [1, 5]},
        },
        {"draw": [["n", "numbers", [1, 2], 0, 2], ["balls", "take", "n"]], "drum": [1, 4]},
        {"draw": [["n", "take", [1, 2]], ["m", "take", 1, 2], ["p", "pick", "m", 1, 3]], "drum": [1, 5]},
        {"draw": [["colour", "one", ["red", 0]], ["*", "ends", [{"x": 1}, {"x": 2, "y": "a"}, {"x": 1}]]]},
        {
            "draw": [["s", "spin", [["1", 5], ["2", 3], ["2x", 2]], ["2x"]], ["p", "pick", 2, 1, 4]],
            "rules": {"x": [1, 2]},
        },
    ],
)
def test_a_device_of_each_kind_has_its_law(declared: dict[str, Any]) -> None:
    """Small ones, so that all their outcomes can be listed."""
    declaration = Declaration.of(declared)
    rules = some_rules(declaration.parameters)
    if "spin" in str(declared):
        # A spin has no end of outcomes; of its first turn the law is its weights.
        (spin, _) = devices_of(declaration, rules)
        assert spin.chances.tolist() == [0.5, 0.3, 0.2]
        return
    _compare(declaration, rules, law(declaration, rules))


def test_the_longest_reel_costs_nothing() -> None:
    """Its stops are counted in parts, without going through them: a hostile log can have 2^32."""
    declaration = Declaration.of({"draw": [["stops", "reels"]], "rules": {"n": [2, 2], "reel*n": [1, 2**32]}})
    most, odd = devices_of(declaration, {"version": 1, "n": 2, "reel1": 2**32, "reel2": 250})
    assert (len(most.labels), most.things) == (100, 2**32)
    assert most.read({"stops": [2**32 - 1, 0]}) == [99]
    assert (odd.labels[0], odd.labels[-1], odd.counts[-1], odd.things) == ("0–2", "249", 1, 250)
    assert odd.read({"stops": [0, 249]}) == [83]


@pytest.mark.parametrize(
    ("a", "is_tested"), [(0, False), (1, True), (9_999, True), (10_000, False), (2**53 - 1, False)]
)
def test_a_rally_that_somebody_always_wins_has_nothing_to_test(a: int, is_tested: bool) -> None:
    """A declaration's own range of ``a`` may reach beyond the ten thousand chances."""
    declaration = Declaration.of({"draw": [["*", "deal", "rally"]], "rules": {"a": [0, 2**53 - 1]}})
    assert [each.labels for each in devices_of(declaration, {"version": 1, "a": a})] == [("A", "B")] * is_tested


def _compare(declaration: Declaration, rules: dict[str, int], outcomes: dict[bytes, Fraction]) -> None:
    for device in devices_of(declaration, rules):
        at_places = np.zeros((device.size, len(device.labels)))
        at_two = np.zeros((len(device.labels), len(device.labels)))
        for text, chance in outcomes.items():
            codes = device.read(msgspec.json.decode(text))
            assert len(codes) == device.size
            at_places[np.arange(device.size), codes] += float(chance)
            if device.size > 1:
                at_two[codes[0], codes[1]] += float(chance)
        assert device.at_places() == pytest.approx(at_places, abs=1e-9), device.name
        if device.size > 1:
            assert device.at_first_two() == pytest.approx(at_two, abs=1e-9), device.name


def test_finishing_places_are_those_of_all_orders() -> None:
    """Plackett and Luce, over the permutations of five runners."""
    weights = [7, 1, 3, 3, 11]
    declaration = Declaration.of({"draw": [["order", "race"]], "rules": {"runners": [5, 5], "w*runners": [1, 99]}})
    rules = {"version": 1, "runners": 5, **{f"w{at}": weight for at, weight in enumerate(weights, 1)}}
    found = np.zeros((5, 5))
    for order in permutations(range(5)):
        chance, left = Fraction(1), sum(weights)
        for runner in order:
            chance, left = chance * Fraction(weights[runner], left), left - weights[runner]
        found[np.arange(5), order] += float(chance)
    (device,) = devices_of(declaration, rules)
    assert device.at_places() == pytest.approx(found)


def test_counts_without_return_are_less_spread() -> None:
    """Pearson's statistic of k of n, times (n - 1) / (n - k), has the mean n - 1, exactly: over all choices of two of
    five.
    """
    total = 0.0
    choices = list(permutations(range(5), 2))
    expected = np.full(5, 2 / 5)
    for choice in choices:
        found = np.bincount(choice, minlength=5)
        total += float(((found - expected) ** 2 / expected).sum())
    assert total / len(choices) * (5 - 1) / (5 - 2) == pytest.approx(5 - 1)


def test_rare_cells_are_merged() -> None:
    """Until enough is expected in each; nothing is lost, and one cell is no test."""
    expected = np.array([3.0, 200.0, 30.0, 20.0, 100.0])
    fit = merged(np.array([3, 200, 30, 20, 100]), expected)
    assert fit is not None
    assert (fit.statistic, fit.freedom, fit.p) == (0.0, 2, 1.0)
    assert merged(np.array([10, 20]), np.array([10.0, 20.0])) is None
    assert merged(np.array([1, 60]), np.array([1.0, LEAST_EXPECTED])) is None


Outcomes = list[dict[str, Any]]


def favoured_face(outcomes: Outcomes, chance: np.random.Generator) -> None:
    """The second die shows a six in one throw of twenty, whatever was thrown."""
    for outcome in outcomes:
        if chance.random() < 0.05:
            outcome["dice"][1] = 6


def equal_dice(outcomes: Outcomes, chance: np.random.Generator) -> None:
    """In one throw of fifteen both dice show the same."""
    for outcome in outcomes:
        if chance.random() < 1 / 15:
            outcome["dice"][1] = outcome["dice"][0]


def favoured_pocket(outcomes: Outcomes, chance: np.random.Generator) -> None:
    """The zero comes in one more round of fifty."""
    for outcome in outcomes:
        if chance.random() < 0.02:
            outcome["pocket"] = 0


def repeating_wheel(outcomes: Outcomes, chance: np.random.Generator) -> None:
    """One spin in ten stops where the last one did."""
    for before, outcome in pairwise(outcomes):
        if chance.random() < 0.1:
            outcome["segment"] = before["segment"]


def heavy_ball(outcomes: Outcomes, chance: np.random.Generator) -> None:
    """Ball 7 takes the place of the last ball in one round of twenty."""
    for outcome in outcomes:
        if chance.random() < 0.05 and 7 not in outcome["balls"]:
            outcome["balls"][-1] = 7


def pair_that_repeats(outcomes: Outcomes, chance: np.random.Generator) -> None:
    """Where 3 comes, 4 often comes, too, in the place of another ball; 4 is left out as often elsewhere."""
    for outcome in outcomes:
        balls = outcome["balls"]
        if 3 in balls and 4 not in balls and chance.random() < 0.3:
            balls[next(at for at, ball in enumerate(balls) if ball != 3)] = 4


def balls_that_stay(outcomes: Outcomes, chance: np.random.Generator) -> None:
    """In one round of ten the first three balls are those of the round before."""
    for before, outcome in pairwise(outcomes):
        if chance.random() < 0.1:
            kept = before["balls"][:3]
            outcome["balls"] = [*kept, *(ball for ball in outcome["balls"] if ball not in kept)][
                : len(outcome["balls"])
            ]


def card_that_is_never_first(outcomes: Outcomes, chance: np.random.Generator) -> None:
    """The ace of spades changes its place with the second card."""
    del chance
    for outcome in outcomes:
        cards = outcome["cards"].split()
        if cards[0] == "As":
            cards[0], cards[1] = cards[1], cards[0]
        outcome["cards"] = " ".join(cards)


def unshuffled_cards(outcomes: Outcomes, chance: np.random.Generator) -> None:
    """In one deck of twenty the king of hearts still lies before the queen."""
    for outcome in outcomes:
        cards = outcome["cards"].split()
        if chance.random() < 0.05:
            cards.remove("Kh")
            cards.insert(cards.index("Qh"), "Kh")
        outcome["cards"] = " ".join(cards)


def strong_hand(outcomes: Outcomes, chance: np.random.Generator) -> None:
    """One first card of the banker in twelve is an ace of hearts."""
    for outcome in outcomes:
        if chance.random() < 1 / 40:
            outcome["banker"] = " ".join(["Ah", *outcome["banker"].split()[1:]])


def runner_that_wins_too_often(outcomes: Outcomes, chance: np.random.Generator) -> None:
    """Runner 2 wins one race of fifteen that it had not won."""
    for outcome in outcomes:
        if chance.random() < 1 / 15:
            outcome["order"].remove(2)
            outcome["order"].insert(0, 2)


def runner_that_is_never_last(outcomes: Outcomes, chance: np.random.Generator) -> None:
    """Runner 1 is second last at the least."""
    del chance
    for outcome in outcomes:
        if outcome["order"][-1] == 1:
            outcome["order"][-2:] = outcome["order"][:-3:-1]


def stuck_reel(outcomes: Outcomes, chance: np.random.Generator) -> None:
    """The third reel stops at its first stop once more in ten rounds."""
    for outcome in outcomes:
        if chance.random() < 0.1:
            outcome["stops"][2] = 0


def third_ball_that_stays(outcomes: Outcomes, chance: np.random.Generator) -> None:
    """In one round of eight the third ball is that of the round before."""
    for before, outcome in pairwise(outcomes):
        balls, third = outcome["balls"], before["balls"][2]
        if chance.random() < 1 / 8 and third not in balls:
            balls[2] = third


def runner_that_is_second_too_often(outcomes: Outcomes, chance: np.random.Generator) -> None:
    """Runner 3 takes the second place from another one in one race of fifteen."""
    for outcome in outcomes:
        order = outcome["order"]
        if chance.random() < 1 / 15 and order[0] != 3:
            order.remove(3)
            order.insert(1, 3)


def cards_that_are_dealt_again(outcomes: Outcomes, chance: np.random.Generator) -> None:
    """Two hands are those of a thousand rounds before."""
    del chance
    outcomes[1500:1502] = [dict(outcome) for outcome in outcomes[500:502]]


def favoured_third_card(outcomes: Outcomes, chance: np.random.Generator) -> None:
    """One third card of the player in fifteen is the nine of clubs."""
    for outcome in outcomes:
        cards = outcome["player"].split()
        if len(cards) == 3 and chance.random() < 1 / 15:
            outcome["player"] = " ".join([*cards[:2], "9c"])


FAULTS: list[tuple[str, Callable[[Outcomes, np.random.Generator], None], set[tuple[str, str]]]] = [
    ("craps", favoured_face, {("chi-square", "dice, no. 2"), ("places", "dice")}),
    ("craps", equal_dice, {("pairs-of-places", "dice")}),
    ("roulette", favoured_pocket, {("count", "pocket")}),
    ("crazy-time", repeating_wheel, {("serial", "correlation with earlier rounds")}),
    ("lucky-7", heavy_ball, {("inclusion", "balls"), ("places", "balls")}),
    ("lucky-7", pair_that_repeats, {("together", "balls")}),
    ("lucky-7", balls_that_stay, {("kept", "balls")}),
    ("baccarat", favoured_third_card, {("further", "first four cards")}),
    ("lucky-7", third_ball_that_stays, {("runs", "runs of balls, no. 3")}),
    ("draw-hi-lo", card_that_is_never_first, {("places", "cards")}),
    ("draw-hi-lo", unshuffled_cards, {("neighbours", "cards")}),
    ("baccarat", strong_hand, {("places", "first four cards")}),
    ("racing", runner_that_wins_too_often, {("count", "order, no. 1"), ("places", "order")}),
    ("racing", runner_that_is_never_last, {("places", "order")}),
    ("racing", runner_that_is_second_too_often, {("count", "order, no. 2"), ("places", "order")}),
    ("baccarat", cards_that_are_dealt_again, {("repeat", "the longest sequence that occurs twice")}),
    ("slot", stuck_reel, {("chi-square", "stops 3"), ("count", "stops 3")}),
]


@pytest.mark.lattice
@pytest.mark.parametrize(("game", "plant", "found"), FAULTS, ids=[plant.__name__ for _, plant, _ in FAULTS])
def test_a_planted_fault_of_a_kind_is_found(
    game: str, plant: Callable[[Outcomes, np.random.Generator], None], found: set[tuple[str, str]]
) -> None:
    """The test made for it raises an alarm; without the fault no test does."""
    made = declared_table(game, ROUNDS, seed=5)
    outcomes = drawn(made)
    plant(outcomes, np.random.default_rng(5))
    assert not alarms(made)
    assert found <= alarms(with_drawn(made, outcomes))


@pytest.mark.lattice
@pytest.mark.parametrize("kind", NAMES)
def test_each_kind_of_step_reaches_tests_pictures_and_the_monitor(kind: str) -> None:
    """By what it draws, in a game of an operator's own, of which nobody knows more: a kind without a device fails
    here.
    """
    from verifier.stats.output.table_plots import table_pictures  # noqa: PLC0415  (pictures are slow to import)

    of_kind = f'"{kind}"'.encode()
    game = next(each.game for each in catalogue() if of_kind in each.declaration.text)
    made = replace(declared_table(game, 60, seed=1), game="own")
    (part,) = parts_of(made, made.played, ROOT)
    devices = {drawn.device.name for drawn in part.drawn}
    tested = {
        each.subject.partition(", ")[0] for each in findings_of([made], ROOT) if each.test in {"count", "places"}
    }
    assert tested
    assert devices & tested or made.is_flight
    assert len(table_pictures(made)) >= len(part.drawn[:6]) > 0
    followed = {
        test.name.partition(": ")[0] for test in law_of("own", json.dumps(made.rules), made.declaration).tests
    }
    assert followed == devices or made.is_flight


def test_a_flight_of_another_name_is_tested_as_one_that_has_a_name() -> None:
    """All findings are the same, but for what is known of its bets; a cap that is not kept is found."""
    named = table("crash", 2_000, seed=4)
    own = replace(named, game="own", declaration=named.declared.text.decode())
    bets = {"return", "closed-early", "void-pays-more", "schedule"}
    found, expected = (
        {(each.test, each.subject): each.p for each in findings_of([made], ROOT) if each.test not in bets}
        for made in (own, named)
    )
    assert ("kolmogorov-smirnov", "multipliers") in found
    assert found == expected
    assert ("cash-outs", "cash-outs and the cap") in alarms(with_numbers(own, np.minimum(numbers(own), 2_000)))


def test_a_schedule_at_a_declared_table_is_found() -> None:
    """Rounds that cost much are played while nobody bets, or before anybody could; in honest rounds nothing is
    strange.
    """
    made, random = declared_table("roulette", ROUNDS, seed=5), np.random.default_rng(5)
    costly = winning(made) & (random.random(ROUNDS) < 0.15)
    assert not alarms(made)
    assert ("schedule", "a digest of bets or none") in alarms(replace(made, bets=np.where(costly, -1, made.bets)))
    hasty = replace(made, opened=np.where(costly, made.locked - 500, made.opened))
    assert ("schedule", "the time from open to lock") in alarms(hasty)


@pytest.mark.parametrize(("is_win", "seen"), [(True, "field wins in "), (False, "dice, no. 1: 3 in ")])
def test_a_schedule_is_found_in_the_standard_bet_and_in_the_first_thing(is_win: bool, seen: str) -> None:
    """Of both the more conspicuous is reported: nobody bets in rounds that the field wins, or whose first die shows
    3.
    """
    made = declared_table("craps", ROUNDS, seed=5)
    threes = np.array([outcome["dice"][0] == 3 for outcome in drawn(made)])
    chosen = (winning(made) if is_win else threes) & (np.random.default_rng(5).random(ROUNDS) < 0.1)
    (found, *_) = (
        each
        for each in findings_of([replace(made, bets=np.where(chosen, -1, made.bets))], ROOT)
        if (each.test, each.subject) == ("schedule", "a digest of bets or none")
    )
    assert found.p is not None
    assert found.p < 1e-9
    assert found.observed.startswith(seen)


def test_what_follows_is_any_of_what_all_before_it_left() -> None:
    """Of a pile of four, after one that always comes: the second that follows is one of two, not of three."""
    chance = np.random.default_rng(5)
    dealt = chance.permuted(np.tile(np.arange(4), (ROUNDS, 1)), axis=1)
    assert further_p(dealt) > 1e-3
    # In one round of ten the last one comes where the third would be the first label.
    put = (dealt[:, 2] == 0) & (chance.random(ROUNDS) < 0.4)
    dealt[put, 2] = dealt[put, 3]
    assert further_p(dealt) < 1e-9


def further_p(dealt: Ints) -> float:
    """Of rounds in which one thing comes, and two follow."""
    pile = Device("pile", "taken", tuple("abcd"), (1,) * 4, 1, lambda _: ())
    part = Part({}, np.ones(len(dealt), np.bool_), (Drawn(("table",), pile, dealt[:, :1], dealt[:, 1:3]),))
    (found,) = (each for each in of_devices(part) if each.test == "further")
    assert found.p is not None
    return found.p


def test_tables_that_follow_one_another_are_found() -> None:
    """A wheel that goes where another one went, of the same game or of another; and two that show the same."""
    one, other = (declared_table("roulette", ROUNDS, seed=seed, name=f"wheel-{seed}") for seed in (5, 6))
    cards, random = declared_table("baccarat", ROUNDS, seed=5), np.random.default_rng(5)
    assert not alarms(one, other, cards)
    copied = [
        dict(first) if random.random() < 0.05 else second
        for first, second in zip(drawn(one), drawn(other), strict=True)
    ]
    assert ("overlap", "the same outcome at the same round") in alarms(one, with_drawn(other, copied))
    first = np.array(
        [
            devices_of(Declaration.parse(cards.declaration.encode()), {"version": 1})[0].read(each)[0]
            for each in drawn(cards)
        ]
    )
    led = [
        {"pocket": int(card * 36 // 51)} if random.random() < 0.15 else outcome
        for card, outcome in zip(first, drawn(one), strict=True)
    ]
    assert ("correlation", "same round of two tables") in alarms(with_drawn(one, led), cards)


def test_a_bound_on_the_likeliest_is_one() -> None:
    """No outcome of a game that can be listed has a larger chance."""
    for listed in catalogue():
        rules = some_rules(listed.declaration.parameters)
        bound = np.prod([device.likeliest for device in devices_of(listed.declaration, rules)])
        try:
            likeliest = max(law(listed.declaration, rules).values())
        except TooMany:
            continue
        assert float(likeliest) <= bound * (1 + 1e-9), listed.game


@pytest.mark.nightly("seventy games each", but="test_every_game_of_the_catalogue_is_tested_or_says_what_it_lacks[0]")
@pytest.mark.parametrize("rounds", [0, 1, 60])
def test_every_game_of_the_catalogue_is_tested_or_says_what_it_lacks(rounds: int) -> None:
    """With no round, one, and a few; each finding has a p or a reason, and none is an alarm."""
    tables = [declared_table(listed.game, rounds) for listed in DECLARED if listed.game != "penalty"]
    findings = list(findings_of(tables, ROOT))
    assert all((finding.p is None) != (finding.skipped == "") for finding in findings)
    assert not any(each.alarm for each in judge(findings))
    tested = Counter(finding.tables[0] for finding in findings)
    assert rounds == 0 or tested.keys() == {made.name for made in tables}


STANDARD = {
    "roulette": ("low", Fraction(18, 37)),
    "lucky-5": ("more odd", Fraction(1, 2)),
    "crazy-time": ("1", Fraction(21, 54)),
    "dice-duel": ("red odd", Fraction(1, 2)),
    "craps": ("field", Fraction(4, 9)),
    "backgammon": None,
    "blackjack": None,
    "caribbean-stud": None,
}


@pytest.mark.parametrize(("game", "expected"), STANDARD.items())
def test_the_standard_bet_wins_most_nearly_half_of_the_rounds(
    game: str, expected: tuple[str, Fraction] | None
) -> None:
    """With its exact chance; a game without bets, or without one that every round offers for one price, has none."""
    made = declared_table(game, 50)
    assert has_standard_bet(made) == (expected is not None)
    found = table_return(made)
    if expected is None:
        assert found is None
    else:
        assert found is not None
        assert found.bet.text == expected[0]
        assert found.law.mean == pytest.approx(50 * float(expected[1]))
        assert found.wins == sum(found.bet.odds(outcome) is not None for outcome in drawn(made))


@pytest.mark.parametrize(
    ("game", "costly"),
    [
        ("keno", lambda outcome: 7 in outcome["balls"]),
        ("blackjack", lambda outcome: outcome["cards"].startswith("A")),
        ("poker", lambda outcome: "As" in outcome["cards"].split()[:2]),
        ("racing", lambda outcome: outcome["order"][0] == 1),
        ("backgammon", lambda outcome: 6 in outcome["dice"]),
    ],
)
def test_void_rounds_that_were_chosen_for_what_they_draw_are_found(game: str, costly: Callable[[Any], bool]) -> None:
    """Balls, cards, races, dice, with bets or without: the rounds that the operator avoids are void; the others, if
    nobody chose.
    """
    made, chance = declared_table(game, 2_000, seed=8), np.random.default_rng(8)
    where = np.array([costly(outcome) for outcome in drawn(made)])
    found = {}
    for kind, void in (("chosen", where & (chance.random(2_000) < 0.3)), ("honest", chance.random(2_000) < 0.05)):
        (found[kind],) = (
            each for each in judge_voids([with_voids(made, void, chance)]) if each.test == "void-outcomes"
        )
    chosen, honest = found["chosen"].p, found["honest"].p
    assert chosen is not None
    assert honest is not None
    assert chosen < ALARM
    assert honest > SUSPICIOUS


def test_a_standard_bet_that_wins_too_rarely_is_found() -> None:
    """Low numbers of Roulette are drawn again now and then, or their rounds are void."""
    made, chance = declared_table("roulette", ROUNDS, seed=5), np.random.default_rng(5)
    low = np.array([1 <= outcome["pocket"] <= 18 for outcome in drawn(made)])
    rarely = [
        {"pocket": int(chance.integers(37))} if is_low and chance.random() < 0.3 else outcome
        for is_low, outcome in zip(low, drawn(made), strict=True)
    ]
    assert ("return", "low") in alarms(with_drawn(made, rarely))
    void = low & (chance.random(ROUNDS) < 0.05)
    chosen = replace(made, played=~void, reason=np.where(void, 0, -1), reasons=("engine failure",))
    assert ("void-pays-more", "low") in alarms(chosen)


def test_a_table_that_was_closed_before_costly_rounds_is_found() -> None:
    """Low would have won in all of the first thirty unused rounds of Roulette; after an honest end nothing is
    strange.
    """
    made = closed_after(declared_table("roulette", 700, seed=5), 600)
    low = next(at for at, text in enumerate(made.distinct) if text == '{"pocket":7}')
    unused = made.unused.copy()
    unused[:30] = low
    assert not alarms(made)
    assert ("closed-early", "the rounds after the end") in alarms(replace(made, unused=unused))


@pytest.mark.nightly("makes up logs")
def test_few_clean_logs_raise_no_alarm() -> None:
    """Of tables of many kinds; `make clean-logs` judges two hundred."""
    alarmed, p_values = raised(6)
    assert alarmed == 0
    assert np.mean(np.array(p_values) <= 0.001) < 0.02


def test_rules_that_change_part_the_rounds() -> None:
    """Each part is tested by the law of its own rules; two tables of one game under the same rules are tested
    together.
    """
    first = {"version": 1, "segments": 3, "w1": 1, "w2": 1, "w3": 1}
    second = {"version": 1, "segments": 3, "w1": 8, "w2": 1, "w3": 1}
    one, other = (declared_table("prize-wheel", 600, rules=rules) for rules in (first, second))
    changing = with_drawn(
        replace(declared_table("prize-wheel", 1_200, rules=first, batch=600)), [*drawn(one), *drawn(other)]
    )
    assert alarms(changing)
    batches = (changing.batches[0], *(structs.replace(batch, rules=second) for batch in changing.batches[1:]))
    assert not alarms(replace(changing, batches=batches))
    twice = [declared_table("prize-wheel", 100, rules=second, name=name) for name in ("a", "b")]
    assert ("a", "b") in {finding.tables for finding in findings_of(twice, ROOT)}
