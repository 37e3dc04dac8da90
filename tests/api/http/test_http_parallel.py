"""Many rounds over HTTP: pages of rounds, racing engines, and tables that are played in parallel."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

from api.answers.rounds import MOST_ROUNDS
from fairness.records.record import LockRecord, Record, RevealRecord
from tests.support.postgres import PostgresServer
from tests.support.running_service import PATIENCE_SECONDS, RunningService
from tests.support.shared_services import SharedServices

RACED, PAGED = "parallel-raced", "parallel-paged"
BUSY = {f"parallel-{game}-{i}": game for game in ("crash", "rocketon", "sic-bo", "penalty") for i in range(2, 5)}
pytestmark = pytest.mark.nightly("the same answers of the same calls, on a service of its own", on="postgresql")
ENGINES, RACES, ROUNDS = 4, 6, 5
BATCH_SIZE = 300
"""Of the table with pages: it has that lead, and no batch is smaller."""


@pytest.fixture(scope="module")
def service(shared_service: SharedServices, server: PostgresServer | None) -> RunningService:
    """The shared service of each database."""
    shared_service.with_tables({PAGED: "keno-express"}, server, lead=BATCH_SIZE)
    return shared_service.with_tables({RACED: "hi-lo", **BUSY}, server)


def page(service: RunningService, query: str) -> list[dict[str, Any]]:
    """The rounds of a page."""
    answer = service.get(f"/v1/tables/{PAGED}/rounds{query}")
    assert answer.status == 200, answer
    assert answer.document.keys() <= {"rounds", "next"}
    rounds: list[dict[str, Any]] = answer.document["rounds"]
    return rounds


def walked(service: RunningService, address: str) -> list[list[int]]:
    """The numbers of the rounds of this page and of all that follow."""
    pages = []
    following: str | None = address
    while following is not None:
        document = service.get(following).document
        pages.append([each["round"] for each in document["rounds"]])
        following = document.get("next")
    return pages


def records_of(service: RunningService, table: str) -> list[Record]:
    """The records of a table in the log."""
    service.settle()
    return [record for record in service.table_records() if record.table == table]


def test_a_page_holds_rounds_of_every_kind_and_each_is_what_it_is_alone(service: RunningService) -> None:
    """Played, void, open and committed rounds are in order, across batches, and a missing kind does not end a
    page.
    """
    service.play(PAGED, 1)
    service.act(PAGED, 2, "void", {"reason": "engine failure"})
    service.act(PAGED, 3, "open")
    rounds = page(service, f"?from=1&limit={MOST_ROUNDS}")
    assert [found["round"] for found in rounds] == list(range(1, MOST_ROUNDS + 1))
    assert [found["status"] for found in rounds[:5]] == ["played", "void", "open", "committed", "committed"]
    assert {found["batch"] for found in rounds} == {1, 2}
    for number in (1, 2, 3, 4, BATCH_SIZE, BATCH_SIZE + 1):
        alone = service.get(f"/v1/tables/{PAGED}/rounds/{number}").document
        assert rounds[number - 1] == alone


def test_pages_begin_and_end_where_they_are_asked_to(service: RunningService) -> None:
    """The first 50 by default; fewer if fewer are committed; none beyond; never more than 500."""
    through = service.get(f"/v1/tables/{PAGED}").document["committed_through"]
    assert [found["round"] for found in page(service, "")] == list(range(1, 51))
    assert [found["round"] for found in page(service, "?from=299&limit=4")] == [299, 300, 301, 302]
    assert [found["round"] for found in page(service, f"?from={through}&limit=500")] == [through]
    assert page(service, f"?from={through + 1}") == []
    assert page(service, f"?from={2**48 - 1}&limit=500") == []
    for limit in (MOST_ROUNDS + 1, 10**15, 10**16, "9" * 500):
        assert len(page(service, f"?limit={limit}")) == MOST_ROUNDS
    for query in ("?limit=0", "?limit=00", "?limit=-1", "?from=0", "?from=", f"?to={2**48}", "?to=1.0", "?limit=+5"):
        answer = service.get(f"/v1/tables/{PAGED}/rounds{query}")
        assert (answer.status, answer.document["code"]) == (400, "malformed-number")


def test_downwards_the_newest_rounds_come_first(service: RunningService) -> None:
    """From the last committed one, however large the number is, with each as it is upwards."""
    through = service.get(f"/v1/tables/{PAGED}").document["committed_through"]
    upwards = page(service, f"?from={through - 19}&limit=20")
    assert page(service, f"?to={through}&limit=20") == upwards[::-1]
    assert page(service, f"?to={2**48 - 1}&limit=20") == upwards[::-1]
    assert [found["round"] for found in page(service, "?to=3&limit=2")] == [3, 2]
    both = service.get(f"/v1/tables/{PAGED}/rounds?from=1&to=2")
    assert (both.status, both.document["code"], both.document["parameter"]) == (400, "malformed-request", "to")


@pytest.mark.parametrize("direction", ["from", "to"])
def test_pages_lead_on_until_the_list_ends(service: RunningService, direction: str) -> None:
    """Each names the next, in both directions, and the last one none: also if it is full."""
    through = service.get(f"/v1/tables/{PAGED}").document["committed_through"]
    numbers = list(range(1, through + 1))
    address = f"/v1/tables/{PAGED}/rounds?{direction}={1 if direction == 'from' else through}&limit="
    for limit in (through // 3, through - 1, through, through + 1):
        of_page = min(limit, MOST_ROUNDS)
        wanted = numbers if direction == "from" else numbers[::-1]
        assert walked(service, f"{address}{limit}") == [
            wanted[at : at + of_page] for at in range(0, through, of_page)
        ]


def test_engines_that_race_find_one_outcome(service: RunningService) -> None:
    """Several engines on one round, each with other bets: one lock wins, everybody sees the same outcome."""
    barrier = Barrier(ENGINES)

    def race(engine: int) -> list[list[tuple[int, bytes]]]:
        bets = {"bets": {"count": engine + 1, "root": f"{engine:064x}"}}
        seen = []
        for number in range(1, RACES + 1):
            barrier.wait(PATIENCE_SECONDS)
            calls = [service.act(RACED, number, "open"), service.act(RACED, number, "lock", bets)]
            barrier.wait(PATIENCE_SECONDS)
            calls.append(service.act(RACED, number, "reveal"))
            seen.append([(call.status, call.data) for call in calls])
        return seen

    with ThreadPoolExecutor(ENGINES) as pool:
        engines = list(pool.map(race, range(ENGINES)))

    locks = [record for record in records_of(service, RACED) if isinstance(record, LockRecord)]
    reveals = [record for record in records_of(service, RACED) if isinstance(record, RevealRecord)]
    assert [lock.round for lock in locks] == [reveal.round for reveal in reveals] == list(range(1, RACES + 1))
    for number, lock in enumerate(locks):
        opens, locked, revealed = zip(*(seen[number] for seen in engines), strict=True)
        # Late calls find the round already locked.
        assert {status for status, _ in opens} <= {200, 409}
        assert Counter(status for status, _ in locked) == {200: 1, 409: ENGINES - 1}
        winner = next(engine for engine, (status, _) in enumerate(locked) if status == 200)
        assert lock.bets
        assert lock.bets.count == winner + 1
        assert {status for status, _ in revealed} == {200}
        assert len({data for _, data in revealed}) == 1


def test_tables_played_side_by_side_replay_to_the_same_counts(service: RunningService) -> None:
    """Nothing is lost or duplicated: the log agrees with what the engines did, round by round."""

    def play(table: str) -> list[dict[str, Any]]:
        ended = []
        for number in range(1, ROUNDS + 1):
            if number % 5 == 3:
                ended.append(service.act(table, number, "void", {"reason": "engine failure"}).document)
            else:
                ended.append(service.play(table, number).document)
        return ended

    with ThreadPoolExecutor(len(BUSY)) as pool:
        played = dict(zip(BUSY, pool.map(play, BUSY), strict=True))
    service.settle()
    tables = service.replay()
    records = service.table_records()
    for table, rounds in played.items():
        counts = tables[table].counts
        assert (counts.played, counts.void_never_opened, counts.void) == (ROUNDS - 1, 1, 1)
        assert tables[table].next_round == ROUNDS + 1
        reveals = [record for record in records if isinstance(record, RevealRecord) and record.table == table]
        logged = [(record.round, record.status, record.outcome, record.seeds) for record in reveals]
        assert logged == [(r["round"], r["status"], r["outcome"], r["seeds"]) for r in rounds]
