"""An operator that knows outcomes in advance and plays costly ones while nobody can win by them is detected; no other
is.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from dataclasses import replace
from math import comb
from pathlib import Path

import msgspec
import numpy as np
import pytest

from tests.oracles.made_columns import NIGHT, numbers, numbers_of, six_tables, table, with_habits, with_numbers
from tests.support.dishonest_operator import ABSENT, BETS, KEY, NO_BETS, Operator
from tests.support.ran import Ran
from verifier.audit.audit import audit_log
from verifier.commands.command import HELD, IMPROBABLE
from verifier.sources.source import FolderSource
from verifier.stats.conduct.returns import standard_bet, winning
from verifier.stats.conduct.schedule import _in_groups, _in_wins, _Outcomes, _wins, judge_schedule
from verifier.stats.conduct.splits import SPLITS, Split, Splits
from verifier.stats.numbers.columns import TableColumns
from verifier.stats.numbers.family import judge
from verifier.stats.statistics import findings_of

ROOT = bytes(range(32))
ROUNDS = 6_000
VKEY = str(KEY.verifier_key)

Plan = Callable[[TableColumns, np.ndarray], TableColumns]
"""What an operator does with rounds, some of which it chose by their outcomes."""


def alarms(tables: list[TableColumns]) -> set[tuple[str, str]]:
    """Test and subject of every alarm, all tests of the log in one family."""
    return {
        (each.finding.test, each.finding.subject) for each in judge(list(findings_of(tables, ROOT))) if each.alarm
    }


def no_digest(made: TableColumns, chosen: np.ndarray) -> TableColumns:
    """The chosen rounds' locks have no digest."""
    return replace(made, bets=np.where(chosen, -1, made.bets))


def few_bets(made: TableColumns, chosen: np.ndarray) -> TableColumns:
    """The chosen rounds have one bet at most, the operator's own."""
    return replace(made, bets=np.where(chosen, np.arange(len(made)) % 2, made.bets))


def short_betting(made: TableColumns, chosen: np.ndarray) -> TableColumns:
    """The chosen rounds are locked half a second after they were opened."""
    return replace(made, opened=np.where(chosen, made.locked - 500, made.opened))


def long_pause(made: TableColumns, chosen: np.ndarray) -> TableColumns:
    """The chosen rounds follow a pause in which the players leave."""
    later = 120_000 * np.cumsum(chosen)
    return replace(made, opened=made.opened + later, locked=made.locked + later, revealed=made.revealed + later)


def at_night(made: TableColumns, chosen: np.ndarray) -> TableColumns:
    """The chosen rounds are played at night: they change places with others."""
    night = made.locked // 3_600_000 % 24 < NIGHT
    places = np.arange(len(made))
    by_day, free = places[chosen & ~night], places[night & ~winning(made)]
    moved = min(len(by_day), len(free)) // 3
    places[by_day[:moved]], places[free[:moved]] = free[:moved], by_day[:moved]
    return replace(made, outcome=made.outcome[places])


PLANS: list[tuple[Plan, str]] = [
    (no_digest, "a digest of bets or none"),
    (few_bets, "the number of bets"),
    (short_betting, "the time from open to lock"),
    (long_pause, "the pause before the open"),
    (at_night, "the hour of the day"),
]


@pytest.mark.parametrize("game", ["crash", "hi-lo"])
@pytest.mark.parametrize(("plan", "subject"), PLANS, ids=[plan.__name__ for plan, _ in PLANS])
def test_costly_rounds_while_nobody_bets_are_found(plan: Plan, subject: str, game: str) -> None:
    """One in ten of the rounds in which the standard bet wins is played in this way. As many that are chosen blindly
    raise no alarm.
    """
    made, chance = table(game, ROUNDS, seed=5), np.random.default_rng([5, 99])
    costly = winning(made) & (chance.random(ROUNDS) < 0.1)
    blind = chance.permutation(costly)
    assert ("schedule", subject) in alarms([plan(made, costly)])
    if plan is not at_night:
        assert not alarms([plan(made, blind)])
    assert not alarms([made])


def test_rare_and_very_costly_rounds_are_found() -> None:
    """If only multipliers above 20.00 are kept from players, the standard bet hardly shows it; the groups do."""
    made = table("crash", ROUNDS, seed=6)
    huge = (numbers(made)[:, 0] >= 2_000) & (np.arange(ROUNDS) % 4 == 0)
    assert 40 < huge.sum() < 100
    assert alarms([no_digest(made, huge)]) == {("schedule", "a digest of bets or none")}
    (found,) = [each for each in judge_schedule([no_digest(made, huge)], ROOT) if each.subject.startswith("a digest")]
    assert found.observed.startswith("a multiplier of the highest 5 %")


def test_a_little_at_each_of_many_tables_is_found_in_all_together() -> None:
    """No table by itself shows it."""
    chance, tables = np.random.default_rng([8, 99]), list[TableColumns]()
    for made in six_tables(2_000, seed=8):
        blind = chance.random(2_000) < np.where(winning(made), 0.115, 0.085)
        tables.append(no_digest(made, blind))
    raised = [each for each in judge(list(judge_schedule(tables, ROOT))) if each.alarm]
    assert [(len(each.finding.tables), each.finding.subject) for each in raised] == [(6, "a digest of bets or none")]


def test_rules_that_change_with_the_hour_are_no_schedule() -> None:
    """At night there are another return, another cap and fewer bets: each round is compared with those under the same
    rules.
    """
    made, chance = table("crash", ROUNDS, seed=9), np.random.default_rng([9, 99])
    by_day, by_night = made.batches[0].rules, {"cap": 300, "rtp": 6000, "version": 1}
    night = made.locked[::1000] // 3_600_000 % 24 < 12
    rules = [by_night if each else by_day for each in [*night.tolist(), False]]
    batches = tuple(msgspec.structs.replace(batch, rules=own) for batch, own in zip(made.batches, rules, strict=True))
    outcome = np.concatenate([numbers_of("crash", 1000, chance, own) for own in rules[:-1]])
    quiet = np.repeat(night, 1000)
    honest = with_numbers(replace(made, batches=batches, bets=np.where(quiet, 0, made.bets)), outcome)
    assert not alarms([honest])
    assert alarms([replace(honest, batches=made.batches)])


@pytest.mark.parametrize("rounds", [120, 400])
def test_players_who_follow_the_last_outcome_are_no_schedule(rounds: int) -> None:
    """Bets, times and hours that depend on earlier outcomes, in enough short logs to show a wrong level."""
    p_values = [
        finding.p
        for seed in range(60)
        for finding in judge_schedule([with_habits(table("crash", rounds, seed=seed), seed)], ROOT)
        if finding.p is not None
    ]
    assert len(p_values) >= 180
    for level in (0.1, 0.01):
        assert np.mean(np.array(p_values) <= level) <= level + 4 * np.sqrt(level / len(p_values))


def split_in_order(rounds: int) -> Splits:
    """Splits that select the first round, the first two, the first three …"""
    sets = np.arange(rounds) <= np.arange(rounds)[:, None]
    named = tuple(Split(("", ""), ("", "")) for _ in range(rounds))
    return Splits(np.ones(rounds, np.bool_), np.arange(rounds), sets, named)


def test_no_p_is_reached_more_often_than_it_says() -> None:
    """Over every order of eight outcomes, for the standard bet under two sets of rules and for three groups."""
    splits, size = split_in_order(8), 8
    rules, members = np.array([0, 0, 1, 0, 1, 1, 0, 0]), np.eye(3, dtype=np.bool_)
    of_bet, of_groups = list[float](), list[float]()
    for winners in itertools.product(
        itertools.combinations((0, 1, 3, 6, 7), 2), itertools.combinations((2, 4, 5), 1)
    ):
        wins = np.isin(np.arange(size), list(itertools.chain(*winners)))
        own = _wins(_Outcomes(wins, rules, np.zeros(size, np.int64), ("",), np.ones((1, 1), np.bool_)), splits)
        assert own.asked.tolist() == list(range(7))
        of_bet.append(_in_wins(own, "it").p)
    for order in set(itertools.permutations((0, 0, 0, 0, 1, 1, 2, 2))):
        groups = _Outcomes(np.zeros(size, np.bool_), rules, np.array(order), ("a", "b", "c"), members)
        of_groups.append(_in_groups(splits, groups, np.arange(7)).p)
    assert (len(of_bet), len(of_groups)) == (comb(5, 2) * 3, 420)
    for found in (np.array(of_bet), np.array(of_groups)):
        for level in np.unique(found):
            assert (found <= level).mean() <= level + 1e-12


def test_what_would_have_been_noticed_is_noticed() -> None:
    """A planted shift as large as stated is detected in nine logs of ten."""
    made = table("hi-lo", 4_000, seed=3)
    marked = np.arange(4_000) % 10 == 0
    (found,) = [
        each for each in judge_schedule([no_digest(made, marked)], ROOT) if each.subject.startswith("a digest")
    ]
    assert found.power_at is not None
    told = found.power_at(1e-4)
    assert told.startswith("would have noticed a shift of ")
    assert "red among the 400 rounds without a digest of bets with 90 % chance" in told
    shift = float(told.removeprefix("would have noticed a shift of ").split(" %")[0]) / 100
    noticed = 0
    for seed in range(40):
        chance = np.random.default_rng([seed, 99])
        cards = chance.integers(0, 25, (4_000, 1))
        red = marked & (chance.random(4_000) < shift / 0.52) & (cards[:, 0] % 2 + (cards[:, 0] == 24) > 0)
        cards[red] = 0
        (one,) = [
            each
            for each in judge_schedule([no_digest(with_numbers(made, cards), marked)], ROOT)
            if each.subject.startswith("a digest")
        ]
        noticed += one.p is not None and one.p <= 1e-4
    assert noticed >= 30


def test_what_the_log_does_not_say_is_not_tested() -> None:
    """No digests or one at every lock; times that are always the same; rounds that were given up."""
    made = table("keno-express", 500)
    whole = {each.subject: each.skipped for each in judge_schedule([made], ROOT)}
    assert whole["a digest of bets or none"] == "it is the same for all rounds"
    assert whole["the time from open to lock"] == "it is the same for all rounds"
    none = {each.subject: each.skipped for each in judge_schedule([replace(made, bets=np.full(500, -1))], ROOT)}
    assert none["the number of bets"] == "needs 100 rounds for which the log states it"
    dropped = replace(made, given_up=np.arange(500) >= 60, played=np.arange(500) < 60)
    assert all("needs 100 rounds" in each.skipped for each in judge_schedule([dropped], ROOT))


def test_each_split_sets_the_rounds_apart_that_it_names() -> None:
    """Counted again from the columns."""
    made = with_habits(table("sic-bo", 3_000, seed=2, voids=0.1))
    for name, split in SPLITS.items():
        found = split(made)
        assert found.sets.shape[0] == len(found.named)
        assert len(found.bins) == found.rounds.sum()
        assert not (found.rounds & made.given_up).any()
        if name == "the number of bets":
            bets = made.bets[found.rounds]
            for members, words in zip(found.sets, found.named, strict=True):
                most = int(words.here[0].removeprefix("with at most ").split(" ")[0].replace(",", ""))
                assert (members[found.bins] == (bets <= most)).all()
        if name == "the hour of the day":
            hours = made.locked[found.rounds] // 3_600_000 % 24
            night = [
                members
                for members, words in zip(found.sets, found.named, strict=True)
                if "22:00 to 04" in words.here[0]
            ]
            assert (night[0][found.bins] == ((hours >= 22) | (hours < 4))).all()


def schedules(folder: Path, *, knows: bool) -> tuple[Path, float]:
    """A table of Crash whose operator plays half of the rounds that reach 2.00 while nobody bets, and its players'
    return.

    If it does not know outcomes, it plays as many rounds without bets, chosen blindly.
    """
    operator, chance = Operator(), np.random.default_rng([4, 99])
    operator.table("crash-1", "crash")
    operator.batch("crash-1", 1_000)
    staked = returned = 0
    for number in range(1, 801):
        outcome = operator.tables["crash-1"].outcome_of(number)
        assert isinstance(outcome, dict)
        wins = float(outcome["multiplier"]) >= 2
        empty = chance.random() < (0.65 if wins else 0.05) if knows else chance.random() < 0.34
        operator.lock("crash-1", bets=NO_BETS if empty else BETS)
        operator.reveal("crash-1")
        staked += not empty
        returned += 2 * (wins and not empty)
    return operator.write(folder), returned / staked


def test_half_of_the_return_that_the_rules_promise_does_not_pass(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every record is legal and all rounds together return 97 %, but players got some 55 %: an alarm says where to
    look.
    """
    log, players = schedules(tmp_path / "chosen", knows=True)
    assert 0.5 < players < 0.6
    assert Ran(capsys, "audit", log, "--key", VKEY).status == HELD
    ran = Ran(capsys, "stats", log, "--key", VKEY, "--json")
    assert ran.status == IMPROBABLE
    assert [(each["test"], each["subject"]) for each in ran.json["alarms"]] == [("schedule", "the number of bets")]
    assert "with at most 0 bets" in ran.json["alarms"][0]["observed"]
    blind, usual = schedules(tmp_path / "blind", knows=False)
    assert 0.85 < usual < 1.1
    assert Ran(capsys, "stats", blind, "--key", VKEY).status == HELD


def test_columns_have_the_bets_of_every_lock(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A count, 0, or no digest; the verdict names a table with too few rounds."""
    operator = Operator()
    operator.table("dice", "sic-bo")
    operator.batch("dice", 40)
    for bets in (BETS, NO_BETS, ABSENT):
        operator.lock("dice", bets=bets)
        operator.reveal("dice")
    operator.drop("dice")
    log = operator.write(tmp_path)
    gathered = audit_log(FolderSource(log), KEY.verifier_key, gathers=True).rounds["dice"]
    assert TableColumns.of("dice", gathered).bets.tolist() == [3, 0, -1, -1]
    told = Ran(capsys, "stats", log, "--key", VKEY)
    assert "schedule, the number of bets: needs 100 rounds" in " ".join(told.output.split())
    assert standard_bet(TableColumns.of("dice", gathered)).text == "small"
    assert json.loads(Ran(capsys, "stats", log, "--key", VKEY, "--json").output)["ends"] == []
