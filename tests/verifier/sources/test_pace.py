"""A log that asks to be asked later is, as it asks, up to a minute each time; nobody waits for ever."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler
from threading import Event, Lock

import pytest

from fairness.errors import Unreadable
from fairness.policy.policy import Policy
from tests.lies import started
from tests.support.dishonest_operator import KEY, Operator
from tests.support.log_server import answering
from tests.support.ran import Ran
from tests.support.running_service import PATIENCE_SECONDS
from tests.verifier.sources.hostile.answers import Answer, answer, length, serving_but
from verifier.commands.command import HELD, UNREADABLE
from verifier.sources.limits import CALM_FILES, LONGEST_WAIT, MOST_CONNECTIONS, WAITS
from verifier.sources.pace import Pace, asked_wait
from verifier.sources.read_ahead import reading_ahead
from verifier.sources.source import HttpSource
from verifier.watch.events import Event as News
from verifier.watch.events import EventKind
from verifier.watch.watch import Effects, Watch

VKEY = str(KEY.verifier_key)
SENT = datetime(2026, 11, 20, 22, 0, tzinfo=UTC)
BUSY = "429 Too Many Requests", "503 Service Unavailable"


class Time:
    """A clock that only waiting moves."""

    def __init__(self) -> None:
        self.now, self.rests, self._lock = 1000.0, list[float](), Lock()

    def clock(self) -> float:
        """Seconds."""
        return self.now

    def rest(self, seconds: float, ended: Event) -> bool:
        """It is later at once."""
        end = self.now + seconds
        with self._lock:
            self.now = max(self.now, end)
            self.rests.append(round(seconds, 3))
        return ended.is_set()


@pytest.fixture(name="time")
def _time(monkeypatch: pytest.MonkeyPatch) -> Time:
    time = Time()
    monkeypatch.setattr("verifier.sources.pace.clock", time.clock)
    monkeypatch.setattr("verifier.sources.pace.rest", time.rest)
    return time


@pytest.fixture(name="operator", scope="module")
def _operator() -> Operator:
    return started()


def busy(status: str, times: int, *headers: tuple[str, str]) -> Answer:
    """Each file is refused so many times before it is served."""
    refused: dict[str, int] = {}

    def respond(request: BaseHTTPRequestHandler, body: bytes) -> None:
        refused[request.path] = refused.get(request.path, 0) + 1
        if refused[request.path] <= times:
            answer(request, b"", length(b""), *headers, status=status)
        else:
            answer(request, body, length(body))

    return respond


def http_date(after: float) -> str:
    return format_datetime(SENT + timedelta(seconds=after), usegmt=True)


@pytest.mark.parametrize("status", BUSY)
@pytest.mark.parametrize("word", ["30", http_date(30)], ids=["seconds", "date"])
def test_an_audit_waits_as_it_is_asked_to(
    status: str, word: str, operator: Operator, time: Time, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every file is refused four times, for half a minute each: the log holds all the same."""
    asks = busy(status, 4, ("Retry-After", word), ("Date", http_date(0)))
    with serving_but(operator, asks, "") as address:
        assert Ran(capsys, "audit", address, "--key", VKEY).status == HELD
    assert time.rests
    assert max(time.rests) == 30


@pytest.mark.parametrize("status", BUSY)
@pytest.mark.parametrize("word", ["61", http_date(3600), "9" * 5000], ids=["seconds", "date", "for ever"])
def test_who_asks_for_more_than_a_minute_is_not_waited_for(
    status: str, word: str, operator: Operator, time: Time, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is no verdict, and the message says for how long the server asks."""
    with serving_but(operator, busy(status, 1, ("Retry-After", word), ("Date", http_date(0))), "") as address:
        ran = Ran(capsys, "audit", address, "--key", VKEY, "--json")
    assert (ran.status, time.rests) == (UNREADABLE, [])
    assert f"the server answers {status[:3]}, and asks to wait" in ran.json["why"]


@pytest.mark.parametrize("word", ["0", "60", "soon", "-1", "", None])
def test_a_log_that_never_serves_is_given_up(word: str | None, operator: Operator, time: Time) -> None:
    """After several tries, whatever it asks for, and after pauses that grow."""
    headers = () if word is None else (("Retry-After", word),)
    with (
        serving_but(operator, busy(BUSY[0], 100, *headers), "") as address,
        pytest.raises(Unreadable, match="the server answers 429"),
    ):
        HttpSource(address).read("checkpoint")
    assert time.rests == ([LONGEST_WAIT] * len(WAITS) if word == "60" else list(WAITS))


def test_a_date_is_read_by_the_servers_own_clock() -> None:
    """However wrong this machine's is; a date that has passed asks for nothing more."""
    for after, seconds in ((45, 45), (-45, 0), (10**8, 10**8)):
        assert asked_wait(503, {"Retry-After": http_date(after), "Date": http_date(0)}) == seconds
    for word in ("", "soon", "1.5", "\xb2", "Fri, 99 Foo 2026", "-5"):
        assert asked_wait(503, {"Retry-After": word}) is None
        assert asked_wait(429, {"Retry-After": word}) == 0
    assert asked_wait(500, {"Retry-After": "5"}) is None
    later = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    assert 3500 < (asked_wait(429, {"Retry-After": later}) or 0) < 3700


def test_fewer_ask_at_once_after_the_server_asked_to_wait(time: Time) -> None:
    """Eight readers are refused once: from then on the server is asked by one at a time."""
    lock, refused, present, most = Lock(), Event(), 0, 0
    count = 0

    def respond(request: BaseHTTPRequestHandler) -> None:
        nonlocal present, most, count
        with lock:
            count += 1
            if count == 8:
                refused.set()
            early = count <= 8
            if not early:
                present += 1
                most = max(most, present)
        if early:
            assert refused.wait(PATIENCE_SECONDS)
            answer(request, b"", length(b""), ("Retry-After", "2"), status=BUSY[0])
            return
        with lock:
            # Whoever has its whole answer may make room for the next before this thread goes on.
            present -= 1
        answer(request, b"x", length(b"x"))

    with answering(respond) as address, ThreadPoolExecutor(8) as threads:
        source = HttpSource(address)
        assert list(threads.map(source.read, ["checkpoint"] * 8)) == [b"x"] * 8
    assert most == 1
    assert max(time.rests) == 2


def test_many_files_later_more_ask_again(time: Time) -> None:
    """A busy minute does not make a watch slow for months."""
    pace = Pace()
    for _ in range(10):
        pace.slow_down(0)
    assert pace.most == 1
    for _ in range(CALM_FILES * MOST_CONNECTIONS):
        pace.answered()
    assert pace.most == MOST_CONNECTIONS
    assert time.rests == []


def test_a_watch_raises_no_alarm_about_a_log_that_asks_it_to_wait(operator: Operator, time: Time) -> None:
    """Each turn takes longer than the watch's patience, and can read the log."""
    news = list[News]()
    effects = Effects(news.append, lambda _: None, lambda _: "", time.clock)
    with serving_but(operator, busy(BUSY[1], 4, ("Retry-After", "50")), "") as address:
        watch = Watch(HttpSource(address), Policy.of(KEY.verifier_key), None, patience=100, effects=effects)
        assert watch.turn()
        assert watch.turn()
    assert time.now > 1100
    assert [event.kind for event in news] == [EventKind.GREW]


def test_who_has_a_verdict_waits_for_no_server() -> None:
    """A reader that is still asked to wait ends when nobody wants its file any more."""
    asked = Event()

    def respond(request: BaseHTTPRequestHandler) -> None:
        asked.set()
        answer(request, b"", length(b""), ("Retry-After", "60"), status=BUSY[0])

    def paths() -> Iterator[str]:
        yield "checkpoint"

    with answering(respond) as address:
        with reading_ahead(HttpSource(address), paths()) as read:
            assert asked.wait(PATIENCE_SECONDS)
        with pytest.raises(Unreadable, match="not wanted any more"):
            read("checkpoint")
