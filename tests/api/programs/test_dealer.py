"""The demo dealer when somebody else has its engine token, or when something on the way repeats its calls."""

from __future__ import annotations

import random
import re
import subprocess
import threading
import time
from http import HTTPStatus
from itertools import islice
from pathlib import Path

import pytest
import urllib3

from api.programs import blackjack, dealer
from api.programs.dealer import Dealer, Engine, Reply
from fairness.player.bets import digest
from tests.support.doubling_proxy import doubling_proxy
from tests.support.running_service import FOREDRAW, RunningService, initialised
from tests.support.shared_services import SharedServices

NAMES = ("robbed-1", "robbed-2", "lost-1", "lost-2", "silent-1", "doubled-1", "doubled-2")
TABLES = dict.fromkeys(NAMES, "keno-express") | {"spelled-1": "crash", "spelled-2": "rocketon"}
DEALT = {"hands-1": "blackjack", "hands-2": "poker", "hands-3": "caribbean-stud", "hands-4": "blackjack"}
TABLES |= DEALT
THIEFS_CALL = {"call": "a-thief-made-this-one"}
THIEFS_BETS = {"bets": {"count": 1, "root": digest([b"a thief's bet"]).root}, **THIEFS_CALL}


@pytest.fixture(scope="module")
def service(shared_service: SharedServices) -> RunningService:
    """The shared service."""
    return shared_service.with_tables(TABLES)


class OneRound(Engine):
    """The engine of a dealer that stops after its first round; tests define what happens just before a lock."""

    def __init__(self, service: RunningService, url: str | None = None) -> None:
        super().__init__(url or service.engine_url, service.token)
        self.stop, self.locks = threading.Event(), 0

    def play(self, table: str) -> None:
        """Let the dealer play until round 1 has ended."""
        Dealer(self, table, pace=0.01, stop=self.stop).play()

    def _call(self, method: str, path: str, body: object | None) -> Reply:
        if path.endswith("/lock"):
            self.locks += 1
            return self.lock_call(path, body)
        reply = super()._call(method, path, body)
        if path.endswith(("/rounds/1/reveal", "/rounds/1/void")) and reply.status == 200:
            self.stop.set()
        return reply

    def lock_call(self, path: str, body: object | None) -> Reply:
        """Call `lock`."""
        return super()._call("POST", path, body)


class Robbed(OneRound):
    """Somebody else with the token locks every round first, with the same digest if ``guessed``."""

    guessed = False

    def lock_call(self, path: str, body: object | None) -> Reply:
        """The thief's call, then the dealer's."""
        assert isinstance(body, dict)
        super().lock_call(path, body | THIEFS_CALL if self.guessed else THIEFS_BETS)
        return super().lock_call(path, body)


class Losing(OneRound):
    """The first answer to a lock is lost; before the second call somebody else may lock the round."""

    def lock_call(self, path: str, body: object | None) -> Reply:
        """A call whose answer does not arrive, if it is the first."""
        reply = super().lock_call(path, body)
        if self.locks == 1:
            raise urllib3.exceptions.ProtocolError("the connection broke")
        return reply


@pytest.mark.parametrize(("table", "guessed"), [("robbed-1", False), ("robbed-2", True)])
def test_a_round_that_somebody_else_locked_is_voided(
    service: RunningService, capsys: pytest.CaptureFixture[str], table: str, guessed: bool
) -> None:
    """With another digest or, because the digest of no bets can be guessed, with the same one: nobody is paid."""
    engine = Robbed(service)
    engine.guessed = guessed
    engine.play(table)
    shown = service.get(f"/v1/tables/{table}/rounds/1").document
    assert (shown["status"], shown["reason"]) == ("void", "locked by somebody else")
    assert "round 1 was locked by somebody else" in capsys.readouterr().out


def test_a_lock_whose_answer_was_lost_is_the_dealers_own(service: RunningService) -> None:
    """It is repeated with the same body, and the round is played."""
    engine = Losing(service)
    engine.play("lost-1")
    assert engine.locks >= 2
    assert service.get("/v1/tables/lost-1/rounds/1").document["status"] == "played"


def test_a_lock_that_never_arrived_and_a_thiefs_lock_are_told_apart(service: RunningService) -> None:
    """The dealer's call fails before anything happened, the thief locks, and the dealer's repeated call shows it."""

    class Cut(Losing):
        def lock_call(self, path: str, body: object | None) -> Reply:
            return super().lock_call(path, THIEFS_BETS if self.locks == 1 else body)

    Cut(service).play("lost-2")
    assert service.get("/v1/tables/lost-2/rounds/1").document["status"] == "void"


@pytest.mark.parametrize(("table", "players"), [("doubled-1", []), ("doubled-2", ["ani", "bo"])])
def test_a_lock_that_a_proxy_repeats_is_the_dealers_own(
    service: RunningService, monkeypatch: pytest.MonkeyPatch, table: str, players: list[str]
) -> None:
    """It sees the answer to the second alone: the round is played, with and without bets."""
    monkeypatch.setattr(random, "sample", lambda *_: players)
    with doubling_proxy(service.engine_url) as url:
        OneRound(service, url).play(table)
    assert service.get(f"/v1/tables/{table}/rounds/1").document["status"] == "played"


class Unanswered(OneRound):
    """The first lock does not reach the service; the web server in front says that it may have."""

    def __init__(self, service: RunningService) -> None:
        super().__init__(service)
        self.bodies: list[object] = []

    def lock_call(self, path: str, body: object | None) -> Reply:
        """A call without an answer, if it is the first."""
        self.bodies.append(body)
        if self.locks == 1:
            return Reply(
                HTTPStatus.GATEWAY_TIMEOUT, {"code": "repeat-same-body", "detail": "no machine has answered"}
            )
        return super().lock_call(path, body)


def test_a_lock_without_an_answer_is_repeated_with_the_same_body(service: RunningService) -> None:
    """Although the round is open still: the first call may arrive at any time."""
    engine = Unanswered(service)
    engine.play("silent-1")
    assert len(engine.bodies) >= 2
    assert all(body == engine.bodies[0] for body in engine.bodies)
    assert service.get("/v1/tables/silent-1/rounds/1").document["status"] == "played"


@pytest.mark.parametrize(("table", "count"), [("hands-1", None), ("hands-2", 7), ("hands-3", 7)])
def test_an_order_is_dealt_thing_by_thing(
    service: RunningService, capsys: pytest.CaptureFixture[str], table: str, count: int | None
) -> None:
    """Blackjack by its rules, with the hands at the reveal; of other games the first things, and no hands."""
    OneRound(service).play(table)
    shown = service.get(f"/v1/tables/{table}/rounds/1").document
    dealt = " ".join(str(each["thing"]) for each in shown["order"][: shown["given"]])
    assert f" {dealt} " in capsys.readouterr().out
    if count is not None:
        assert (shown["given"], "dealt" in shown) == (count, False)
        return
    hands = shown["dealt"]
    assert list(hands) == ["player", "dealer"]
    assert (hands["player"][:2], hands["dealer"][0]) == ([1, 3], 2)
    assert sorted(hands["player"] + hands["dealer"]) == [*range(1, shown["given"] + 1)]


class Cardless(OneRound):
    """The second call for cards gets none, once."""

    cards = 0

    def _call(self, method: str, path: str, body: object | None) -> Reply:
        if path.endswith("/next"):
            self.cards += 1
            if self.cards == 2:
                return Reply(HTTPStatus.SERVICE_UNAVAILABLE, {"code": "storage-fails", "detail": "no card"})
        return super()._call(method, path, body)


def test_a_hand_goes_on_where_a_call_failed(service: RunningService, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same cards come again, and each lies in one hand."""
    monkeypatch.setattr(dealer, "_RETRY_SECONDS", 0.01)
    monkeypatch.setattr(blackjack, "_STANDS", 22)
    Cardless(service).play("hands-4")
    shown = service.get("/v1/tables/hands-4/rounds/1").document
    assert shown["status"] == "played"
    assert len(shown["dealt"]["player"]) > 2


@pytest.mark.parametrize(
    ("order", "player", "dealer_has"),
    [
        ("Ks 6h 7d Th 5c", [1, 3], [2, 4, 5]),
        ("Ks 6h 5d 2h Th", [1, 3, 4], [2, 5, 6]),
        ("Ks 6h 5d 9h 2c", [1, 3, 4], [2]),
        ("As 7h Kd Tc", [1, 3], [2, 4]),
        ("As 7h 5d Kc 2s Qd", [1, 3, 4, 5], [2, 6]),
    ],
)
def test_a_hand_of_blackjack_is_played_by_its_rules(order: str, player: list[int], dealer_has: list[int]) -> None:
    """Both stand from 17 on; an ace counts 11 or 1; who has lost ends it."""
    cards = iter([*order.split(), *("9c",) * 9])
    assert blackjack.deal(lambda count: [*islice(cards, count)]) == {"player": player, "dealer": dealer_has}


class Waiting(Engine):
    """An engine whose rounds are not ready, for so many tries, each of which takes a second."""

    def __init__(self, tries: int) -> None:
        super().__init__("http://127.0.0.1:1", "nobody")
        self.stop, self.left, self.seconds = threading.Event(), tries, 0.0

    def _call(self, method: str, path: str, body: object | None) -> Reply:
        del path, body
        if method == "GET":
            return Reply(HTTPStatus.OK, {"game": "keno-express", "next_round": 1})
        self.seconds, self.left = self.seconds + 1, self.left - 1
        if not self.left:
            self.stop.set()
        return Reply(HTTPStatus.CONFLICT, {"code": "lead-not-published", "detail": "round 1 waits"})


def test_rounds_that_wait_are_reported_after_eight_seconds_of_silence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the service's reason; so whoever watches is never left alone for ten seconds."""
    engine = Waiting(tries=26)
    monkeypatch.setattr(dealer, "_RETRY_SECONDS", 0)
    monkeypatch.setattr(time, "monotonic", lambda: engine.seconds)
    monkeypatch.setattr(dealer, "_screen", dealer._Screen())
    Dealer(engine, "keno-1", pace=0, stop=engine.stop).play()
    assert capsys.readouterr().out == "Waiting: round 1 waits\n" * 3


@pytest.mark.nightly("a dealer of its own for each encoding")
@pytest.mark.parametrize("encoding", ["koi8-r", "cp437", "ascii"])
def test_outcomes_that_cannot_be_encoded_are_escaped(service: RunningService, encoding: str) -> None:
    """The sign of multiplication is in few encodings: the tables are played on, and the line has the sign or its
    escape.
    """
    arguments = [
        "play",
        "spelled-1",
        "spelled-2",
        "--url",
        service.engine_url,
        "--token",
        service.token,
        "--pace",
        "0.1",
    ]
    environment = {**service.environment(), "PYTHONIOENCODING": encoding}
    sign = "\N{MULTIPLICATION SIGN}".encode(encoding, "backslashreplace").decode(encoding)
    with subprocess.Popen(
        [FOREDRAW, *arguments], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding=encoding
    ) as play:
        assert play.stdout is not None
        missing, said = {"spelled-1": 2, "spelled-2": 2}, []
        for line in islice(play.stdout, 100):
            said.append(line)
            if found := re.fullmatch(rf"(spelled-\d) +round \d+ +[0-9.]+{re.escape(sign)} +\S+\n", line):
                missing[found[1]] -= 1
            if all(each <= 0 for each in missing.values()):
                break
        play.terminate()
        assert all(each <= 0 for each in missing.values()), said


@pytest.mark.nightly("a service of its own, which is rebuilt")
@pytest.mark.parametrize("players", [[], ["ani", "bo"]], ids=["without bets", "with bets"])
def test_a_lock_that_a_proxy_repeats_after_a_rebuild_is_the_dealers_own(
    players: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log has no call: the repetition is the first that comes with the record's digest."""
    monkeypatch.setattr(random, "sample", lambda *_: players)
    service = initialised(tmp_path / "data", {"keno-1": "keno-express"})

    def rebuild() -> None:
        assert service.stop() == 0
        done = service.foredraw("rebuild")
        assert done.returncode == 0, done.stderr
        service.start()

    try:
        service.start()
        service.settle()
        with doubling_proxy(service.engine_url, rebuild) as url:
            OneRound(service, url).play("keno-1")
        assert service.get("/v1/tables/keno-1/rounds/1").document["status"] == "played"
    finally:
        service.clean_up()
