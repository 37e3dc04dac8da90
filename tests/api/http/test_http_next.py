"""Orders that decisions move along, over HTTP: the next things of a locked round, one call at a time, on both
databases.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from api.restore.rebuild import rebuild
from api.rounds.control import pause_table
from tests.support.engines import FLIGHT, KEPT_BACK, PLAIN, SEATS, TABLE, WHOLE, Engines
from tests.support.postgres import PostgresServer

pytestmark = pytest.mark.nightly("a service on a server for each test", on="postgresql")


@pytest.fixture
def engines(tmp_path: Path, server: PostgresServer | None) -> Iterator[Engines]:
    """At a new service."""
    made = Engines(tmp_path / "data", server)
    yield made
    made.inside.stop()


def cards(answer: dict[str, Any]) -> list[str]:
    return [each["thing"] for each in answer["things"]]


def test_a_hand_is_dealt_card_by_card(engines: Engines) -> None:
    """The lock tells how many cards there are; each call gives the next; the reveal shows that they were the
    order's.
    """
    lock = engines.locked()
    assert "outcome" not in lock
    assert lock["of"] == 208
    status, first = engines.next(1, 4)
    assert status == 200
    assert first.keys() == {"table", "table_id", "round", "status", "of", "things"}
    assert [(each["position"], each["place"]) for each in first["things"]] == [(n, "cards") for n in (1, 2, 3, 4)]
    _, second = engines.next(5, 1)
    status, reveal = engines.call("reveal")
    assert status == 200
    assert cards(first) + cards(second) == reveal["outcome"]["cards"].split()[:5]
    shown = engines.public.get(f"/v1/tables/{TABLE}/rounds/1").get_json()
    assert shown["order"][:5] == first["things"] + second["things"]
    assert (shown["given"], len(shown["order"])) == (5, 208)
    (listed,) = engines.public.get(f"/v1/tables/{TABLE}/rounds?limit=1").get_json()["rounds"]
    assert not {"order", "given"} & listed.keys()
    engines.inside.check()


def test_the_same_position_gives_the_same_things(engines: Engines) -> None:
    """A call may be repeated, overlap another one, and be made after a restart: the database knows how far it was
    given.
    """
    engines.locked()
    asked = [(1, 2), (2, 3), (1, 2), (5, 1), (1, 5)]
    given = [cards(engines.next(*each)[1]) for each in asked]
    assert given[0] == given[2] == given[4][:2]
    assert given[1] == given[4][1:4]
    engines.inside.restart()
    engines.connect()
    assert [cards(engines.next(*each)[1]) for each in asked] == given
    assert engines.next(7, 1)[1]["code"] == "not-next"
    assert engines.next(6, 1)[0] == 200


def test_nothing_is_left_out_and_nothing_is_beyond_the_order(engines: Engines) -> None:
    """A position beyond the next one, and more than the order has, are refused, with how many there are."""
    engines.locked()
    status, problem = engines.next(2, 1)
    assert (status, problem["code"]) == (409, "not-next")
    assert (problem["given"], problem["of"]) == (0, 208)
    status, problem = engines.next(1, 209)
    assert (status, problem["code"]) == (409, "not-next")
    assert (problem["given"], problem["of"]) == (0, 208)
    assert engines.read() == []
    assert len(engines.next(1, 208)[1]["things"]) == 208
    assert engines.next(209, 1)[1]["code"] == "not-next"
    assert engines.next(208, 1)[0] == 200


def test_a_game_in_which_players_decide_nothing_has_no_next(engines: Engines) -> None:
    """Neither call is taken, and the round stays as it was."""
    assert engines.call("open", table=PLAIN)[0] == 200
    status, problem = engines.call("lock", KEPT_BACK, table=PLAIN)
    assert (status, problem["code"]) == (409, "no-moves")
    assert "the players of sic-bo decide nothing" in problem["detail"]
    assert engines.call("lock", table=PLAIN)[1]["outcome"]
    assert engines.next(1, 1, table=PLAIN)[1]["code"] == "no-moves"


def test_the_order_goes_through_all_places_as_they_are_drawn(engines: Engines) -> None:
    """Who begins comes first, though the outcome's keys are sorted; a flight is an order of one thing."""
    assert engines.locked(SEATS)["of"] == 37
    _, answer = engines.next(1, 3, table=SEATS)
    assert [each["place"] for each in answer["things"]] == ["first", "cards", "cards"]
    assert answer["things"][0]["thing"] in {1, 2}
    assert engines.locked(FLIGHT)["of"] == 1
    engines.call("reveal", table=FLIGHT)
    assert "order" not in engines.public.get(f"/v1/tables/{FLIGHT}/rounds/1").get_json()


def test_only_its_engine_is_given_things(engines: Engines) -> None:
    """Not the engine of another table, and nobody on the public listener."""
    engines.locked()
    assert engines.next(1, 1, by="narrow")[1]["code"] == "wrong-table"
    answer = engines.public.post(f"/v1/engine/tables/{TABLE}/rounds/1/next", data=b'{"position":1,"count":1}')
    assert answer.get_json()["code"] == "wrong-listener"
    assert engines.read() == []


def test_nothing_is_given_before_the_lock_is_published(engines: Engines) -> None:
    """Then the lock and the call are pending, and nothing is noted."""
    assert engines.next(1, 1)[1]["code"] == "out-of-order"
    engines.call("open")
    assert engines.next(1, 1)[1]["found"] == {"round": 1, "status": "open"}
    with engines.inside.background_paused():
        status, lock = engines.call("lock", KEPT_BACK)
        assert (status, "of" in lock) == (202, False)
        assert engines.next(1, 1) == (202, {key: value for key, value in lock.items() if key != "locked_at"})
    assert engines.read() == []
    assert engines.next(1, 1)[0] == 200


def test_a_pause_stops_no_round_and_the_end_gives_nothing_more(engines: Engines) -> None:
    """A locked round goes on during a pause; after its reveal, a void, or once it is given up, `next` is out of
    order.
    """
    engines.locked()
    pause_table(engines.inside.service.writer, TABLE, paused=True)
    assert engines.next(1, 1)[0] == 200
    pause_table(engines.inside.service.writer, TABLE, paused=False)
    engines.call("reveal")
    assert engines.next(1, 1)[1]["found"] == {"round": 1, "status": "played"}
    engines.locked(number=2)
    engines.next(1, 1, number=2)
    assert engines.call("void", {"reason": "stuck"}, number=2)[0] == 200
    assert engines.next(2, 1, number=2)[1]["found"] == {"round": 2, "status": "void"}
    engines.call("open", number=3)
    with engines.inside.background_paused():
        assert engines.call("void", {"reason": "stuck"}, number=3)[0] == 202
        assert engines.next(1, 1, number=3)[1]["expected"] == {"round": 3, "status": ["void"]}


def test_each_call_is_in_the_journal_with_its_positions(engines: Engines) -> None:
    """Also a repeated one, and those of the token that locked the round: its lock told it nothing."""
    engines.locked()
    engines.next(1, 4)
    engines.next(1, 4)
    engines.next(5, 1, by="other")
    first = ("engine mine", {"round": 1, "from": 1, "count": 4})
    assert engines.read() == [first, first, ("engine other", {"round": 1, "from": 5, "count": 1})]


def test_no_other_call_tells_the_order_unnoticed(engines: Engines) -> None:
    """A lock that asks for the outcome now is another body; a settlement is noted, also for the token that locked
    it.
    """
    engines.locked(WHOLE)
    assert engines.call("lock", table=WHOLE)[1]["code"] == "other-body"
    assert engines.call("lock", {"keep_back": False}, table=WHOLE, by="other")[1]["code"] == "other-body"
    assert engines.call("lock", KEPT_BACK, table=WHOLE, by="other")[1]["of"] == 208
    assert engines.read() == []
    assert engines.inside.service.rounds.locked_outcome(WHOLE, 1, by="mine") is not None
    assert engines.read() == [("engine mine", {"round": 1})]


def test_an_engine_may_be_given_the_whole_order_at_the_lock(engines: Engines) -> None:
    """As in Crash. What was told need not be asked for in order, and the calls are noted all the same."""
    outcome = engines.locked(WHOLE, body=None)["outcome"]
    assert cards(engines.next(100, 2, table=WHOLE)[1]) == outcome["cards"].split()[99:101]
    assert engines.call("lock", KEPT_BACK, table=WHOLE)[1]["of"] == 208
    assert engines.read() == [("engine mine", {"round": 1, "from": 100, "count": 2})]
    engines.call("reveal", table=WHOLE)
    shown = engines.public.get(f"/v1/tables/{WHOLE}/rounds/1").get_json()
    assert ("given" in shown, len(shown["order"])) == (False, 208)


def test_a_round_that_is_rebuilt_from_the_log_goes_on(engines: Engines) -> None:
    """The log does not say how far it was given, so nothing is kept back any more; both spellings of the lock are
    taken.
    """
    engines.locked()
    _, before = engines.next(1, 3)
    engines.inside.stop()
    rebuild(engines.inside.settings)
    engines.inside.start()
    engines.connect()
    assert engines.next(3, 1)[1]["things"] == before["things"][2:]
    assert engines.call("lock", KEPT_BACK)[1]["of"] == 208
    assert engines.call("reveal")[0] == 200
