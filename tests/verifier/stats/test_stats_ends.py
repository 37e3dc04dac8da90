"""A table that was closed before costly rounds is detected by what its unused rounds would have been; an honest end
raises no alarm.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from msgspec import structs

from fairness.limits import ROUNDS_AFTER_END
from games import GAMES
from tests.oracles.made_columns import RULES, closed_after, numbers, table, with_numbers
from tests.support.dishonest_operator import KEY, Operator
from tests.support.ran import Ran
from verifier.audit.audit import audit_log
from verifier.commands.command import HELD, IMPROBABLE
from verifier.output.outcome_words import outcome_in_words
from verifier.sources.source import FolderSource
from verifier.stats.conduct.ends import FIRST, ends_of, judge_ends
from verifier.stats.output.verdict import Verdict
from verifier.stats.statistics import findings_of

VKEY = str(KEY.verifier_key)
ROOT = bytes(32)


def closing(folder: Path, *, before: Callable[[object], bool] | None, tables: int = 8) -> Path:
    """Tables of Crash, each closed after 15 rounds, or later, as soon as the next round is to be avoided."""
    operator = Operator()
    for number in range(tables):
        name = f"crash-{number}"
        operator.table(name, "crash")
        operator.batch(name, 300)
        rounds = 15
        while before is not None and not before(operator.tables[name].outcome_of(rounds + 1)):
            rounds += 1
        operator.play(name, rounds)
        operator.end(name)
        operator.close(name)
    return operator.write(folder)


def is_costly(outcome: object) -> bool:
    """Ten times the stake, or more."""
    assert isinstance(outcome, dict)
    return float(outcome["multiplier"]) >= 10


def test_tables_that_are_closed_before_costly_rounds_are_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every record is legal, and no played round shows it, only what the next one would have been."""
    log = closing(tmp_path / "avoided", before=is_costly)
    assert Ran(capsys, "audit", log, "--key", VKEY).status == HELD
    ran = Ran(capsys, "stats", log, "--key", VKEY, "--json")
    assert ran.status == IMPROBABLE
    (alarm,) = [each for each in ran.json["alarms"] if each["test"] == "closed-early"]
    assert alarm["observed"] == "10.00 or more in 8 of 8 rounds, the first after 8 ends"
    honest = Ran(capsys, "stats", closing(tmp_path / "honest", before=None), "--key", VKEY, "--json")
    assert (honest.status, honest.json["alarms"]) == (HELD, [])
    assert [each["test"] for each in honest.json["tests"]].count("closed-early") == 1


def one_of_each(folder: Path) -> Operator:
    """A table of each game, closed after some rounds, one of them while a round was open; and one that is still
    played.
    """
    operator = Operator()
    for number, game in enumerate(sorted(GAMES)):
        operator.table(f"{game}-1", game)
        operator.batch(f"{game}-1", 60)
        operator.batch(f"{game}-1", 60)
        operator.play(f"{game}-1", 3 + number)
    operator.give_up("hi-lo-1", was_open=True)
    operator.reveal("hi-lo-1")
    operator.drop("keno-express-1", 2)
    for game in sorted(GAMES):
        if game != "penalty":
            operator.end(f"{game}-1")
            operator.close(f"{game}-1")
    operator.write(folder)
    return operator


@pytest.mark.nightly("makes a report in each form")
def test_every_closed_table_is_reported_in_every_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What would have followed, from the first round that was not played: in text, as JSON and in the report."""
    operator = one_of_each(tmp_path / "log")
    report = tmp_path / "report.html"
    ran = Ran(capsys, "stats", tmp_path / "log", "--key", VKEY, "--json", "-o", report)
    ends = {each["table"]: each for each in ran.json["ends"]}
    text = " ".join(Ran(capsys, "stats", tmp_path / "log", "--key", VKEY).output.split())
    assert ends.keys() == {f"{game}-1" for game in GAMES if game != "penalty"}
    for number, game in enumerate(sorted(GAMES)):
        if game == "penalty":
            continue
        own, last = ends[f"{game}-1"], 3 + number
        given_up = {"hi-lo": 1, "keno-express": 2}.get(game, 0)
        assert (own["last"], own["given_up"], own["unused"]) == (last, given_up, 120 - last - given_up)
        outcomes = [operator.tables[f"{game}-1"].outcome_of(last + place) for place in range(1, 11)]
        assert own["next_outcomes"] == [outcome_in_words(each) for each in outcomes if isinstance(each, dict)]
        assert [wins["rounds"] for wins in own["wins"]] == list(FIRST)
        assert f"would have gone on: {', '.join(own['next_outcomes'])}" in text
        assert ", ".join(own["next_outcomes"]) in report.read_text("utf-8")


@pytest.mark.parametrize("game", sorted(GAMES))
def test_words_and_wins_are_those_of_the_outcomes(game: str) -> None:
    """From a made-up table, by the outcome's own spelling and by the bet."""
    made = closed_after(table(game, 900, batch=300), 500)
    (found,) = ends_of([made])
    own = [made.outcomes[at] for at in made.unused.tolist()]
    assert list(found.next_outcomes) == [outcome_in_words(outcome) for outcome in own[:10]]
    assert (found.last, found.given_up, found.unused) == (500, 0, made.unused_in_all)
    assert [each.rounds for each in found.wins] == list(FIRST)
    for each in found.wins:
        assert each.expected == pytest.approx(each.rounds * found.wins[0].expected)


def test_of_one_end_every_outcome_has_the_chance_that_its_p_says() -> None:
    """Every outcome of two games as the first unused round: those with a p of at most x have a total chance of at
    most x.
    """
    for game, least in (("hi-lo", 0), ("keno-express", 1)):
        outcomes = np.arange(least, least + {"hi-lo": 25, "keno-express": 100}[game])
        every = with_numbers(table(game, len(outcomes)), outcomes)
        made = replace(closed_after(every, 10), unused_in_all=1)
        p_values = np.array([next(judge_ends([replace(made, unused=each[None])])).p for each in every.outcome])
        for level in np.unique(p_values):
            assert (p_values <= level).mean() <= level


def test_one_end_before_the_largest_multiplier_has_the_chance_of_that() -> None:
    """A single end proves little, and its p says how much: the chance of such a round, times the number of
    figures.
    """
    made = table("crash", 700)
    with_largest = numbers(made)
    with_largest[600] = 1_000_000
    (found,) = judge_ends([closed_after(with_numbers(made, with_largest), 600)])
    figures = int(found.null_law.split("of ")[1].split(" figures")[0])
    assert found.p == pytest.approx(figures * 97 / 1_000_000)
    assert found.observed.startswith("10000.00 or more in 1 of 1 round")


def test_rules_of_the_unused_rounds_count() -> None:
    """The first unused rounds are of the batch in which play stopped, the next ones of batches with other rules."""
    made = table("crash", 300, batch=100)
    low = {"cap": 150, "rtp": 5000, "version": 1}
    batches = tuple(
        structs.replace(batch, rules=low if batch.number == 3 else RULES["crash"]) for batch in made.batches
    )
    closed = closed_after(replace(made, batches=batches), 195)
    (found,) = ends_of([closed])
    assert found.bet == "cashout 1.50"
    first, ten, hundred = found.wins
    assert first.expected == pytest.approx(0.97 / 1.5)
    assert ten.expected == pytest.approx((5 * 0.97 + 5 * 0.5) / 1.5)
    assert hundred.expected == pytest.approx((5 * 0.97 + 95 * 0.5) / 1.5)


def test_tables_that_are_open_or_were_used_up_are_in_no_test() -> None:
    """And with one closed table per game there is one more test, of all standard bets."""
    tables = [table(game, 700) for game in sorted(GAMES)]
    assert [each for each in findings_of(tables, ROOT) if each.test == "closed-early"] == []
    assert ends_of(tables) == ()
    some = [closed_after(made, 600) if made.game in {"crash", "hi-lo"} else made for made in tables]
    found = [each for each in findings_of(some, ROOT) if each.test == "closed-early"]
    assert [each.tables for each in found] == [("crash-1",), ("hi-lo-1",), ("crash-1", "hi-lo-1")]
    for each, bet in zip(found, ("cashout 2.00", "red", "the standard bets"), strict=True):
        assert each.power_at is not None
        assert f"wins of {bet} in these" in each.power_at(1e-4)


def test_a_table_closed_before_its_first_round_is_tested(tmp_path: Path) -> None:
    """A table that was committed and never played has its end before the first round."""
    operator = Operator()
    operator.table("keno-1", "keno-express")
    operator.batch("keno-1", 150)
    operator.end("keno-1")
    operator.close("keno-1")
    report = audit_log(FolderSource(operator.write(tmp_path)), KEY.verifier_key, gathers=True)
    found = Verdict.on(report).found
    (end,) = found.ends
    assert (end.last, end.unused, end.wins[-1].rounds) == (0, 150, ROUNDS_AFTER_END)
    assert [each.finding.test for each in found.tested] == ["closed-early"]


@pytest.mark.nightly("draws many logs")
def test_honest_ends_raise_no_more_alarms_than_stated() -> None:
    """Sixty logs with four ends each: small p-values are at most as frequent as they say."""
    p_values = list[float]()
    for seed in range(60):
        ends = [closed_after(table(game, 200, seed=seed), 60 + seed) for game in ("crash", "sic-bo")]
        ends += [closed_after(table("hi-lo", 200, seed=seed + two, name=f"hi-lo-{two}"), 80) for two in (1000, 2000)]
        p_values += [each.p for each in judge_ends(ends) if each.p is not None]
    found = np.array(p_values)
    assert len(found) == 240
    for level in (0.1, 0.01, 0.001):
        assert (found <= level).mean() <= level + 4 * np.sqrt(level / len(found))
