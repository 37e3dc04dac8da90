"""Tables with a salt: batches name a pulse that does not exist yet, and get it when its time has come (SPEC 4.8)."""

from __future__ import annotations

import json
import logging
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec import UNSET

from api.access.tokens import ALL_TABLES, Role, create_token
from api.answers.rounds import Salt
from api.beacon.relays import Relays
from api.custody.custodian import SeedsUnavailableError
from api.http.view import PublicRounds, show_table
from api.problems import Code, Problem
from api.restore.rebuild import rebuild
from api.rounds.salter import ALARM_AFTER, LONGEST_PAUSE
from api.rounds.tables import TableRefusedError, add_table, request_close
from api.server.app import create_app
from fairness.beacon.chain import QUICKNET, Beacon
from fairness.beacon.pulse import salt_of, verify_pulse
from fairness.draws.stream import context
from fairness.records.record import BatchRecord, Record, RevealRecord, SaltRecord, aside_of
from fairness.records.replay import Replay
from fairness.times import milliseconds
from games import GAMES
from tests.support.faulty_world import Fault, Faults, SettableClock, When
from tests.support.in_process_service import ORIGIN, InProcessService
from tests.support.log_server import answering
from tests.support.relays import running_relay
from tests.support.running_service import free_port
from tests.support.salted_service import (
    BEACON,
    FIRST,
    HASH,
    LATER,
    NODE,
    TABLE,
    ask,
    can_play,
    salted_service,
    wait_until,
)

pytestmark = pytest.mark.both_databases("what it waits for are rows")


@pytest.fixture(name="running")
def _running(tmp_path: Path) -> Iterator[InProcessService]:
    with salted_service(tmp_path / "data") as running:
        yield running


def records(running: InProcessService) -> list[Record]:
    """The records of the log, replayed by somebody who knows the beacon."""
    log = running.service.publication.newest()
    assert log is not None
    replay = Replay(ORIGIN, GAMES, beacons=running.settings.beacons)
    data = [log.tiles.record(position) for position in range(log.size)]
    found = [replay.advance(each) for each in data if aside_of(each) is None]
    assert not any(state.unverified for state in replay.tables.values())
    return found


def batches_and_salts(running: InProcessService) -> tuple[dict[int, BatchRecord], dict[int, SaltRecord]]:
    """Both by the numbers of the batches."""
    found = records(running)
    return (
        {record.batch: record for record in found if isinstance(record, BatchRecord)},
        {record.batch: record for record in found if isinstance(record, SaltRecord)},
    )


def refusal(running: InProcessService, number: int) -> Code:
    """Why a round cannot be opened."""
    with pytest.raises(Problem) as refused:
        running.open(TABLE, number)
    return refused.value.code


def test_batches_name_the_first_pulse_after_their_wait(running: InProcessService) -> None:
    """Two minutes after a table's first batch, and ten after the others; the salts are these pulses, and not before
    them.
    """
    wait_until(running, lambda: can_play(running))
    running.play(TABLE, 5)
    running.settle()
    wait_until(running, lambda: can_play(running, 20))
    batches, salts = batches_and_salts(running)
    assert sorted(salts) == sorted(batches)[: len(salts)]
    assert len(salts) >= 2
    for number, record in batches.items():
        assert record.beacon
        wait = 1000 * BEACON.time_of(record.beacon) - milliseconds(record.committed)
        least = 1000 * (LATER if number > 1 else FIRST)
        assert least <= wait < least + 1000 * BEACON.period
    for number, salt in salts.items():
        pulse = batches[number].beacon
        assert isinstance(pulse, int)
        verify_pulse(BEACON, pulse, bytes.fromhex(salt.signature))
        assert milliseconds(salt.salted) >= 1000 * BEACON.time_of(pulse)


def test_no_round_is_opened_before_its_lead_is_salted_and_published(running: InProcessService) -> None:
    """Committed is not enough, nor is a salt that is only queued."""
    running.settle()
    assert running.state(TABLE).committed_through >= 12
    assert refusal(running, 1) is Code.LEAD_NOT_PUBLISHED
    running.clock.step(FIRST + BEACON.period)
    with running.background_paused():
        running.salter.turn()
        assert can_play(running)
        assert refusal(running, 1) is Code.LEAD_NOT_PUBLISHED
    running.turn()
    running.play(TABLE, 10)
    # Rounds 13 and on are in a batch that awaits its salt: the lead of round 11 is 2.
    assert refusal(running, 11) is Code.LEAD_NOT_PUBLISHED
    with pytest.raises(Problem, match="not salted"):
        running.void(TABLE, 11)
    wait_until(running, lambda: can_play(running, 11))
    running.play(TABLE, 3)


def test_outcomes_depend_on_the_salt(running: InProcessService) -> None:
    """Replay accepts them, and the context of a batch is made with its pulse."""
    wait_until(running, lambda: can_play(running))
    running.play(TABLE, 3)
    running.settle()
    batch = running.state(TABLE).batches[0]
    _, salts = batches_and_salts(running)
    assert batch.context == context(batch.batch_id, salt_of(bytes.fromhex(salts[1].signature)))
    assert len([record for record in records(running) if isinstance(record, RevealRecord)]) == 3


def test_views_show_the_salt(running: InProcessService) -> None:
    """Of a table its beacon, and of each round the pulse that its batch named; then the pulse itself."""
    running.settle()
    view = PublicRounds(running.service.database, running.service.log)
    assert show_table(running.service.database, running.service.openings, TABLE).beacon == HASH
    beacon = running.state(TABLE).batches[0].awaits
    assert beacon is not None
    assert view.show(TABLE, 1).salt == Salt(HASH, beacon)
    wait_until(running, lambda: can_play(running))
    salted = Salt(HASH, beacon, NODE.pulse(beacon).hex())
    assert view.show(TABLE, 1).salt == salted
    page = view.page(TABLE, 11, 4)
    assert [each.salt == salted for each in page] == [True, True, False, False]
    running.play(TABLE)
    assert view.show(TABLE, 1).salt == salted
    add_table(running.service.writer, "plain-1", "keno-express")
    running.settle()
    assert show_table(running.service.database, running.service.openings, "plain-1").beacon is UNSET
    assert view.show("plain-1", 1).salt is UNSET


def test_a_table_has_a_beacon_that_the_service_knows(running: InProcessService) -> None:
    """Quicknet by both of its names; no other, as nobody could salt it."""
    add_table(running.service.writer, "quick-1", "keno-express", salt="quicknet")
    add_table(running.service.writer, "quick-2", "keno-express", salt=QUICKNET.chain_hash.hex())
    for wrong in ("", "None", "Quicknet", "0" * 64, HASH.upper()):
        with pytest.raises(TableRefusedError, match="FOREDRAW_BEACON") as refused:
            add_table(running.service.writer, "wrong-1", "keno-express", salt=wrong)
        assert refused.value.field == "salt"


@pytest.mark.parametrize("hours", [1, -1])
def test_nothing_is_committed_while_the_clock_is_wrong(tmp_path: Path, hours: int) -> None:
    """An hour off: the newest pulse shows it. When the clock is right again, the table goes on."""
    relay_clock = SettableClock()
    relay_clock.set_date(3600 * hours)
    with salted_service(tmp_path / "data") as running, running_relay(NODE, relay_clock) as relay:
        honest = running.settings.relays
        ask(running, relay.url)
        running.settle()
        assert running.state(TABLE).committed_through == 0
        said = running.salter._troubles[TABLE].why
        assert ("before" if hours > 0 else "after") + " the newest pulse" in said
        ask(running, *honest)
        running.settle()
        assert running.state(TABLE).committed_through > 0


def test_a_batch_that_would_name_a_public_pulse_costs_no_chain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clock that is behind by less than the tolerance, and a short wait: refused before the custodian stores
    anything.
    """
    relay_clock = SettableClock()
    with salted_service(tmp_path / "data") as running, running_relay(NODE, relay_clock) as relay:
        running.settings = replace(running.settings, first_pulse=1)
        ask(running, relay.url)
        chains = []
        monkeypatch.setattr(running.service.custodian, "commit", lambda *_, **__: chains.append("made"))
        running.clock.set_date(-20)
        running.salter.turn()
        assert "is public already" in running.salter._troubles[TABLE].why
        assert chains == []


def test_an_alarm_is_raised_after_a_minute(running: InProcessService, caplog: pytest.LogCaptureFixture) -> None:
    """Relays that are away: a warning at once, an alarm once, in messages, health, figures and on the operator's
    page.
    """
    honest = running.settings.relays
    running.settle()
    ask(running, f"http://127.0.0.1:{free_port()}")
    running.clock.step(FIRST + BEACON.period)
    with caplog.at_level(logging.WARNING, "foredraw.salter"):
        running.settle()
        assert [record.levelname for record in caplog.records] == ["WARNING"]
        assert running.service.health.failures()["beacon"] is None
        for _ in range(20):
            running.clock.step(ALARM_AFTER.total_seconds() / 10)
            running.settle()
        assert [record.levelname for record in caplog.records] == ["WARNING", "CRITICAL"]
        why = running.service.health.failures()["beacon"]
        assert why is not None
        assert HASH in why
        assert ("beacon", {"why": why}) in list(running.service.observer.overview().troubles())
        assert answers(running) == ("failing", 1)
        running.clock.step(3600)
        running.salter._relays = Relays(honest)
        running.settle()
        assert [record.levelname for record in caplog.records] == ["WARNING", "CRITICAL", "WARNING"]
    assert running.service.health.failures()["beacon"] is None
    assert answers(running) == ("ok", 0)
    assert can_play(running)
    running.play(TABLE)


def answers(running: InProcessService) -> tuple[str, int]:
    """What `/health/ready` says of the beacon, and the figure of `/metrics`."""
    service = running.service
    token = create_token(service.database, service.clock, str(running.clock.moment()), Role.OPERATOR, [ALL_TABLES])
    client = create_app(service).test_client()
    text = client.get("/metrics", headers={"Authorization": f"Bearer {token}"}).text
    (figure,) = re.findall(r"^foredraw_beacon_failing (\d)$", text, re.MULTILINE)
    ready = client.get("/health/ready").json
    assert ready is not None
    return ready["checks"]["beacon"]["status"], int(figure)


def test_a_failing_relay_is_asked_ever_less_often(running: InProcessService) -> None:
    """After a second, then two, four, at last every half minute; and for ever."""
    asked: list[float] = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        asked.append(running.clock.uptime.total_seconds())
        handler.send_error(500)

    running.settle()
    with answering(answer) as url:
        ask(running, url)
        running.clock.step(FIRST + BEACON.period)
        for _ in range(1200):
            running.clock.step(0.2)
            running.salter.turn()
    pauses = [later - before for before, later in pairwise(asked)]
    assert pauses[:5] == pytest.approx([1, 2, 4, 8, 16], abs=0.5)
    assert pauses[5:] == pytest.approx([30] * len(pauses[5:]), abs=0.5)
    assert len(pauses) > 8


def test_a_lie_salts_nothing(tmp_path: Path) -> None:
    """The pulse of the next relay is taken, and no other is ever in the log."""
    lies = iter([b"", b"{}", b"x" * 5000])

    def lie(handler: BaseHTTPRequestHandler) -> None:
        number = int(handler.path.rpartition("/")[2]) if handler.path[-1].isdigit() else 1
        body = next(lies, json.dumps({"round": number, "signature": NODE.pulse(number + 1).hex()}).encode())
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    with answering(lie) as liar, salted_service(tmp_path / "data", liar) as running:
        wait_until(running, lambda: can_play(running))
        running.play(TABLE, 2)
        running.settle()
        assert batches_and_salts(running)[1]


def test_a_restart_at_each_step_loses_nothing(running: InProcessService) -> None:
    """After the batch, while the pulse is due, after the salt is queued, and after it is published."""
    running.settle()
    beacon = running.state(TABLE).batches[0].awaits
    running.restart()
    running.clock.step(FIRST + BEACON.period)
    running.restart()
    with running.background_paused():
        running.salter.turn()
    running.restart()
    running.settle()
    running.restart()
    assert can_play(running)
    running.play(TABLE)
    running.settle()
    batches, salts = batches_and_salts(running)
    assert batches[1].beacon == beacon
    assert sorted(salts) == [1]


@pytest.mark.lattice
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_fault_at_each_effect_loses_nothing(tmp_path: Path, when: When) -> None:
    """From the batch to the salt: whatever fails, before or after it happened, rounds go on with the same pulse."""
    at = 0
    while True:
        at += 1
        faults = Faults()
        with salted_service(tmp_path / f"{at}") as running:
            running.restart(faults)
            faults.arm(at, when)
            try:
                wait_until(running, lambda: can_play(running))
            except Fault:
                running.restart()
            faults.at = 0
            named = {batch.number: batch.awaits for batch in running.state(TABLE).batches if batch.awaits}
            wait_until(running, lambda: can_play(running))
            running.settle()
            running.play(TABLE, 2)
            running.settle()
            batches, salts = batches_and_salts(running)
            assert all(batches[number].beacon == beacon for number, beacon in named.items())
            assert set(salts) <= set(batches)
        if faults.struck is None:
            break
    assert at > 10


def test_salts_are_rebuilt_from_the_log(running: InProcessService) -> None:
    """Rows and finding aids, of batches that have their salt and of those that await it."""
    wait_until(running, lambda: can_play(running))
    running.play(TABLE, 2)
    running.settle()
    view = PublicRounds(running.service.database, running.service.log)
    rounds = range(1, running.state(TABLE).committed_through + 1)
    before = [view.show(TABLE, number) for number in rounds]
    state = running.state(TABLE)
    log = running.service.publication.newest()
    assert log is not None
    aids = [log.round_positions(state.table_id, number) for number in rounds]
    running.stop()
    rebuild(running.settings)
    running.start()
    view = PublicRounds(running.service.database, running.service.log)
    assert [view.show(TABLE, number) for number in rounds] == before
    assert {isinstance(each.salt, Salt) and each.salt.signature is not UNSET for each in before} == {True, False}
    log = running.service.publication.newest()
    assert log is not None
    assert [log.round_positions(state.table_id, number) for number in rounds] == aids
    assert running.state(TABLE) == state
    wait_until(running, lambda: can_play(running, 12))
    running.play(TABLE, 10)


def test_finding_aids_of_salts_are_made_again(running: InProcessService) -> None:
    """If the files are lost, the table goes on when they are back."""
    wait_until(running, lambda: can_play(running))
    running.play(TABLE, 2)
    running.settle()
    table_id = running.state(TABLE).table_id
    log = running.service.publication.newest()
    assert log is not None
    before = [log.round_positions(table_id, number) for number in range(1, 25)]
    shutil.rmtree(running.settings.log / "find")
    running.restart()
    log = running.service.publication.newest()
    assert log is not None
    assert [log.round_positions(table_id, number) for number in range(1, 25)] == before
    running.play(TABLE)


def test_a_table_that_closes_needs_no_more_salts(running: InProcessService) -> None:
    """It ends and closes while a batch awaits its salt; nothing is asked for it any more."""
    wait_until(running, lambda: can_play(running))
    running.play(TABLE)
    running.settle()
    assert any(batch.awaits for batch in running.state(TABLE).batches)
    request_close(running.service.writer, TABLE)
    running.settle()
    assert running.state(TABLE).closed
    size = running.size
    running.clock.step(LATER + BEACON.period)
    running.settle()
    assert running.size == size
    assert batches_and_salts(running)[0].keys() > batches_and_salts(running)[1].keys()


def test_a_beacon_that_is_no_longer_known_is_reported(running: InProcessService) -> None:
    """The settings were changed: the table waits, others go on, and the alarm names the setting."""
    wait_until(running, lambda: can_play(running))
    running.settings = replace(running.settings, beacon=None)
    running.restart()
    add_table(running.service.writer, "plain-1", "keno-express")
    for _ in range(40):
        running.clock.step(30)
        running.settle()
    assert running.state("plain-1").committed_through > 0
    why = running.service.health.failures()["beacon"]
    assert why is not None
    assert "FOREDRAW_BEACON" in why


def test_bets_are_taken_during_a_flight_only_if_the_lead_is_salted(running: InProcessService) -> None:
    """A round may be opened while the one before flies, also at the edge of a batch; never past what is salted."""
    add_table(running.service.writer, "flight-1", "rocketon", salt=HASH)
    running.settle()
    running.clock.step(FIRST + BEACON.period)
    running.settle()
    # The first batch has 12 rounds, and the lead is 10.
    running.open("flight-1", 1)
    running.lock("flight-1", 1)
    running.open("flight-1", 2)
    running.reveal("flight-1", 1)
    running.lock("flight-1", 2)
    with pytest.raises(Problem, match="not salted"):
        running.open("flight-1", 3)
    running.clock.step(LATER + BEACON.period)
    running.settle()
    for number in range(3, 14):
        running.open("flight-1", number)
        running.reveal("flight-1", number - 1)
        running.lock("flight-1", number)
    assert {batch.number for batch in running.state("flight-1").batches} >= {2, 3}
    running.settle()
    assert records(running)


def test_a_clock_that_steps_back_dates_no_salt_before_its_pulse(
    running: InProcessService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a relay is asked, a time server may set the date; the salt then has the time of its pulse."""
    running.settle()
    honest = running.salter._relays.pulse

    def slowly(beacon: Beacon, number: int) -> bytes:
        signature = honest(beacon, number)
        running.clock.set_date(-60)
        return signature

    monkeypatch.setattr(running.salter._relays, "pulse", slowly)
    running.clock.step(FIRST + BEACON.period)
    running.settle()
    batches, salts = batches_and_salts(running)
    pulse = batches[1].beacon
    assert isinstance(pulse, int)
    assert milliseconds(salts[1].salted) == 1000 * BEACON.time_of(pulse)


def test_a_pulse_that_nobody_has_holds_up_no_other_table(running: InProcessService) -> None:
    """Its own table waits, with an alarm; the others of the same beacon are salted and committed."""
    running.settle()
    lost = running.state(TABLE).batches[0].awaits

    def answer(handler: BaseHTTPRequestHandler) -> None:
        path, newest = handler.path, BEACON.newest_at(int(running.clock.date.timestamp()))
        number = newest if path.endswith("latest") else int(path.rpartition("/")[2])
        if number == lost or number > newest:
            handler.send_error(404)
            return
        body = json.dumps({"round": number, "signature": NODE.pulse(number).hex()}).encode()
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    with answering(answer) as url:
        ask(running, url)
        running.clock.step(30)
        for name in ("keno-2", "keno-3"):
            add_table(running.service.writer, name, "keno-express", salt=HASH)
        for _ in range(60):
            running.clock.step(10)
            running.settle()
        for name in ("keno-2", "keno-3"):
            assert running.state(name).batches[0].awaits is None
            running.play(name)
        assert running.state(TABLE).batches[0].awaits == lost
        why = running.service.health.failures()["beacon"]
        assert why is not None
        assert f"no salts for table {TABLE}: beacon {HASH}: {url}: the status 404" in why
        # A table that closes needs no salt, and no alarm.
        request_close(running.service.writer, TABLE)
        running.settle()
        assert running.state(TABLE).closed
        running.salter.turn()
        assert running.service.health.failures()["beacon"] is None


def test_a_custodian_that_fails_is_reported_once(
    running: InProcessService, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And again only after it has worked."""
    asked = []

    def commit(*_: object, **__: object) -> None:
        asked.append(running.clock.now())
        raise SeedsUnavailableError("its store is locked")

    with caplog.at_level(logging.WARNING, "foredraw.salter"):
        for times in (1, 2):
            with monkeypatch.context() as failing:
                failing.setattr(running.service.custodian, "commit", commit)
                for _ in range(5):
                    running.clock.step(LONGEST_PAUSE.total_seconds())
                    for _ in range(5):
                        running.salter.turn()
            # A relay is asked before the custodian: once, and then after a pause.
            assert len(asked) == 5 * times
            assert running.service.health.failures()["beacon"] is None
            said = [record.getMessage() for record in caplog.records]
            assert said == [f"table {TABLE}: its store is locked"] * times
            running.clock.step(LONGEST_PAUSE.total_seconds())
            running.salter.turn()
