"""The engines of ``examples/``: played as programs at a real service, and their rules against other code's."""

from __future__ import annotations

import ast
import json
import os
import random
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from itertools import pairwise
from typing import Any, ClassVar

import pytest

from api.journal.chain import entries
from api.journal.entry import Act, values_of
from api.programs.dealer import Dealer
from api.programs.dealer import Engine as DealersEngine
from api.rounds.tables import add_table
from examples import blackjack, exchange_poker
from examples.engine import Engine, Refused, Thing, root
from fairness.player.bets import digest
from games.bets.hands import hand_of
from tests.house import HOUSE
from tests.support.doubling_proxy import doubling_proxy
from tests.support.log_server import answering
from tests.support.running_service import FOREDRAW, RunningService, initialised, opened, wait_until
from verifier.output.printing import Console
from verifier.output.proof import show_proof
from verifier.round.check import check_round
from verifier.round.proof_check import check_proof
from verifier.round.proving import prove_code
from verifier.sources.source import FolderSource

BLACKJACK, POKER = "blackjack-1", "exchange-poker-1"
PACK = [rank + suit for rank in exchange_poker.RANKS for suit in "cdhs"]
CLASSES = ("high card", "pair", "two pairs", "three", "straight", "flush", "full house", "four", "straight flush")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A real service with a table for each."""
    running = initialised(tmp_path_factory.mktemp("examples") / "data", {BLACKJACK: "blackjack"})
    with opened(running.settings) as inside:
        add_table(inside.writer, POKER, "exchange-poker", rules={"seats": 2, "version": 1})
    try:
        running.start()
        running.settle()
        yield running
    finally:
        running.clean_up()


def run(service: RunningService, name: str, *arguments: str, token: str | None = None) -> tuple[int, list[str], str]:
    """Run an example to its end: its status, its lines, its errors."""
    command = [sys.executable, "-m", f"examples.{name}", *arguments, "--url", service.engine_url]
    environment = {**os.environ, "FOREDRAW_TOKEN": token or service.token}
    done = subprocess.run(command, cwd=HOUSE, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.splitlines(), done.stderr


def given(service: RunningService, table: str, number: int) -> list[tuple[int, int]]:
    """From where and to where the journal has each call for things of a round."""
    with opened(service.settings) as inside:
        rows = [row for row in entries(inside.database) if (row.subject, row.act) == (table, Act.OUTCOME_READ)]
    found = []
    for row in rows:
        values = values_of(row.after) or {}
        start, count = values["from"], values["count"]
        assert isinstance(start, int)
        assert isinstance(count, int)
        if values["round"] == number:
            found.append((start, start + count - 1))
    return found


@pytest.mark.lattice
@pytest.mark.parametrize(("name", "table"), [("blackjack", BLACKJACK), ("exchange_poker", POKER)])
def test_an_example_plays_rounds_that_hold(service: RunningService, name: str, table: str) -> None:
    """Two rounds, each with a code that the verifier accepts; the journal has the order in steps, each after the
    last.
    """
    first = service.next_round(table)
    status, lines, errors = run(service, name, table, "--rounds", "2")
    assert (status, errors) == (0, "")
    codes = [line for line in lines if line.startswith(f"{name.replace('_', '-')}1")]
    assert len(codes) == 2
    service.settle()
    for number, code in enumerate(codes, first):
        report = check_round(FolderSource(service.settings.log), service.key, code)
        assert (report.round, report.status) == (number, "played")
        steps = given(service, table, number)
        assert len(steps) > 2
        assert steps[0][0] == 1
        assert all(later[0] == earlier[1] + 1 for earlier, later in pairwise(steps))
        shown = service.get(f"/v1/tables/{table}/rounds/{number}").document
        assert shown["given"] == steps[-1][1]
        assert "dealer" in shown["dealt"]
        assert {position for hand in shown["dealt"].values() for position in hand} <= {*range(1, shown["given"] + 1)}
        assert shown["order"] == [each._asdict() for each in report.order]
        assert [each.position for each in report.order] == [*range(1, len(report.order) + 1)]
        dealt = " ".join(str(each.thing) for each in report.order)
        places = ("cards",) if name == "blackjack" else ("players", "dealer", "draws")
        assert dealt == " ".join(shown["outcome"][place] for place in places)


@pytest.mark.nightly("a service of its own")
def test_the_verifier_prints_the_order_with_its_positions(service: RunningService) -> None:
    """Rows of cards, each with its place and the position of its first card, also of a proof; in JSON each thing by
    itself.
    """
    players = [exchange_poker.Careful(), exchange_poker.Careful()]
    played = exchange_poker.play(Engine(service.engine_url, service.token, POKER), players, 10, lambda _: None)
    service.settle()
    words = [sys.executable, "-m", "verifier", "code", played.code, "--log", str(service.settings.log)]
    words += ["--key", str(service.key)]
    text, structured = (
        subprocess.run([*words, *more], cwd=HOUSE, capture_output=True, text=True, check=True).stdout
        for more in ([], ["--json"])
    )
    assert "Order: 17 things, each line with its first position" in text
    assert f"    11  dealer: {' '.join(played.dealer)}\n" in text
    assert re.search(r"^     1  players: (\S\S ){9}\S\S\n", text, re.MULTILINE)
    assert re.search(r"^    16  draws: \S\S \S\S\n", text, re.MULTILINE)
    assert "that a decision came before the next thing was shown" in " ".join(text.split())
    order = json.loads(structured)["order"]
    of_proof = StringIO()
    data, _ = prove_code(FolderSource(service.settings.log), service.key, played.code)
    show_proof(Console(file=of_proof, width=120), check_proof(data, service.key), None)
    rows = text[text.index("Order:") : text.index("Committed")]
    assert rows in of_proof.getvalue()
    assert order[10] == {"position": 11, "place": "dealer", "thing": played.dealer[0]}


def test_decisions_are_in_the_minutes_before_the_next_card_is_asked_for(service: RunningService) -> None:
    """Whatever a player decides: the journal has no position yet that the decision leads to."""
    number = service.next_round(BLACKJACK)
    seen: list[tuple[str, int]] = []

    def say(line: str) -> None:
        seen.append((line, given(service, BLACKJACK, number)[-1][1]))

    moves: Iterator[blackjack.Move] = iter(["hit"])

    def decide(_player: str, _hand: blackjack.Hand, _shown: str) -> blackjack.Move:
        return next(moves, "stand")

    played = blackjack.play(
        Engine(service.engine_url, service.token, BLACKJACK), {"ani": 100, "bo": 200}, decide, say
    )
    assert seen[0][1] == 5
    hits = [position for line, position in seen if line.endswith(": hit")]
    assert hits in ([5], [])
    dealt = sum(len(hand.cards) for (hand,) in played.hands.values()) + len(played.dealer)
    assert seen[-1][1] == dealt
    assert played.wins == {player: blackjack.win(hand, played.dealer) for player, (hand,) in played.hands.items()}
    assert [hand.stake for (hand,) in played.hands.values()] == [100, 200]


def test_a_round_that_an_earlier_run_left_is_voided(service: RunningService) -> None:
    """Nobody knows any more what its players decided; the next round is played."""
    number = service.next_round(BLACKJACK)
    assert service.act(BLACKJACK, number, "open").status == 200
    assert service.act(BLACKJACK, number, "lock", {"keep_back": True}).status == 200
    assert run(service, "blackjack", BLACKJACK)[0] == 0
    statuses = [service.get(f"/v1/tables/{BLACKJACK}/rounds/{number + n}").document["status"] for n in (0, 1)]
    assert statuses == ["void", "played"]


def test_an_example_shows_what_was_refused(service: RunningService) -> None:
    """In the service's words, and without a traceback."""
    status, lines, errors = run(service, "blackjack", "nowhere-1")
    assert (status, lines, errors) == (1, [], "nowhere-1: unknown-table: no table 'nowhere-1'\n")
    assert "unknown-token" in run(service, "blackjack", BLACKJACK, token="no-token")[2]
    engine = Engine(service.engine_url, service.token, BLACKJACK)
    with pytest.raises(Refused, match="out-of-order"):
        engine.act(service.next_round(BLACKJACK), "reveal")


def test_a_lock_of_somebody_else_is_not_played(service: RunningService) -> None:
    """The round is void, and the message says what to do."""
    engine = Engine(service.engine_url, service.token, BLACKJACK)
    number = engine.begin()
    service.act(BLACKJACK, number, "lock", {"keep_back": True, "bets": {"count": 1, "root": root([b"a bet"]).hex()}})
    with pytest.raises(Refused, match="revoke the token"):
        engine.lock(number, [b"a bet"])
    assert service.get(f"/v1/tables/{BLACKJACK}/rounds/{number}").document["status"] == "void"


class _Forgetful(BaseHTTPRequestHandler):
    """A web server in front that has no answer to the first call of each address, although the service has."""

    service: RunningService
    asked: ClassVar[list[tuple[str, bytes]]] = []

    def do_GET(self) -> None:
        """Pass a call on."""
        call = self.path, self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self.asked.append(call)
        answer = self.service.call(
            self.command, self.path, call[1] or None, headers=self.service.bearer, url=self.service.engine_url
        )
        status, data = answer.status, answer.data
        if self.asked.count(call) == 1:
            status, data = 504, b'{"code":"repeat-same-body","detail":"no machine has answered"}'
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_POST = do_GET  # noqa: N815 -- the library's spelling

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.mark.nightly("loses the first answer to each call")
def test_an_example_repeats_what_was_not_answered(service: RunningService) -> None:
    """With the same body, and the round is played: the lock is its own."""
    _Forgetful.service = service
    with ThreadingHTTPServer(("127.0.0.1", 0), _Forgetful) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            engine = Engine(f"http://127.0.0.1:{server.server_port}", service.token, BLACKJACK)
            played = blackjack.play(engine, {"ani": 100}, blackjack.simple, lambda _: None)
        finally:
            server.shutdown()
            thread.join()
    assert played.code.startswith("blackjack1")
    locks = [call for call in _Forgetful.asked if call[0].endswith("/lock")]
    assert len(locks) > 1
    assert len(set(locks)) == 1


@pytest.mark.nightly("a service of its own")
def test_an_example_knows_its_own_lock(service: RunningService) -> None:
    """A proxy that repeats it changes nothing; somebody else's is found, voided, and nothing is dealt."""
    with doubling_proxy(service.engine_url) as url:
        engine = Engine(url, service.token, BLACKJACK)
        assert blackjack.play(engine, {"ani": 100}, blackjack.simple, lambda _: None).code.startswith("blackjack1")
        for bets in ([], [b"a bet, and its random part"]):
            number = engine.begin()
            digest_of_them = {"count": len(bets), "root": root(bets).hex()}
            body = {"call": "a-thief-made-this-one", "bets": digest_of_them, "keep_back": True}
            assert service.act(BLACKJACK, number, "lock", body).status == 200
            with pytest.raises(Refused, match="somebody else has locked it"):
                engine.lock(number, bets)
            assert service.get(f"/v1/tables/{BLACKJACK}/rounds/{number}").document["status"] == "void"


@pytest.fixture
def stranger() -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Another program that answers everything with a page, and the headers that it was sent."""
    heard: list[dict[str, str]] = []

    def answer(request: BaseHTTPRequestHandler) -> None:
        heard.append(dict(request.headers))
        request.send_response(502 if "bad" in request.path else 200)
        request.send_header("Content-Length", "13")
        request.end_headers()
        request.wfile.write(b"<html></html>")

    with answering(answer) as address:
        yield address, heard


@pytest.mark.nightly("starts the program")
@pytest.mark.parametrize("variable", ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"])
def test_no_engine_sends_its_token_to_a_proxy_of_the_environment(
    service: RunningService,
    stranger: tuple[str, list[dict[str, str]]],
    variable: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Which is for the web, and would learn every outcome: only `--proxy` has the calls go through one."""
    proxy, heard = stranger
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, proxy)
    assert run(service, "blackjack", BLACKJACK)[0] == 0
    dealing = [*("play", "--url", service.engine_url, "--pace", "0.01"), "no-such-table"]
    done = subprocess.run(
        [FOREDRAW, "--data", service.folder, *dealing],
        env={**os.environ, "FOREDRAW_TOKEN": service.token},
        check=False,
    )
    assert done.returncode == 1
    assert heard == []
    status, _, errors = run(service, "blackjack", BLACKJACK, "--proxy", proxy)
    assert (status, len(heard)) == (1, 1)
    assert f"{service.engine_url}/v1/engine/tables/{BLACKJACK} answered 200, with what is not the service's" in errors


@pytest.mark.parametrize(("place", "status"), [("", 200), ("/bad", 502)])
def test_an_answer_of_another_program_is_reported(
    stranger: tuple[str, list[dict[str, str]]], place: str, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """By its address and status, by the example and by the demo's dealer, which tries again."""
    url = stranger[0] + place
    words = f"{url}/v1/engine/tables/keno-1 answered {status}, with what is not the service's"
    with pytest.raises(Refused, match=re.escape(words)):
        Engine(url, "a token", "keno-1").begin()
    stop = threading.Event()
    dealer = Dealer(DealersEngine(url, "a token"), "keno-1", pace=0, stop=stop)
    playing = threading.Thread(target=dealer.play)
    playing.start()
    try:
        printed = ""

        def is_said() -> bool:
            nonlocal printed
            printed += capsys.readouterr().out
            return f"keno-1: {words}, trying again" in printed

        wait_until(is_said, words)
    finally:
        stop.set()
        playing.join()


def test_the_examples_need_nothing_but_python() -> None:
    """An engine's developer can copy them."""
    imported: set[str] = set()
    for file in (HOUSE / "examples").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {name.name.split(".")[0] for name in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add(str(node.module).split(".")[0])
    assert imported <= {*sys.stdlib_module_names, "examples"}


def test_the_digest_is_the_protocols() -> None:
    """For every shape of the tree up to nine bets."""
    for number in range(10):
        lines = [f"bet {each}".encode() for each in range(number)]
        assert root(lines).hex() == digest(lines).root


@pytest.mark.parametrize(
    ("hand", "dealer", "wins"),
    [
        ("Ah Ks", "9c 9d", 150),
        ("Ah Ks", "Ac Td", 0),
        ("7h 7s 7d", "Ac Td", -100),
        ("Ah Ks", "7c 7d 7h", 150),
        ("Th 6s 6d", "Tc 6d 6h", -100),
        ("Th 6s", "Tc 6d 6h", 100),
        ("Th 9s", "Tc 8d", 100),
        ("Th 8s", "Tc 8d", 0),
        ("Th 7s", "Tc 8d", -100),
        ("Ah As 9d", "Tc Td", 100),
        ("Ah 5s Kd", "Tc 6d 5h", -100),
    ],
)
def test_a_blackjack_hand_wins_what_the_regulation_says(hand: str, dealer: str, wins: int) -> None:
    """3:2 for a Blackjack unless the dealer has one; aces count 11 or 1; who has too much loses first."""
    assert blackjack.win(blackjack.Hand([Thing(card, 1) for card in hand.split()], 100), dealer.split()) == wins


class Given(Engine):
    """A table whose cards are given, for hands that are rare."""

    def __init__(self, cards: str) -> None:
        super().__init__("", "", "given")
        self.cards = cards.split()
        self.dealt: dict[str, list[int]] = {}

    def begin(self) -> int:
        """A round."""
        return 1

    def act(self, number: int, action: str, body: Any = None) -> dict[str, Any]:  # noqa: ANN401 -- as the engine's
        """The next cards; or the reveal, which names the hands."""
        assert number == 1
        if action == "next":
            first = body["position"]
            things = self.cards[first - 1 :][: body["count"]]
            assert len(things) == body["count"], "no more cards are given"
            return {"things": [{"position": at, "thing": thing} for at, thing in enumerate(things, first)]}
        if action == "reveal":
            self.dealt = body["dealt"]
        return {"outcome": {"cards": " ".join(self.cards)}, "round_code": "a code"}


def test_a_pair_is_split_into_two_hands() -> None:
    """Cards come in the order of the deal sheet; both parts get one at once, are played in turn, and have a stake
    each.
    """
    said: list[str] = []
    table = Given("8c Kd Th 8s 9d 3h Ts 5c 9c 4s")
    played = blackjack.play(table, {"ani": 100, "bo": 50}, blackjack.simple, said.append)
    first, second = played.hands["ani"]
    assert (first.cards, first.stake) == (["8c", "3h", "5c"], 200)
    assert (second.cards, second.stake) == (["8s", "Ts"], 100)
    assert [hand.cards for hand in played.hands["bo"]] == [["Kd", "9d"]]
    assert played.dealer == ["Th", "9c"]
    assert played.wins == {"ani": -300, "bo": 0}
    assert table.dealt == {"dealer": [3, 9], "ani": [1, 6, 8], "ani 2": [4, 7], "bo": [2, 5]}
    moves = [line for line in said if " has " in line and "dealer" not in line]
    assert moves == ["ani has 8c 8s: split", "ani has 8c 3h: double", "ani has 8s Ts: stand", "bo has Kd 9d: stand"]


def test_split_aces_are_no_blackjack_and_are_not_split_again() -> None:
    """An ace and a ten of a split pair win 1:1."""
    played = blackjack.play(Given("Ac Td As Kh Ah 5d 7d"), {"ani": 100}, blackjack.simple, lambda _: None)
    assert [hand.cards for hand in played.hands["ani"]] == [["Ac", "Kh"], ["As", "Ah", "5d"]]
    assert played.dealer == ["Td", "7d"]
    assert played.wins == {"ani": 100}
    with pytest.raises(ValueError, match="cannot be split"):
        blackjack.play(Given("Ac Td 8s"), {"ani": 100}, lambda *_: "split", lambda _: None)


@pytest.mark.parametrize(("cards", "wins"), [("Kc Ad Ks Kh", 0), ("Kc Ad Ks 8h", 50), ("Kc Ad As Kh", 100)])
def test_insurance_pays_2_to_1_against_a_blackjack(cards: str, wins: int) -> None:
    """Half of the stake; with a Blackjack of one's own it is even money."""
    minutes: list[str] = []
    played = blackjack.play(Given(cards), {"ani": 100}, blackjack.simple, minutes.append, lambda *_: True)
    assert played.wins == {"ani": wins}
    assert "insured: ani" in minutes
    unasked = blackjack.play(Given("Kc Td Ks 8h"), {"ani": 100}, blackjack.simple, minutes.append, lambda *_: True)
    assert unasked.wins == {"ani": 100}
    assert minutes[-6:].count("insured: nobody") == 1


def test_poker_hands_are_classed_as_bets_class_them() -> None:
    """Ten thousand hands, and the rare ones."""
    chance = random.Random(7)
    rare = [
        "Ah Kh Qh Jh Th",
        "Kh Qh Jh Th 9h",
        "5h 4h 3h 2h Ah",
        "5h 4h 3d 2h Ah",
        "9h 9d 9s 9c Ah",
        "9h 9d 9s Ac Ah",
    ]
    for hand in [*map(str.split, rare), *(chance.sample(PACK, 5) for _ in range(10_000))]:
        found = hand_of(hand)
        expected = exchange_poker.ROYAL if found == "royal flush" else CLASSES.index(found)
        assert exchange_poker.worth(hand)[0] == expected


@pytest.mark.parametrize(
    ("hand", "dealer", "wins"),
    [
        ("2c 3d 4h 5s 7c", "Ac Qd Th 8s 6c", 10),
        ("2c 3d 4h 5s 7c", "Ac Kd 4d 3s 2d", -30),
        ("Ah Ks 5d 3c 2h", "Ac Kd 4d 3s 2d", 30),
        ("Ah Ks 4h 3c 2h", "Ac Kd 4d 3s 2d", 0),
        ("9h 9s 4h 4c 2h", "9c 9d 4d 4s 3d", -30),
        ("9h 9s 4h 4c 5h", "9c 9d 4d 4s 3d", 50),
        ("5h 4h 3h 2h Ah", "9c 9d 4d 4s 4c", 1010),
        ("Ah 5s 4h 3c 2h", "6c 5d 4d 3s 2d", -30),
    ],
)
def test_a_poker_hand_wins_what_the_regulation_says(hand: str, dealer: str, wins: int) -> None:
    """The dealer needs ace and king; the raise is paid by the hand; then the cards beside it decide."""
    assert exchange_poker.win(hand.split(), dealer.split(), 10) == wins
