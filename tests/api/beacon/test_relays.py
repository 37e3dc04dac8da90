"""Pulses from untrusted relays: late, lying, huge, slow, or down."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from http.server import BaseHTTPRequestHandler
from threading import Event, Thread

import pytest

from api.beacon import relay as one_relay
from api.beacon.relay import LARGEST_ANSWER, Relay
from api.beacon.relays import TOLERANCE, ClockDiffers, NoPulse, Relays
from tests.support.faulty_world import SettableClock
from tests.support.log_server import answering
from tests.support.relays import PERIOD, a_node, running_relay
from tests.support.running_service import free_port, wait_until

NODE = a_node()
BEACON = NODE.beacon
OTHER = a_node(bytes(31) + b"\1")
NUMBER = 1000


def pulse_of(number: int, signature: bytes | None = None, **more: object) -> bytes:
    """An answer in the form of relays."""
    signed = NODE.pulse(number) if signature is None else signature
    return json.dumps({"round": number, "signature": signed.hex()} | more).encode()


Answer = Callable[[BaseHTTPRequestHandler], None]


def saying(body: bytes, *headers: tuple[str, str], status: int = 200) -> Answer:
    """An answer that is always the same."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(body)))
        for header in headers:
            handler.send_header(*header)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


@pytest.fixture(name="stack")
def _stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


LIES = {
    "the signature of another round": (
        pulse_of(NUMBER, NODE.pulse(NUMBER + 1)),
        "is not the signature of this round",
    ),
    "another round": (pulse_of(NUMBER + 1), "asked for round 1000, it answered for round 1001"),
    "another chain": (pulse_of(NUMBER, OTHER.pulse(NUMBER)), "is not the signature of this round"),
    "no point": (pulse_of(NUMBER, bytes(48)), "is not a compressed point"),
    "a short signature": (pulse_of(NUMBER, bytes(47)), "its answer is no pulse"),
    "a signature in capitals": (pulse_of(NUMBER).replace(b"a", b"A"), "its answer is no pulse"),
    "another type": (pulse_of(NUMBER, round="1000"), "its answer is no pulse"),
    "not JSON": (b"<html>", "its answer is no pulse"),
    "no UTF-8": (b'{"round":1000,"signature":"\xff"}', "its answer is no pulse"),
    "nothing": (b"", "its answer is no pulse"),
    "deep nesting": (b'{"more":' + b"[" * 4000, "its answer is no pulse"),
    "a round without end": (b'{"signature":"","round":' + b"9" * 4000 + b"}", "its answer is no pulse"),
    "too much": (b" " * LARGEST_ANSWER + pulse_of(NUMBER), "more than 4096 bytes"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_passed_over(stack: ExitStack, lie: str) -> None:
    """Alone it is refused with a reason; with an honest relay after it, the pulse is found."""
    body, reason = LIES[lie]
    liar, honest = (stack.enter_context(answering(saying(each))) for each in (body, pulse_of(NUMBER)))
    with pytest.raises(NoPulse, match=reason) as refused:
        Relays([liar]).pulse(BEACON, NUMBER)
    assert str(refused.value).startswith(f"{liar}: ")
    assert Relays([liar, honest]).pulse(BEACON, NUMBER) == NODE.pulse(NUMBER)


def test_a_largest_answer_is_read(stack: ExitStack) -> None:
    """One more byte is refused above."""
    body = pulse_of(NUMBER).ljust(LARGEST_ANSWER)
    assert Relays([stack.enter_context(answering(saying(body)))]).pulse(BEACON, NUMBER) == NODE.pulse(NUMBER)


def test_other_statuses_are_no_answers(stack: ExitStack) -> None:
    """No pulse yet, a failure, and a redirect, which is not followed."""
    honest = stack.enter_context(answering(saying(pulse_of(NUMBER))))
    urls = [
        stack.enter_context(answering(saying(pulse_of(NUMBER), ("Location", honest), status=status)))
        for status in (404, 500, 302)
    ]
    urls.append(f"http://127.0.0.1:{free_port()}")
    with pytest.raises(NoPulse) as refused:
        Relays(urls).pulse(BEACON, NUMBER)
    for url, status in zip(urls, (404, 500, 302), strict=False):
        assert f"{url}: the status {status}; " in str(refused.value)
    assert "refused" in str(refused.value).rpartition(urls[-1])[2]
    assert Relays([*urls, honest]).pulse(BEACON, NUMBER) == NODE.pulse(NUMBER)


def test_a_packed_answer_is_not_unpacked(stack: ExitStack) -> None:
    """A few bytes could become gigabytes."""
    url = stack.enter_context(answering(saying(pulse_of(NUMBER), ("Content-Encoding", "gzip"))))
    assert Relays([url]).pulse(BEACON, NUMBER) == NODE.pulse(NUMBER)


def test_a_relay_that_never_ends_its_answer_costs_one_thread(
    stack: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each byte restarts a socket's time-out. It is not asked again before its answer ends, and others are."""
    released, asked = Event(), []

    def drip(handler: BaseHTTPRequestHandler) -> None:
        asked.append(handler.path)
        handler.send_response(200)
        handler.end_headers()
        while not released.wait(0.02):
            handler.wfile.write(b" ")

    slow, honest = stack.enter_context(answering(drip)), stack.enter_context(answering(saying(pulse_of(NUMBER))))
    stack.callback(released.set)
    relay = Relay(slow)
    relays = Relays([])
    relays._relays = [relay]
    with monkeypatch.context() as impatient:
        # It is also how long the socket waits for each byte, so a busy machine must send one in that time.
        impatient.setattr(one_relay, "PATIENCE", 1.0)
        for reason in ("no answer within", "an earlier answer is not complete"):
            with pytest.raises(NoPulse, match=reason):
                relays.pulse(BEACON, NUMBER)
        wait_until(lambda: bool(asked), "the slow relay to be asked")
    relays._relays.append(Relay(honest))
    assert relays.pulse(BEACON, NUMBER) == NODE.pulse(NUMBER)
    assert asked == [f"/{BEACON.chain_hash.hex()}/public/{NUMBER}"]
    released.set()
    assert isinstance(relay._asking, Thread)
    relay._asking.join(30)
    with pytest.raises(NoPulse, match="its answer is no pulse"):
        Relays([slow]).pulse(BEACON, NUMBER)


def test_a_pulse_is_there_from_its_time_on(stack: ExitStack) -> None:
    """The requested round, also if there are newer ones."""
    clock = SettableClock()
    relay = stack.enter_context(running_relay(NODE, clock))
    number = BEACON.newest_at(int(clock.date.timestamp())) + 1
    relays = Relays([relay.url])
    with pytest.raises(NoPulse, match="the status 404"):
        relays.pulse(BEACON, number)
    clock.step(3600)
    assert relays.pulse(BEACON, number) == NODE.pulse(number)


def test_the_relay_that_helped_is_asked_first(stack: ExitStack) -> None:
    """The others follow in their order."""
    asked: list[str] = []

    def noting(name: str, body: bytes) -> Answer:
        def answer(handler: BaseHTTPRequestHandler) -> None:
            asked.append(name)
            saying(body)(handler)

        return answer

    urls = [stack.enter_context(answering(noting(*each))) for each in (("liar", b""), ("honest", pulse_of(NUMBER)))]
    relays = Relays(urls)
    relays.pulse(BEACON, NUMBER)
    relays.pulse(BEACON, NUMBER)
    assert asked == ["liar", "honest", "honest"]


def test_no_relay_is_asked_after_a_stop(stack: ExitStack) -> None:
    """So a service that stops waits for one answer at most."""
    stop = Event()
    relays = Relays([stack.enter_context(answering(saying(pulse_of(NUMBER))))], stop)
    stop.set()
    with pytest.raises(NoPulse, match="the service stops"):
        relays.pulse(BEACON, NUMBER)


SECONDS = int(TOLERANCE.total_seconds())


@pytest.mark.parametrize(
    ("difference", "said"),
    [
        (0, None),
        (-SECONDS, None),
        (SECONDS, None),
        (-SECONDS - 2 * PERIOD, "before the newest pulse"),
        (SECONDS + 2 * PERIOD, "after the newest pulse"),
        (-3600, "before the newest pulse"),
        (3600, "after the newest pulse"),
    ],
)
def test_the_clock_is_where_the_newest_pulse_says(stack: ExitStack, difference: int, said: str | None) -> None:
    """To within half a minute; an hour off is noticed in both directions."""
    clock = SettableClock()
    relays = Relays([stack.enter_context(running_relay(NODE, clock)).url])
    ours = clock.date + timedelta(seconds=difference)
    if said is None:
        relays.check_clock(BEACON, lambda: ours)
        return
    with pytest.raises(ClockDiffers, match=said) as differs:
        relays.check_clock(BEACON, lambda: ours)
    assert "set the clock right" in str(differs.value)


def test_an_old_newest_pulse_hides_no_newer_one(stack: ExitStack) -> None:
    """A stale relay is no reason to think that the clock is ahead, as long as another one is up to date."""
    clock = SettableClock()
    moment = clock.date
    number = BEACON.newest_at(int(moment.timestamp()))
    still, lying, honest = (
        stack.enter_context(answering(saying(body)))
        for body in (pulse_of(number - 1200), pulse_of(number + 1200, OTHER.pulse(number)), pulse_of(number))
    )
    Relays([still, lying, honest]).check_clock(BEACON, lambda: moment)
    with pytest.raises(ClockDiffers, match=r"36\d\d seconds after the newest pulse"):
        Relays([lying, still]).check_clock(BEACON, lambda: moment)
    with pytest.raises(NoPulse, match="is not the signature of this round"):
        Relays([lying]).check_clock(BEACON, lambda: moment)


def test_a_newest_round_is_no_larger_than_a_record_can_name(stack: ExitStack) -> None:
    """Nor is it 0, even with a valid signature."""
    for number in (0, 1 << 53):
        url = stack.enter_context(answering(saying(pulse_of(number))))
        with pytest.raises(NoPulse, match="asked for round latest, it answered for round"):
            Relays([url]).check_clock(BEACON, SettableClock().moment)
