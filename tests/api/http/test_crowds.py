"""What a process spends on crowds: pages are cached for a second, and expensive answers have a share of its time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from time import thread_time
from unittest.mock import patch

import pytest
from flask import Flask
from flask.testing import FlaskClient

from api.http import crowds
from api.http.crowds import MOST_WAITING, PAGE_SECONDS, SAVED_SECONDS, SHARE, STARTING_SECONDS, Crowds, Share
from api.problems import Code, Problem
from api.server.app import create_app
from api.world.processor import ProcessorTime, processor_time
from fairness.draws.commitments import CommitmentTrees
from tests.support.in_process_service import InProcessService

TABLE, PLAYED = "keno-1", 3
PAGES = ["/", f"/tables/{TABLE}", f"/tables/{TABLE}?outcome=1", f"/tables/{TABLE}/rounds/1", "/verify", "/badge"]
EXPENSIVE = [
    *(f"/v1/tables/{TABLE}/rounds/1/proof", f"/v1/tables/{TABLE}/rounds?limit=500", "/v1/tables"),
    *(f"/v1/tables/{TABLE}/bets", f"/v1/tables/{TABLE}/outcome-schema", "/v1/games/keno-express"),
]
CHEAP = [f"/v1/tables/{TABLE}", f"/v1/tables/{TABLE}/rounds/1", "/v1/live", "/health/live", "/log/checkpoint"]
STARTED = 100.0
BROWSER = {"Accept": "text/html"}
PART = SHARE / 100


class Time:
    """A clock and the used processor time, both set by hand."""

    def __init__(self) -> None:
        self.now = self.computed = self.waited = STARTED

    def spent(self) -> ProcessorTime:
        """The processor time that the thread has used."""
        return ProcessorTime(self.computed, self.waited)


@pytest.fixture
def time() -> Time:
    """A clock that only the test moves."""
    return Time()


@pytest.fixture
def share(time: Time) -> Share:
    """A share of that time, as it is when nothing is left of the start."""
    return Share(lambda: time.now, time.spent, starting=SAVED_SECONDS)


@pytest.fixture(scope="module")
def inside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcessService]:
    """A service with a table that has played rounds."""
    made = InProcessService.create(tmp_path_factory.mktemp("crowds") / "data", tables=[(TABLE, "keno-express")])
    made.play(TABLE, PLAYED)
    made.settle()
    yield made
    made.stop()


@pytest.fixture
def app(inside: InProcessService, time: Time, share: Share) -> Flask:
    """Its public application, with that clock."""
    made = create_app(inside.service, for_crowds=True)
    made.extensions["crowds"] = Crowds(share, clock=lambda: time.now)
    return made


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """A reader."""
    return app.test_client(use_cookies=False)


def spend(share: Share, time: Time, seconds: float, waiting: float = 0.0) -> None:
    """Give an expensive answer that takes this long."""
    with share.spending():
        time.computed += seconds
        time.waited += waiting


def refused(share: Share) -> bool:
    """Whether another expensive answer is refused."""
    try:
        with share.spending():
            return False
    except Problem as problem:
        return problem.code is Code.BUSY


def test_what_is_saved_up_may_be_spent_at_once(share: Share, time: Time) -> None:
    """All of it, and even more for the last answer; then nothing until enough time has accumulated."""
    for _ in range(4):
        spend(share, time, SAVED_SECONDS / 4)
    assert refused(share)
    time.now += 0.01
    assert not refused(share)


def test_a_new_process_may_make_what_all_pages_share(time: Time) -> None:
    """More than can be saved up later, and only once."""
    new = Share(lambda: time.now, time.spent)
    for seconds in (STARTING_SECONDS - SAVED_SECONDS, SAVED_SECONDS):
        time.now += 100
        spend(new, time, seconds)
    time.now += 100
    spend(new, time, SAVED_SECONDS)
    assert refused(new)


def test_in_the_long_run_it_is_a_share_of_the_time(share: Share, time: Time) -> None:
    """Under constant demand, answers get that share and what was saved up at the beginning."""
    for _ in range(10_000):
        time.now += 0.01
        if not refused(share):
            spend(share, time, 0.04)
    assert PART * 100 <= time.computed - STARTED <= PART * 100 + SAVED_SECONDS + 0.04


@pytest.mark.parametrize("waits", [MOST_WAITING, 1000])
def test_on_a_busy_machine_the_share_is_smaller_but_never_nothing(share: Share, time: Time, waits: int) -> None:
    """An answer is also charged for waiting for a processor, up to a limit, so that pages are still made."""
    for _ in range(10_000):
        time.now += 0.01
        if not refused(share):
            spend(share, time, 0.01, waiting=waits * 0.01)
    least = PART * 100 / (1 + MOST_WAITING)
    assert least <= time.computed - STARTED <= least + SAVED_SECONDS + 0.01


def test_the_time_of_a_thread_is_what_it_computed_and_waited() -> None:
    """Linux counts both; on other systems the waiting is 0."""
    begun = thread_time()
    charged = 0.0
    for _ in range(50):
        before = processor_time()
        sum(range(50_000))
        after = processor_time()
        assert after.waited >= before.waited >= 0.0
        charged += after.computed - before.computed
    # Answers of a millisecond are charged whole, not only those during which the kernel happened to count.
    assert charged >= 0.8 * (thread_time() - begun)


def test_a_debt_has_its_limit(share: Share, time: Time) -> None:
    """After a very long answer the next one waits for two seconds, not for minutes."""
    spend(share, time, 600.0)
    time.now += SAVED_SECONDS / PART
    assert refused(share)
    time.now += 0.01
    assert not refused(share)


def test_an_answer_that_fails_is_paid_for_too(share: Share, time: Time) -> None:
    """Otherwise requests for things that do not exist would be served without limit."""

    def fail() -> None:
        with share.spending():
            time.computed += 2 * SAVED_SECONDS
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert refused(share)


@pytest.mark.parametrize("path", EXPENSIVE)
def test_a_program_is_refused_with_a_problem(client: FlaskClient, share: Share, time: Time, path: str) -> None:
    """429 with the time for a retry, which then succeeds."""
    assert client.get(path).status_code == 200
    spend(share, time, 2 * SAVED_SECONDS)
    answer = client.get(path)
    assert (answer.status_code, answer.mimetype) == (429, "application/problem+json")
    assert answer.headers["Retry-After"] == "1"
    assert answer.get_json()["code"] == "busy"
    time.now += SAVED_SECONDS / PART + 0.01
    assert client.get(path).status_code == 200


@pytest.mark.parametrize("language", ["en", "hy", "ru"])
def test_a_reader_is_refused_with_a_page(client: FlaskClient, share: Share, time: Time, language: str) -> None:
    """In the reader's language. It is the same page for all, with nothing of a request in it, and costs nothing."""
    spend(share, time, 2 * SAVED_SECONDS)
    first = client.get(f"/tables/{TABLE}?outcome=first&lang={language}", headers=BROWSER)
    again = client.get("/verify", headers={**BROWSER, "Accept-Language": language})
    assert (first.status_code, first.mimetype) == (429, "text/html")
    assert first.headers["Retry-After"] == again.headers["Retry-After"] == "1"
    assert f'<html lang="{language}"' in first.text
    assert "outcome=first" not in first.text
    assert again.text == first.text


@pytest.mark.parametrize("path", CHEAP)
def test_what_is_cheap_is_never_refused(client: FlaskClient, share: Share, time: Time, path: str) -> None:
    """Whatever others have requested."""
    spend(share, time, 2 * SAVED_SECONDS)
    with client.get(path) as answer:
        assert answer.status_code == 200


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_made_once_a_second(client: FlaskClient, share: Share, time: Time, path: str) -> None:
    """For that second everybody gets it, even if there is no time to make it; then it is made again."""
    made = client.get(path, headers=BROWSER)
    assert made.status_code == 200
    assert "Server-Timing" not in made.headers
    spend(share, time, SAVED_SECONDS / PART)
    time.now += PAGE_SECONDS * 0.75
    kept = client.get(path, headers=BROWSER)
    assert (kept.status_code, kept.data) == (200, made.data)
    assert kept.headers.pop("Server-Timing") == "kept;dur=750"
    assert kept.headers.pop("X-Request-Id") != made.headers.pop("X-Request-Id")
    assert kept.headers == made.headers
    time.now += PAGE_SECONDS * 0.25
    assert client.get(path, headers=BROWSER).status_code == 429


def test_a_kept_page_is_for_those_who_ask_for_the_same(client: FlaskClient) -> None:
    """Another language, host, address or encoding is another page; a cookie is only for its reader."""
    path = f"/tables/{TABLE}"
    plain = client.get(path, headers=BROWSER)
    asked = [
        client.get(path, headers={**BROWSER, "Accept-Language": "hy"}),
        client.get(path, headers={**BROWSER, "Accept-Encoding": "gzip"}),
        client.get(path, headers={**BROWSER, "Host": "other.example"}),
        client.get(f"{path}?status=void", headers=BROWSER),
    ]
    assert all("Server-Timing" not in answer.headers for answer in asked)
    assert len({plain.data, *(answer.data for answer in asked)}) >= 4
    chosen = [client.get(f"{path}?lang=ru", headers=BROWSER) for _ in range(2)]
    assert all("Set-Cookie" in answer.headers and "Server-Timing" not in answer.headers for answer in chosen)
    with_cookie = [client.get("/verify", headers={**BROWSER, "Cookie": "session=x"}) for _ in range(2)]
    assert all("Server-Timing" not in answer.headers for answer in with_cookie)
    by_cookie = [client.get(path, headers={**BROWSER, "Cookie": "lang=ru"}) for _ in range(2)]
    assert "Server-Timing" in by_cookie[1].headers
    assert '<html lang="ru"' in by_cookie[1].text


def test_what_there_is_not_is_never_kept(client: FlaskClient) -> None:
    """A new round appears at once."""
    for _ in range(2):
        answer = client.get(f"/tables/{TABLE}/rounds/99999", headers=BROWSER)
        assert answer.status_code == 404
        assert "Server-Timing" not in answer.headers


def test_kept_pages_are_so_many(client: FlaskClient, app: Flask) -> None:
    """Requests for many pages do not fill the memory."""
    for number in range(crowds.PAGES_KEPT + 5):
        client.get(f"/verify?x={number}", headers=BROWSER)
    assert len(app.extensions["crowds"].pages) == crowds.PAGES_KEPT


def test_the_tree_of_a_batch_is_made_once(client: FlaskClient) -> None:
    """It serves the proofs of all its rounds."""
    with patch.object(CommitmentTrees, "__init__", autospec=True, side_effect=CommitmentTrees.__init__) as made:
        proofs = [client.get(f"/v1/tables/{TABLE}/rounds/{number}/proof").text for number in range(1, PLAYED + 1)]
    assert made.call_count == 1
    assert all(re.search(rf"^round {TABLE} {number}$", proof, re.MULTILINE) for number, proof in enumerate(proofs, 1))
