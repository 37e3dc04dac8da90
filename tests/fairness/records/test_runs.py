"""Replay in runs, as in an audit: the same states and the same refusals as record by record."""

from __future__ import annotations

import random

import msgspec
import pytest

from fairness.checks import Check
from fairness.errors import CheckFailed
from fairness.records.record import BatchRecord, parse_record, table_and_type
from fairness.records.replay import Replay
from fairness.records.runs import advance_run
from games import GAMES
from tests.lies import Lie, history, respelled
from tests.lies.catalogue import LIES, told
from tests.support.dishonest_operator import ORIGIN, Operator

Entries = list[tuple[int, bytes]]


def table_of(data: bytes) -> str:
    claimed = table_and_type(data)
    return claimed[0] if claimed else ""


def replay_in_runs(replay: Replay, entries: Entries) -> list[int]:
    """Replay table by table; returns the indices of the batches. Raises the refusal with the smallest index."""
    refused: list[CheckFailed] = []
    batches: list[int] = []
    for name in {table_of(data) for _, data in entries}:
        try:
            run = [entry for entry in entries if table_of(entry[1]) == name]
            batches += [index for index, _ in advance_run(replay, name, run).batches]
        except CheckFailed as error:
            refused.append(error)
    if refused:
        raise min(refused, key=lambda error: -1 if error.index is None else error.index)
    return sorted(batches)


@pytest.mark.parametrize("seed", range(10))
def test_wherever_runs_are_cut_the_states_are_those_of_record_by_record(seed: int) -> None:
    """Within batches or across them, from one record to the whole log."""
    records, cuts = list(enumerate(history().records)), random.Random(seed)
    alone, in_runs = Replay(ORIGIN, GAMES), Replay(ORIGIN, GAMES)
    at = 0
    while at < len(records):
        part = records[at : at + cuts.choice([1, 2, 10, 100, 1000])]
        at += len(part)
        for _, data in part:
            alone.advance(data)
        expected = [index for index, data in part if isinstance(parse_record(data), BatchRecord)]
        assert replay_in_runs(in_runs, part) == expected
        assert msgspec.json.encode(in_runs.tables, order="sorted") == msgspec.json.encode(
            alone.tables, order="sorted"
        )


@pytest.mark.parametrize("lie", LIES, ids=str)
def test_a_lie_in_a_run_is_refused_at_its_place(lie: Lie) -> None:
    """Whatever else the run contains before and after it."""
    operator, index = told(lie)
    with pytest.raises(CheckFailed) as refused:
        replay_in_runs(Replay(ORIGIN, GAMES), list(enumerate(operator.records)))
    assert (refused.value.check, refused.value.index) == (lie.check, index)


def _played(rounds: int) -> Operator:
    operator = Operator()
    operator.table("keno-1", "keno-express")
    operator.batch("keno-1", 12)
    operator.batch("keno-1", 12)
    operator.play("keno-1", rounds)
    return operator


def _break(operator: Operator, *rounds: int) -> list[int]:
    """Replace the outcome of some rounds in place; return the indices of these records."""
    places = [2 + 2 * number for number in rounds]
    for place in places:
        outcome = msgspec.json.decode(operator.records[place])["outcome"]["number"]
        respell = respelled(f'"number":{outcome}', f'"number":{outcome % 100 + 1}')
        operator.records[place] = respell(operator.records[place])
    return places


def test_of_two_faults_in_a_run_the_first_is_named() -> None:
    """Two false outcomes, whose rounds are checked together, and a malformed record before or after them."""
    operator = _played(8)
    first, second = _break(operator, 3, 6)
    for place, expected in ((second + 1, first), (second - 1, first), (first - 1, first - 1)):
        entries = list(enumerate(operator.records))
        entries[place] = (place, b"not a record" + entries[place][1])
        with pytest.raises(CheckFailed) as refused:
            advance_run(Replay(ORIGIN, GAMES), "keno-1", entries)
        assert refused.value.index == expected
        assert refused.value.check is (Check.OUTCOME if expected == first else Check.RECORD_FORM)


@pytest.mark.parametrize("number", [1, 2, 11, 12, 13, 14])
def test_a_false_outcome_at_a_batchs_edge_is_named(number: int) -> None:
    """The first and the last rounds of a batch are checked in different groups."""
    operator = _played(14)
    (place,) = _break(operator, number)
    with pytest.raises(CheckFailed) as refused:
        advance_run(Replay(ORIGIN, GAMES), "keno-1", list(enumerate(operator.records)))
    assert (refused.value.check, refused.value.index) == (Check.OUTCOME, place)
