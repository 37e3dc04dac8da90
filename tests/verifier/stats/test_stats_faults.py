"""Each kind of planted fault is detected, and honest logs raise alarms no more often than stated.

Every test of a fault also judges the same rounds without it, and fails if that raises an alarm or if the fault raises
none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import scipy
from msgspec import structs

from tests.oracles.made_columns import (
    RULES,
    closed_after,
    eight_tables,
    numbers,
    numbers_of,
    table,
    with_habits,
    with_numbers,
)
from verifier.stats.numbers.columns import TableColumns
from verifier.stats.numbers.family import FALSE_ALARMS, judge
from verifier.stats.statistics import findings_of

ROOT = bytes(range(32))
ROUNDS = 6_000
CLEAN_LOGS = 200

Plant = Callable[[dict[str, TableColumns], np.random.Generator], None]


def alarms(tables: list[TableColumns]) -> set[tuple[str, str]]:
    """Which tests of these tables raise an alarm: name and subject."""
    return {
        (each.finding.test, each.finding.subject) for each in judge(list(findings_of(tables, ROOT))) if each.alarm
    }


def biased_card(tables: dict[str, TableColumns], chance: np.random.Generator) -> None:
    """One round in fifty shows the red queen, whatever was drawn."""
    cards = numbers(tables["hi-lo-1"])
    cards[chance.random(ROUNDS) < 0.02] = 18
    tables["hi-lo-1"] = with_numbers(tables["hi-lo-1"], cards)


def stuck_die(tables: dict[str, TableColumns], chance: np.random.Generator) -> None:
    """The second die of one throw in twenty shows the same as in the previous throw."""
    dice = numbers(tables["sic-bo-1"])
    for at in np.flatnonzero(chance.random(ROUNDS - 1) < 0.05) + 1:
        dice[at, 1] = dice[at - 1, 1]
    tables["sic-bo-1"] = with_numbers(tables["sic-bo-1"], dice)


def loaded_die(tables: dict[str, TableColumns], chance: np.random.Generator) -> None:
    """The third die shows a six in one throw of thirty, whatever was drawn."""
    dice = numbers(tables["sic-bo-1"])
    dice[chance.random(ROUNDS) < 0.05, 2] = 6
    tables["sic-bo-1"] = with_numbers(tables["sic-bo-1"], dice)


def copying_table(tables: dict[str, TableColumns], chance: np.random.Generator) -> None:
    """In one round of thirty both tables of HI LO show the same card."""
    same = chance.random(ROUNDS) < 1 / 30
    cards = np.where(same[:, None], numbers(tables["hi-lo-1"]), numbers(tables["hi-lo-2"]))
    tables["hi-lo-2"] = with_numbers(tables["hi-lo-2"], cards)


def copying_flight(tables: dict[str, TableColumns], chance: np.random.Generator) -> None:
    """One flight in fifty ends at both tables of Crash at the same multiplier."""
    same = chance.random(ROUNDS) < 0.02
    flights = np.where(same[:, None], numbers(tables["crash-1"]), numbers(tables["crash-2"]))
    tables["crash-2"] = with_numbers(tables["crash-2"], flights)


def following_table(tables: dict[str, TableColumns], chance: np.random.Generator) -> None:
    """One number of Keno Express in ten is high if the last shot of Penalty was."""
    follows = np.flatnonzero(chance.random(ROUNDS - 1) < 0.1) + 1
    drawn = numbers(tables["keno-express-1"])
    drawn[follows] = 1 + (numbers(tables["penalty-1"])[follows - 1] * 100 + 50) // 26
    tables["keno-express-1"] = with_numbers(tables["keno-express-1"], drawn)


def dealt_again(tables: dict[str, TableColumns], chance: np.random.Generator) -> None:
    """Sixty cards of one table are dealt again at the other one, much later."""
    del chance
    cards = numbers(tables["hi-lo-2"])
    cards[4000:4060] = numbers(tables["hi-lo-1"])[300:360]
    tables["hi-lo-2"] = with_numbers(tables["hi-lo-2"], cards)


def repeating_shots(tables: dict[str, TableColumns], chance: np.random.Generator) -> None:
    """One shot in thirty ends where the previous one did."""
    ends = numbers(tables["penalty-1"])
    for at in np.flatnonzero(chance.random(ROUNDS - 1) < 1 / 30) + 1:
        ends[at] = ends[at - 1]
    tables["penalty-1"] = with_numbers(tables["penalty-1"], ends)


def remembering_numbers(tables: dict[str, TableColumns], chance: np.random.Generator) -> None:
    """One number in ten is that of seven rounds before."""
    drawn = numbers(tables["keno-express-1"])
    for at in np.flatnonzero(chance.random(ROUNDS - 7) < 0.1) + 7:
        drawn[at] = drawn[at - 7]
    tables["keno-express-1"] = with_numbers(tables["keno-express-1"], drawn)


def shy_joker(tables: dict[str, TableColumns], chance: np.random.Generator) -> None:
    """For five rounds after a Joker there is no other; they are made up for elsewhere."""
    cards = numbers(tables["hi-lo-1"])[:, 0]
    wait = 5
    for at in range(ROUNDS):
        if cards[at] == 24 and wait < 5:
            cards[at] = chance.integers(24)
        elif wait >= 5 and chance.random() < 0.009:
            cards[at] = 24
        wait = 0 if cards[at] == 24 else wait + 1
    tables["hi-lo-1"] = with_numbers(tables["hi-lo-1"], cards)


def missing_joker(tables: dict[str, TableColumns], chance: np.random.Generator) -> None:
    """There is never a Joker."""
    cards = numbers(tables["hi-lo-1"])[:, 0]
    jokers = cards == 24
    cards[jokers] = chance.integers(0, 24, int(jokers.sum()))
    tables["hi-lo-1"] = with_numbers(tables["hi-lo-1"], cards)


def shuffled_deck(tables: dict[str, TableColumns], chance: np.random.Generator) -> None:
    """Each deck is dealt to its end, instead of each card being drawn from the whole deck."""
    decks = [chance.permutation(25) for _ in range(ROUNDS // 25)]
    tables["hi-lo-1"] = with_numbers(tables["hi-lo-1"], np.concatenate(decks))


def lower_cap(tables: dict[str, TableColumns], chance: np.random.Generator) -> None:
    """No flight passes 200.00, although the cap is 10,000.00."""
    del chance
    tables["crash-1"] = with_numbers(tables["crash-1"], np.minimum(numbers(tables["crash-1"]), 20_000))


def higher_cap(tables: dict[str, TableColumns], chance: np.random.Generator) -> None:
    """A single flight passes the cap."""
    flights = numbers(tables["crash-1"])
    flights[chance.integers(ROUNDS)] = RULES["crash"]["cap"] + 1
    tables["crash-1"] = with_numbers(tables["crash-1"], flights)


def lower_return(tables: dict[str, TableColumns], chance: np.random.Generator) -> None:
    """The rules say 97 %, the flights are those of 90 %."""
    flights = numbers_of("crash", ROUNDS, chance, RULES["crash"] | {"rtp": 9000})
    tables["crash-1"] = with_numbers(tables["crash-1"], flights)


def chosen_voids(tables: dict[str, TableColumns], chance: np.random.Generator) -> None:
    """One red card in ten is never played."""
    made = tables["hi-lo-1"]
    red = (numbers(made)[:, 0] < 24) & (numbers(made)[:, 0] % 2 == 0)
    void = red & (chance.random(ROUNDS) < 0.1)
    tables["hi-lo-1"] = replace(made, played=~void, reason=np.where(void, 0, -1), reasons=("engine failure",))


FAULTS: list[tuple[Plant, set[tuple[str, str]]]] = [
    (biased_card, {("chi-square", "cards"), ("count", "cards")}),
    (stuck_die, {("runs", "runs of die 2")}),
    (loaded_die, {("chi-square", "die 3"), ("count", "die 3")}),
    (copying_table, {("overlap", "the same outcome at the same round")}),
    (copying_flight, {("overlap", "the same outcome at the same round")}),
    (following_table, {("correlation", "last round of another table")}),
    (dealt_again, {("repeat", "the longest sequence that occurs twice")}),
    (repeating_shots, {("runs", "runs of ends")}),
    (remembering_numbers, {("serial", "correlation with earlier rounds")}),
    (shy_joker, {("gap", "waits for the Joker")}),
    (missing_joker, {("gap", "waits for the Joker"), ("count", "cards")}),
    (shuffled_deck, {("coupon-collector", "all 25 cards")}),
    (lower_cap, {("cash-outs", "cash-outs and the cap")}),
    (higher_cap, {("cash-outs", "cash-outs and the cap")}),
    (lower_return, {("kolmogorov-smirnov", "multipliers"), ("cash-outs", "cash-outs and the cap")}),
    (chosen_voids, {("return", "red"), ("void-pays-more", "red")}),
]


@pytest.mark.parametrize(("plant", "found"), FAULTS, ids=[plant.__name__ for plant, _ in FAULTS])
def test_a_planted_fault_is_found(plant: Plant, found: set[tuple[str, str]]) -> None:
    """The test made for it raises an alarm; without the fault no test does."""
    tables = {made.name: made for made in eight_tables(ROUNDS, seed=7)}
    honest = dict(tables)
    plant(tables, np.random.default_rng(7))
    changed = {tables[name].game for name in tables if tables[name] is not honest[name]} | (
        {"penalty"} if plant is following_table else set()
    )
    assert found <= alarms([made for made in tables.values() if made.game in changed])
    assert not alarms([made for made in honest.values() if made.game in changed])


def clean_log(seed: int) -> list[TableColumns]:
    """Four honest tables with varied bets and times; one of them is closed at a fixed round."""
    tables = [
        *(table(game, 700, seed=seed, voids=0.02) for game in ("crash", "hi-lo", "sic-bo")),
        table("hi-lo", 700, seed=seed + CLEAN_LOGS, name="hi-lo-2"),
    ]
    # Some logs begin at night, some by day, and some have both.
    later = seed % 24 * 3_600_000
    moved = [replace(made, locked=made.locked + later, revealed=made.revealed + later) for made in tables]
    return [with_habits(closed_after(made, 600) if made is moved[0] else made, seed) for made in moved]


@pytest.mark.nightly("makes and judges two hundred logs")
def test_two_hundred_clean_logs_raise_no_more_alarms_than_stated() -> None:
    """At most one in a hundred logs; and no test's p is below any level too often."""
    raised, p_values, of_searches = 0, list[float](), list[float]()
    for seed in range(CLEAN_LOGS):
        judged = judge(list(findings_of(clean_log(seed), ROOT)))
        raised += any(each.alarm for each in judged)
        for each in judged:
            searches = each.finding.test in {"schedule", "closed-early"}
            (of_searches if searches else p_values).extend([] if each.finding.p is None else [each.finding.p])
    # At the stated rate, only one of two hundred such trials exceeds this number.
    assert raised <= scipy.stats.binom.ppf(0.995, CLEAN_LOGS, FALSE_ALARMS)
    # Tests of one log are not independent, so the effective number of trials is smaller: three deviations, doubled.
    for found in (p_values, of_searches):
        for level in (0.1, 0.01, 0.001):
            allowed = level + 6 * np.sqrt(level * (1 - level) / len(found))
            assert np.mean(np.array(found) <= level) <= allowed
    # The tests are not too conservative either: small values are nearly as frequent as allowed, less so if a test
    # looks in many places that depend on one another and pays for each (Bonferroni).
    assert np.mean(np.array(p_values) <= 0.1) >= 0.06
    assert np.mean(np.array(of_searches) <= 0.1) >= 0.02


def test_rules_that_change_are_no_fault() -> None:
    """Each multiplier is judged by the rules of its batch."""
    first, second = {"cap": 1_000_000, "rtp": 9700, "version": 1}, {"cap": 5_000, "rtp": 8000, "version": 1}
    made, chance = table("crash", 4000, seed=3), np.random.default_rng(3)
    batches = tuple(
        structs.replace(batch, rules=rules)
        for batch, rules in zip(made.batches, [first, second, first, second, second], strict=True)
    )
    own = np.concatenate([numbers_of("crash", 1000, chance, rules) for rules in (first, second, first, second)])
    changing = with_numbers(replace(made, batches=batches), own)
    assert not alarms([changing])
    assert ("cash-outs", "cash-outs and the cap") in alarms([replace(changing, batches=made.batches)])


@pytest.mark.parametrize("rounds", [0, 1, 2, 30, 60])
def test_few_rounds_are_no_error(rounds: int) -> None:
    """A test that cannot be run says so, the others have a p."""
    findings = list(findings_of(eight_tables(rounds), ROOT))
    assert all((finding.p is None) != (finding.skipped == "") for finding in findings)
    assert not any(each.alarm for each in judge(findings))
    if rounds < 20:
        assert all(finding.p is None for finding in findings if finding.test != "return")


def test_the_same_log_gives_the_same_figures_and_another_root_nearly_the_same() -> None:
    """Randomness is derived from the log's root."""
    tables = [table("crash", 500)]
    of_root = [
        [finding.p for finding in findings_of(tables, root) if finding.test == "kolmogorov-smirnov"]
        for root in (ROOT, ROOT, bytes(32))
    ]
    assert of_root[0] == of_root[1] != of_root[2]
    assert of_root[0] == pytest.approx(of_root[2], abs=0.2)
