"""Tables that keep their order: no lock is answered with all of it, and it leaves no other way before the reveal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from api.journal.chain import entries
from api.journal.entry import Act, values_of
from api.problems import Code, Problem
from api.restore.rebuild import rebuild
from api.rounds.control import set_table
from api.rounds.tables import Order, TableRefusedError, add_table
from tests.support.damage import lose_database
from tests.support.durable_steps import everything_stored
from tests.support.engines import FLIGHT, KEPT_BACK, PLAIN, SEATS, TABLE, WHOLE, Engines
from tests.support.postgres import PostgresServer

pytestmark = pytest.mark.nightly("a service on a server for each test", on="postgresql")
OWN_FLIGHT = b'{"draw":[["reels","numbers",3,1,6],["multiplier","flight"]],"moves":1,"rules":{"cap":[101,1000],"rtp":[9000,9700]}}'
PROMISE = {
    "en": "it has to ask for it, and every request is written down",
    "hy": "ամեն հարցում գրանցվում է",
    "ru": "каждый запрос записывается",
}


@pytest.fixture
def engines(tmp_path: Path, server: PostgresServer | None) -> Iterator[Engines]:
    """At a new service."""
    made = Engines(tmp_path / "data", server)
    yield made
    made.inside.stop()


def order_at(engines: Engines, table: str) -> object:
    """What the table's document says; `None` if nothing."""
    return engines.public.get(f"/v1/tables/{table}").get_json().get("order")


def test_a_lock_that_asks_for_the_whole_order_is_refused(engines: Engines) -> None:
    """With the body to send; the round stays open, also for the next token, and takes the right body."""
    assert engines.call("open")[0] == 200
    before = engines.inside.size
    for body, by in (({}, "mine"), ({"keep_back": False}, "mine"), ({}, "other")):
        status, problem = engines.call("lock", body, by=by)
        assert (status, problem["code"], problem["keep_back"]) == (409, "order-kept", True)
        assert 'lock with "keep_back":true' in problem["detail"]
    engines.inside.settle()
    assert (engines.inside.size, engines.inside.status(TABLE, 1)) == (before, "open")
    assert engines.call("lock", KEPT_BACK)[1]["of"] == 208
    assert engines.call("lock")[1]["code"] == "order-kept"
    engines.inside.check()


@pytest.mark.nightly("waits for calls that are pending")
def test_the_order_leaves_no_other_way_before_the_reveal(engines: Engines) -> None:
    """Whatever is asked and stored while the round is locked: nothing has the cards that were not given."""
    engines.call("open")
    with engines.inside.background_paused():
        heard = [str(engines.call("lock", KEPT_BACK)[1]), str(engines.call("reveal")[1])]
    heard += [str(engines.call("lock", body, by=by)[1]) for body in (KEPT_BACK, {}) for by in ("mine", "other")]
    heard += [str(engines.next(1, 5)[1]), str(engines.call("reveal", {"dealt": {"player": [6]}})[1])]
    bets = {"bets": [{"bet": "player", "stake": 1}]}
    status, problem = engines.call("settle", bets)
    assert (status, problem["code"]) == (409, "out-of-order")
    assert problem["expected"] == {"round": 1, "status": ["played", "void"]}
    assert "its order is kept until the reveal" in problem["detail"]
    with pytest.raises(Problem) as refused:
        engines.inside.service.rounds.locked_outcome(TABLE, 1, by="mine")
    assert refused.value.code is Code.OUT_OF_ORDER
    heard.append(str(problem))
    here = f"/tables/{TABLE}"
    for path in ("/", here, f"{here}/rounds/1", f"/v1{here}", f"/v1{here}/rounds/1", f"/v1{here}/rounds/1/proof"):
        heard.append(engines.public.get(path).text)
    for path in ("/v1/live", f"/v1{here}/live", f"/v1{here}/rounds", f"/v1{here}/bets"):
        heard.append(engines.public.get(path).text)
    engines.inside.settle()
    stored = everything_stored(engines.inside)
    outcome = engines.call("reveal")[1]["outcome"]["cards"]
    hidden = outcome[5 * 3 : 15 * 3]
    assert hidden.count(" ") == 10
    assert not [each for each in heard if hidden in each or hidden.replace(" ", "', '") in each]
    assert hidden.encode() not in stored
    assert hidden.encode() in everything_stored(engines.inside)
    assert engines.read() == [("engine mine", {"round": 1, "from": 1, "count": 5})]


def test_all_may_be_asked_for_one_call_at_a_time(engines: Engines) -> None:
    """The promise is that each call is noted, not that nobody asks."""
    engines.locked()
    assert len(engines.next(1, 208)[1]["things"]) == 208
    assert engines.read() == [("engine mine", {"round": 1, "from": 1, "count": 208})]
    assert engines.call("settle", {"bets": [{"bet": "player", "stake": 1}]})[1]["code"] == "out-of-order"


def test_a_table_keeps_its_order_unless_its_operator_says_otherwise(engines: Engines) -> None:
    """Where there is one: not in a game without decisions, and not where a flight is drawn."""
    rules = {"cap": 1000, "rtp": 9700, "version": 1}
    add_table(engines.inside.service.writer, "own", "own", declaration=OWN_FLIGHT, rules=rules)
    engines.inside.settle()
    orders = {table: order_at(engines, table) for table in (TABLE, SEATS, WHOLE, PLAIN, FLIGHT, "own")}
    assert orders == {TABLE: "kept", SEATS: "kept", WHOLE: "whole", PLAIN: None, FLIGHT: None, "own": None}
    assert "outcome" in engines.locked("own", body=None)
    for game in ("sic-bo", "crash"):
        with pytest.raises(TableRefusedError, match="has no order that could be kept") as refused:
            add_table(engines.inside.service.writer, "more", game, order=Order.KEPT)
        assert refused.value.field == "order"
    made = {row.subject: values_of(row.after) for row in entries(engines.inside.service.database)}
    assert [(made[table] or {}).get("order") for table in (TABLE, WHOLE, PLAIN)] == ["kept", "whole", None]


def test_the_tables_page_promises_it(engines: Engines) -> None:
    """In the reader's language; and not where a lock may ask for all."""
    for language, words in PROMISE.items():
        for table in (TABLE, WHOLE, PLAIN, FLIGHT):
            page = engines.public.get(f"/tables/{table}", headers={"Accept-Language": language}).text
            assert (words in page) == (table == TABLE), (language, table)


def test_it_is_changed_between_two_rounds_only(engines: Engines) -> None:
    """Whoever has bet was promised the present one; other settings leave it as it is, and the journal has both."""
    writer = engines.inside.service.writer

    def refused(number: int) -> None:
        with pytest.raises(TableRefusedError, match=f"round {number} of {TABLE} is not over") as problem:
            set_table(writer, TABLE, order=Order.WHOLE)
        assert problem.value.field == "order"
        set_table(writer, TABLE, order=Order.KEPT)
        assert order_at(engines, TABLE) == "kept"

    engines.call("open")
    refused(1)
    engines.call("lock", KEPT_BACK)
    refused(1)
    engines.call("open", number=2)
    refused(1)
    engines.call("reveal")
    refused(2)
    assert engines.call("void", {"reason": "stuck"}, number=2)[0] == 200
    set_table(writer, TABLE, order=Order.WHOLE)
    set_table(writer, TABLE, timeout=400)
    assert order_at(engines, TABLE) == "whole"
    assert "outcome" in engines.locked(number=3, body=None)
    rows = [row for row in entries(engines.inside.service.database) if row.act == Act.TABLE_SET]
    assert [(values_of(row.before) or {})["order"] for row in rows[-2:]] == ["kept", "whole"]
    with pytest.raises(TableRefusedError, match="has no order that could be kept"):
        set_table(writer, PLAIN, order=Order.KEPT)


def test_a_rebuild_copies_it(engines: Engines) -> None:
    """It is in no record, but in the old database; and a round that is made again has lost that its order was kept
    back.
    """
    engines.locked()
    engines.inside.stop()
    rebuild(engines.inside.settings)
    engines.inside.start()
    engines.connect()
    assert [order_at(engines, table) for table in (TABLE, WHOLE, PLAIN)] == ["kept", "whole", None]
    # The rebuilt row knows no more that the order was kept back.
    assert engines.call("lock")[1]["code"] == "order-kept"
    assert engines.call("lock", KEPT_BACK)[1]["of"] == 208


@pytest.mark.one_database("a lost file")
def test_without_a_database_every_order_is_kept(tmp_path: Path) -> None:
    """That breaks no promise; the rebuild says so of each table that has one."""
    engines = Engines(tmp_path / "data", None)
    engines.inside.stop()
    lose_database(engines.inside)
    lost = rebuild(engines.inside.settings).lost
    named = {line.split(":")[0].removeprefix("the settings of ") for line in lost if ", its order is kept;" in line}
    assert named == {TABLE, WHOLE, SEATS}
    engines.inside.start()
    kept = {table: engines.inside._row(table).keeps_order for table in (TABLE, WHOLE, SEATS, PLAIN, FLIGHT)}
    assert kept == {TABLE: True, WHOLE: True, SEATS: True, PLAIN: False, FLIGHT: False}
    engines.inside.stop()
