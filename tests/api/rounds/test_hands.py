"""Hands, over HTTP: who was dealt which positions, as the engine says at the reveal; on both databases."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from api.restore.rebuild import rebuild
from api.settings import DEFAULT_TIMEOUT
from tests.support.engines import FLIGHT, PLAIN, SEATS, TABLE, WHOLE, Engines
from tests.support.postgres import PostgresServer

pytestmark = pytest.mark.nightly("a service on a server for each test", on="postgresql")
HANDS = {"player": [1, 3, 5], "dealer": [2, 4]}
OTHERS = {"player": [1, 3], "dealer": [2, 4, 5]}


@pytest.fixture
def engines(tmp_path: Path, server: PostgresServer | None) -> Iterator[Engines]:
    """At a new service."""
    made = Engines(tmp_path / "data", server)
    yield made
    made.inside.stop()


def dealt(engines: Engines, *, count: int = 5, table: str = TABLE, number: int = 1) -> None:
    """Lock a round and deal so many cards."""
    engines.locked(table, number)
    assert engines.next(1, count, table=table, number=number)[0] == 200


def reveal(engines: Engines, hands: object = None, *, table: str = TABLE, number: int = 1) -> tuple[int, str]:
    """The status of a reveal with these hands, and its code or what became of the round."""
    status, answer = engines.call("reveal", None if hands is None else {"dealt": hands}, table=table, number=number)
    return status, answer.get("code", answer["status"])


def shown(engines: Engines, *, table: str = TABLE, number: int = 1) -> object:
    """The hands that everybody is shown; `None` if there are none."""
    answer = engines.public.get(f"/v1/tables/{table}/rounds/{number}")
    assert answer.status_code == 200
    return answer.get_json().get("dealt")


def test_hands_are_shown_beside_the_order(engines: Engines) -> None:
    """As they were sent, in their order, once the round has ended; in no list, and in no file of the log."""
    assert "dealt" in engines.public.get("/v1").get_json()["features"]
    dealt(engines)
    assert shown(engines) is None
    assert reveal(engines, HANDS) == (200, "played")
    answer = engines.public.get(f"/v1/tables/{TABLE}/rounds/1")
    assert '"dealt":{"player":[1,3,5],"dealer":[2,4]},"given":5,"order":[' in answer.text
    assert answer.headers["Cache-Control"].endswith("s-maxage=60")
    (listed,) = engines.public.get(f"/v1/tables/{TABLE}/rounds?limit=1").get_json()["rounds"]
    assert "dealt" not in listed
    engines.inside.settle()
    assert b"player" not in engines.public.get(f"/v1/tables/{TABLE}/rounds/1/proof").data
    files = [file for file in engines.inside.settings.log.rglob("*") if file.is_file()]
    assert len(files) > 5
    assert not [file for file in files if b"player" in file.read_bytes()]
    engines.inside.check()


def test_a_repeated_reveal_names_the_same_hands(engines: Engines) -> None:
    """In any order of the hands, and after a restart; others are another body, and so are none."""
    dealt(engines)
    assert reveal(engines, HANDS) == (200, "played")
    for _ in range(2):
        assert reveal(engines, dict(reversed(HANDS.items()))) == (200, "played")
        for other in (OTHERS, {"player": [3, 1, 5], "dealer": [2, 4]}, None):
            assert reveal(engines, other) == (409, "other-body")
        assert shown(engines) == HANDS
        engines.inside.restart()
        engines.connect()


def test_who_names_no_hands_has_said_so(engines: Engines) -> None:
    """Then hands are another body, and the answer says nothing of them."""
    dealt(engines)
    assert reveal(engines) == (200, "played")
    assert reveal(engines, HANDS) == (409, "other-body")
    assert reveal(engines) == (200, "played")
    assert shown(engines) is None


def test_after_a_time_out_the_first_hands_are_kept(engines: Engines) -> None:
    """Its reveal had no body, nor has an engine's that names none; what was shown before is not kept for long."""
    dealt(engines)
    engines.inside.clock.step(DEFAULT_TIMEOUT)
    engines.inside.settle()
    assert shown(engines) is None
    before = engines.public.get(f"/v1/tables/{TABLE}/rounds/1")
    assert before.headers["Cache-Control"].endswith("s-maxage=1")
    assert reveal(engines) == (200, "played")
    assert reveal(engines, {"player": [1, 6]}) == (409, "not-given")
    assert reveal(engines, HANDS) == (200, "played")
    assert shown(engines) == HANDS
    assert reveal(engines, OTHERS) == (409, "other-body")
    assert reveal(engines) == (409, "other-body")
    assert reveal(engines, HANDS) == (200, "played")
    engines.inside.check()


def test_a_time_out_between_two_calls_keeps_the_hands(engines: Engines) -> None:
    """The process that locked the round finds that it has ended only in the transaction of the reveal."""
    dealt(engines)
    engines.inside.clock.step(DEFAULT_TIMEOUT)
    engines.inside.keeper.turn()
    assert reveal(engines, HANDS) == (200, "played")
    assert shown(engines) == HANDS


def test_only_what_was_given_lies_in_a_hand(engines: Engines) -> None:
    """The problem says how far it was given, and where the position stands; the round stays locked."""
    dealt(engines, count=4)
    status, problem = engines.call("reveal", {"dealt": HANDS})
    assert (status, problem["code"], problem["pointer"]) == (409, "not-given", "/dealt/player/2")
    assert (problem["given"], problem["of"]) == (4, 208)
    assert "expected positions up to 4, which were given, found 5 in 'player'" in problem["detail"]
    assert engines.next(5, 1)[0] == 200
    assert reveal(engines, HANDS) == (200, "played")
    engines.locked(number=2)
    assert reveal(engines, {"player": [1]}, number=2) == (409, "not-given")
    assert reveal(engines, number=2) == (200, "played")


def test_hands_of_an_order_that_the_lock_told(engines: Engines) -> None:
    """Any of its positions; none beyond it."""
    engines.locked(WHOLE, body=None)
    status, problem = engines.call("reveal", {"dealt": {"player": [208, 209]}}, table=WHOLE)
    assert (status, problem["code"], problem["pointer"]) == (409, "not-given", "/dealt/player/1")
    assert ("given" in problem, problem["of"]) == (False, 208)
    assert reveal(engines, {"player": [208, 1]}, table=WHOLE) == (200, "played")
    assert shown(engines, table=WHOLE) == {"player": [208, 1]}


def test_positions_count_through_all_places(engines: Engines) -> None:
    """As in `next` and in `order`: the first place is position 1 here, and the first card position 2."""
    dealt(engines, count=3, table=SEATS)
    assert reveal(engines, {"first seat": [2], "second seat": [3]}, table=SEATS) == (200, "played")
    order = engines.public.get(f"/v1/tables/{SEATS}/rounds/1").get_json()["order"]
    assert [each["place"] for each in order[:3]] == ["first", "cards", "cards"]
    assert shown(engines, table=SEATS) == {"first seat": [2], "second seat": [3]}


@pytest.mark.parametrize("table", [PLAIN, FLIGHT])
def test_a_game_without_an_order_has_no_hands(engines: Engines, table: str) -> None:
    """The round stays locked."""
    engines.locked(table, body=None)
    assert reveal(engines, {"player": [1]}, table=table) == (409, "no-moves")
    assert reveal(engines, table=table) == (200, "played")
    assert shown(engines, table=table) is None


def test_a_round_that_is_void_has_no_hands(engines: Engines) -> None:
    """It is never revealed as played, before and after its end."""
    dealt(engines)
    assert engines.call("void", {"reason": "stuck"})[0] == 200
    assert reveal(engines, HANDS) == (409, "out-of-order")
    assert engines.public.get(f"/v1/tables/{TABLE}/rounds/1").headers["Cache-Control"].endswith("s-maxage=60")


def test_no_hands_are_kept_before_the_reveal(engines: Engines) -> None:
    """While its lock is not published, a reveal is pending, and says nothing yet."""
    engines.call("open")
    with engines.inside.background_paused():
        assert engines.call("lock", {"keep_back": True})[0] == 202
        assert reveal(engines, OTHERS) == (202, "locked")
    assert engines.next(1, 5)[0] == 200
    assert reveal(engines, HANDS) == (200, "played")
    assert shown(engines) == HANDS


def test_a_rebuilt_database_knows_no_hands_and_takes_the_first_again(engines: Engines) -> None:
    """They are in no record. Nor does it know how far the order was given."""
    dealt(engines)
    assert reveal(engines, HANDS) == (200, "played")
    engines.inside.settle()
    engines.inside.stop()
    rebuild(engines.inside.settings)
    engines.inside.start()
    engines.connect()
    assert shown(engines) is None
    assert reveal(engines, HANDS) == (200, "played")
    assert shown(engines) == HANDS


HOSTILE = {
    '{"dealt":{}}': "/dealt",
    '{"dealt":[]}': "/dealt",
    '{"dealt":null}': "/dealt",
    '{"dealt":"player"}': "/dealt",
    '{"dealt":{"player":[]}}': "/dealt",
    '{"dealt":{"player":1}}': "/dealt",
    '{"dealt":{"player":[0]}}': "/dealt",
    '{"dealt":{"player":[-1]}}': "/dealt",
    '{"dealt":{"player":[1.0]}}': "/dealt",
    '{"dealt":{"player":[true]}}': "/dealt",
    '{"dealt":{"player":["1"]}}': "/dealt",
    '{"dealt":{"player":[9007199254740992]}}': "/dealt",
    '{"dealt":{"":[1]}}': "/dealt",
    '{"dealt":{"Player":[1]}}': "/dealt",
    '{"dealt":{"player\\n":[1]}}': "/dealt",
    '{"dealt":{"<b>":[1]}}': "/dealt",
    '{"dealt":{"ani~/":[1]}}': "/dealt",
    json.dumps({"dealt": {"a" * 33: [1]}}): "/dealt",
    json.dumps({"dealt": {f"seat {n}": [n] for n in range(1, 18)}}): "/dealt",
    '{"dealt":{"player":[1,2,1]}}': "/dealt/player/2",
    '{"dealt":{"player":[1],"the dealer":[2,1]}}': "/dealt/the dealer/1",
    '{"dealt":{"player":[1],"player":[2]}}': "",
    '{"hands":{"player":[1]}}': "/hands",
    "[]": "",
    '{"dealt":': "",
}


def test_whatever_else_is_no_body(engines: Engines) -> None:
    """It is refused with its place, changes nothing, and is no error of ours."""
    dealt(engines)
    for body, pointer in HOSTILE.items():
        status, problem = engines.post("reveal", body.encode())
        assert (status, problem["code"], problem.get("pointer")) == (400, "malformed-body", pointer), body
    assert engines.post("reveal", b" " * 17_000)[1]["code"] == "body-too-large"
    most = {f"{'seat':-<30}{n:02}": [n] for n in range(1, 17)}
    assert reveal(engines, most) == (409, "not-given")
    assert engines.next(6, 11)[0] == 200
    assert reveal(engines, most) == (200, "played")
    assert shown(engines) == most
