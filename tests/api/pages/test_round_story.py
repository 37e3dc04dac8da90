"""The page of a round whose batch had to be seen by witnesses before its pulse: what happened, in its order, and what
proves it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape

import pytest
from flask.testing import FlaskClient

from api.server.app import create_app
from fairness.policy.policy import Policy
from fairness.times import seconds_in_words
from tests.support.http import BROWSER
from tests.support.salted_service import BEACON, TABLE, can_play, wait_until
from tests.support.witnessed_service import WitnessedService, witnessed_service

FIRST = f"/tables/{TABLE}/rounds/1"


@pytest.fixture(name="running", scope="module")
def _running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WitnessedService]:
    """Two rounds were played; batches after them are still to come."""
    with witnessed_service(tmp_path_factory.mktemp("story"), salted=True) as running:
        wait_until(running, lambda: can_play(running))
        running.play(TABLE, 2)
        running.settle()
        yield running


@pytest.fixture
def client(running: WitnessedService) -> FlaskClient:
    """A browser without cookies."""
    return create_app(running.service).test_client()


def story(client: FlaskClient, address: str = FIRST) -> list[str]:
    """The events of a round, as markup."""
    text = client.get(address, headers=BROWSER).text.partition('<ol class="plain line">')[2].partition("</ol>")[0]
    return re.split(r"\n    (?=<li)", text)[1:]


def titles(events: list[str]) -> list[str]:
    """What they are called, in their order."""
    return [title for each in events for title in re.findall("<h3>(.*)</h3>", each)]


def test_the_events_are_told_in_their_order(running: WitnessedService, client: FlaskClient) -> None:
    """With the witnesses by the names that the policy gives them, and the time of the pulse."""
    events = story(client)
    assert titles(events) == [
        "Committed",
        "Witnessed",
        "The beacon’s pulse",
        "Opened for bets",
        "Locked: no more bets",
        "Revealed",
    ]
    witnessed, pulse = events[1], events[2]
    seen = re.findall(r'<strong translate="no">(.*?)</strong> .*?datetime="(.*?)"', witnessed)
    assert len(seen) >= 2
    assert {name for name, _ in seen} <= {witness.name for witness in running.witnesses}
    batch = running.state(TABLE).batches[0]
    (record,) = (json.loads(unescape(each)) for each in re.findall('<code translate="no">(.*?)</code>', events[0]))
    due = seconds_in_words(BEACON.time_of(record["beacon"]))
    assert f'datetime="{due}"' in pulse
    assert all(time < due for _, time in seen)
    assert record["batch"] == batch.number


def test_what_proves_an_event_is_one_click_away(running: WitnessedService, client: FlaskClient) -> None:
    """The records as they stand in the log, and the file that shows who saw the batch."""
    log = running.service.publication.newest()
    assert log is not None
    kinds = []
    for event in story(client):
        for position, record in re.findall(
            r"position ([0-9]+) in the log.*?<code translate=\"no\">(.*?)</code>", event, re.DOTALL
        ):
            assert unescape(record).encode() == log.tiles.record(int(position))
            kinds.append(json.loads(unescape(record))["type"])
    assert kinds == ["batch", "salt", "lock", "reveal"]
    (file,) = re.findall('href="(/log/witnessed/[0-9a-f]{2}/[0-9a-f]{64})"', story(client)[1])
    with client.get(file) as answer:
        assert answer.status_code == 200
        assert answer.data.startswith(b"c2sp.org/tlog-proof@v1\n")


def test_a_batch_without_its_file_is_called_so(running: WitnessedService, client: FlaskClient) -> None:
    """A page does not hide what every verifier says."""
    log = running.service.publication.newest()
    assert log is not None
    (file,) = re.findall('href="/log/(witnessed/[0-9a-f]{2}/[0-9a-f]{64})"', story(client)[1])
    path = running.settings.log / file
    data = path.read_bytes()
    path.unlink()
    try:
        witnessed = story(client)[1]
        assert 'class="done"' not in witnessed
        assert "Too few witnesses saw it in time." in witnessed
        assert "/log/witnessed/" not in witnessed
    finally:
        path.write_bytes(data)


def test_before_the_pulse_it_is_still_to_come(running: WitnessedService, client: FlaskClient) -> None:
    """But it was witnessed already, and the time of the pulse is known."""
    wait_until(running, lambda: any(batch.awaits is not None for batch in running.state(TABLE).batches), step=1)
    first = next(batch.first for batch in running.state(TABLE).batches if batch.awaits is not None)
    events = story(client, f"/tables/{TABLE}/rounds/{first}")
    assert titles(events)[:3] == ["Committed", "Witnessed", "The beacon’s pulse"]
    assert 'class="done"' in events[1]
    assert 'class="done"' not in events[2]
    assert "<time" in events[2]
    assert "still to come" in events[2]


def test_the_page_that_checks_brings_the_operators_policy(running: WitnessedService, client: FlaskClient) -> None:
    """It takes the place of the key, and players see that it came with the page; another log brings neither."""
    text = client.get("/verify", headers=BROWSER).text
    brought = unescape(re.findall(r'data-key="(.*?)"', text, re.DOTALL)[0])
    assert Policy.parse(brought.encode()).witnesses == running.policy.witnesses
    assert "This key and this policy came with this page." in text
    elsewhere = client.get("/verify", query_string={"log": "https://casino.example/log"}, headers=BROWSER).text
    assert 'data-key=""' in elsewhere
    assert "came with this page" not in elsewhere
