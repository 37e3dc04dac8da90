"""Bets over HTTP: what can be bet on each game, and the results of bets on a round, for its engine and for all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from math import gcd
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from api.access.tokens import Role, create_token
from api.answers.bets import LARGEST_STAKE
from api.answers.bodies import MOST_BETS
from api.answers.rounds import Pending
from api.rounds.tables import add_table, request_close
from api.server.app import create_app, create_engine_app
from games import GAMES
from games.bets.bet import LONGEST_BET, BetRefused
from tests.support.calls import as_sent
from tests.support.in_process_service import InProcessService
from verifier.round.check import check_round
from verifier.sources.source import FolderSource

TABLES = {"cards": "hi-lo", "dice": "sic-bo", "rocket": "rocketon", "other": "keno-express"}


class Front:
    """A front-end of a service in this process."""

    def __init__(self, inside: InProcessService) -> None:
        self.inside = inside
        service = inside.service
        self.tokens = {
            "engine": create_token(service.database, service.clock, "engine", Role.ENGINE, ["*"]),
            "narrow": create_token(service.database, service.clock, "narrow", Role.ENGINE, ["other"]),
        }
        self._public: FlaskClient = create_app(service).test_client()
        self.engines: FlaskClient = create_engine_app(service).test_client()

    def settle(self, table: str, number: int, body: object, token: str | None = None) -> tuple[int, dict[str, Any]]:
        """The status and the document of a call: the engines' call with a token, the public one without."""
        headers = {"Authorization": f"Bearer {self.tokens[token]}"} if token else {}
        path = f"/v1/{'engine/' if token else ''}tables/{table}/rounds/{number}/settle"
        answer = (self.engines if token else self._public).post(path, data=json.dumps(body), headers=headers)
        return answer.status_code, answer.get_json()

    def get(self, path: str) -> tuple[int, dict[str, Any]]:
        """The status and the document of a call without a token."""
        answer = self._public.get(path)
        return answer.status_code, answer.get_json()


@pytest.fixture
def front(tmp_path: Path) -> Iterator[Front]:
    """A service with tables of some games, without played rounds."""
    inside = InProcessService.create(tmp_path / "data", batch_size=60, tables=TABLES.items())
    yield Front(inside)
    inside.stop()


def bets(*placed: tuple[str, int]) -> dict[str, object]:
    return {"bets": [{"bet": bet, "stake": stake} for bet, stake in placed]}


def test_a_locked_round_is_settled_for_its_engine_alone(front: Front) -> None:
    """Before the lock for nobody; then for the engine, whose answer shows the outcome; after the reveal for all."""
    inside, body = front.inside, bets(("small", 100), ("big", 100), ("any triple", 100))
    assert front.settle("dice", 1, body)[1]["code"] == "wrong-listener"
    assert front.settle("dice", 1, body, "engine")[1]["code"] == "out-of-order"
    inside.open("dice", 1)
    assert front.settle("dice", 1, body, "engine")[1]["found"] == {"round": 1, "status": "open"}
    outcome = inside.lock("dice", 1)
    assert front.settle("dice", 1, body)[1]["code"] == "wrong-listener"
    assert front.engines.post("/v1/engine/tables/dice/rounds/1/settle", data=json.dumps(body)).status_code == 401
    assert front.settle("dice", 1, body, "narrow")[1]["code"] == "wrong-table"
    status, locked = front.settle("dice", 1, body, "engine")
    assert (status, locked["status"], locked["outcome"]) == (200, "locked", outcome)
    inside.reveal("dice", 1)
    status, played = front.settle("dice", 1, body)
    assert (status, played) == (200, locked | {"status": "played"})
    assert front.settle("dice", 1, body, "engine") == (status, played)
    dice: list[int] = played["outcome"]["dice"]
    is_triple = len(set(dice)) == 1
    winner = "any triple" if is_triple else "small" if sum(dice) <= 10 else "big"
    assert {each["bet"]: each["result"] for each in played["bets"]} == {
        bet: "wins" if bet == winner else "loses" for bet in ("small", "big", "any triple")
    }
    assert [each["winnings"] == "0" for each in played["bets"]] == [
        each["result"] == "loses" for each in played["bets"]
    ]


def test_a_round_that_is_never_played_is_settled_for_nobody(front: Front) -> None:
    """It will not be locked either, so nobody is sent to its engine; and both are told what the round is."""
    body, unused = bets(("small", 1)), {"round": 1, "status": "unused"}
    request_close(front.inside.service.writer, "dice")
    front.inside.settle()
    assert front.get("/v1/tables/dice/rounds/1")[1]["status"] == unused["status"]
    for token in (None, "engine"):
        status, problem = front.settle("dice", 1, body, token)
        assert (status, problem["code"], problem["found"]) == (409, "out-of-order", unused)
        assert problem["expected"] == {"round": 1, "status": ["played", "void"]}
    committed = front.inside.state("dice").committed_through
    assert front.settle("dice", committed + 1, body)[1]["committed_through"] == committed


def test_a_lock_that_is_not_published_is_pending(front: Front) -> None:
    """Settling reveals no outcome that the lock would not."""
    front.inside.open("dice", 1)
    with front.inside.background_paused():
        assert front.inside.service.publication.lock(front.inside.state("dice").table_id, 1) is None
        answers = []
        for call in ("lock", "settle"):
            path = f"/v1/engine/tables/dice/rounds/1/{call}"
            headers = {"Authorization": f"Bearer {front.tokens['engine']}"}
            body = as_sent(path, {}) if call == "lock" else bets(("small", 1))
            answers.append(front.engines.post(path, data=json.dumps(body), headers=headers))
    assert [answer.status_code for answer in answers] == [202, 202]
    lock, settled = (answer.get_json() for answer in answers)
    table_id = front.inside.state("dice").table_id.hex()
    about = {"table": "dice", "table_id": table_id, "round": 1}
    assert settled == {**about, "status": "locked", "retry_after": 1}
    assert lock.keys() == settled.keys() | {"locked_at"}
    assert answers[1].headers["Retry-After"] == "1"


def test_a_void_round_pays_every_bet_its_stake(front: Front) -> None:
    """Odds of 1, whatever its outcome would have been; a round that is given up is not settled before its end."""
    front.inside.open("dice", 1)
    with front.inside.background_paused():
        assert isinstance(front.inside.service.rounds.void("dice", 1, "stuck"), Pending)
        status, problem = front.settle("dice", 1, bets(("small", 7)), "engine")
        assert (status, problem["expected"]) == (409, {"round": 1, "status": ["void"]})
    front.inside.void("dice", 1, "stuck")
    status, answer = front.settle("dice", 1, bets(("small", 7), ("any triple", 9)))
    assert answer["status"] == "void"
    assert [(each["result"], "odds" in each, each["winnings"]) for each in answer["bets"]] == [
        ("void", False, "7"),
        ("void", False, "9"),
    ]


def test_service_and_verifier_settle_alike(front: Front) -> None:
    """HI and LO of every round, with void ones and Jokers in between; if one refuses, so does the other."""
    inside, codes = front.inside, dict[int, str]()
    for number in range(1, 41):
        inside.open("cards", number)
        if number % 5 == 0:
            codes[number] = inside.void("cards", number).round_code
        else:
            inside.lock("cards", number)
            codes[number] = inside.reveal("cards", number).round_code
    inside.settle()
    refused = 0
    for number in (*range(1, 12), *range(12, 41, 7)):
        for text in ("hi", "lo", "black"):
            status, answer = front.settle("cards", number, bets((text, 30)))
            source = FolderSource(inside.settings.log)
            try:
                (settled,) = check_round(source, inside.key, codes[number], bets=[text]).bets
            except BetRefused:
                assert (status, answer["code"]) == (400, "bet-refused")
                refused += 1
                continue
            (bet,) = answer["bets"]
            assert bet.get("after", "") == settled.bet.after
            assert settled.pays is not None
            assert (bet["result"], bet["winnings"]) == (settled.result, str(settled.pays * 30 // 1))
            assert bet.get("odds") == (str(settled.odds) if settled.odds else None)
            assert ("pays" in bet and Fraction(**bet["pays"])) == (settled.odds is not None and settled.pays)
    assert refused >= 2


def test_winnings_are_whole_units_and_the_rest_is_said(front: Front) -> None:
    """Rounded down, so that a program that reads digits reads no larger sum; the fraction has its slash, and so has a
    whole one.
    """
    front.inside.play("rocket", 8)
    found = set()
    for number in range(1, 9):
        _, answer = front.settle("rocket", number, bets(("half 1.01", 7)))
        found.add(tuple(answer["bets"][0][each] for each in ("winnings", "winnings_exact", "winnings_rest")))
    assert found <= {("0", "0/1", "0/1"), ("3", "707/200", "107/200")}
    assert ("3", "707/200", "107/200") in found
    _, answer = front.settle("rocket", 1, bets(("half 1.01", 400)))
    assert answer["bets"][0]["winnings_rest"] == "0/1"


def test_a_stake_has_a_limit(front: Front) -> None:
    """So that a stake, and what it usually wins, is a number that every language reads exactly."""
    front.inside.play("dice")
    assert front.settle("dice", 1, bets(("small", LARGEST_STAKE)))[0] == 200
    assert front.settle("dice", 1, bets(("small", LARGEST_STAKE + 1)))[1]["code"] == "malformed-body"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"bets": []},
        bets(*[("small", 1)] * (MOST_BETS + 1)),
        *(bets(("small", stake)) for stake in (0, -1, LARGEST_STAKE + 1)),
        {"bets": [{"bet": "small", "stake": 1.5}]},
        {"bets": [{"bet": "small", "stake": "1"}]},
        {"bets": [{"bet": "small"}]},
        {"bets": [{"bet": "small", "stake": 1, "player": "x"}]},
        bets(("x" * (LONGEST_BET + 1), 1)),
    ],
)
def test_what_is_beyond_the_limits_is_refused(front: Front, body: object) -> None:
    """Before anything is computed."""
    status, problem = front.settle("dice", 1, body)
    assert (status, problem["code"]) == (400, "malformed-body")


def test_what_is_at_the_limits_is_settled(front: Front) -> None:
    """As many bets as a call takes, with the largest stake; the body stays below its limit."""
    front.inside.play("dice")
    status, answer = front.settle("dice", 1, bets(*[("number 3", LARGEST_STAKE)] * MOST_BETS))
    assert (status, len(answer["bets"])) == (200, MOST_BETS)


def test_a_bet_that_is_not_offered_is_named(front: Front) -> None:
    """By its index, so that a front-end knows which."""
    front.inside.play("dice")
    status, problem = front.settle("dice", 1, bets(("small", 1), ("sum 3", 1), ("x" * LONGEST_BET, 1)))
    assert (status, problem["code"], problem["pointer"]) == (400, "bet-refused", "/bets/1/bet")
    assert problem["detail"].startswith("bets[1]: 'sum 3' is no bet of this game")
    assert front.settle("nowhere", 1, bets(("small", 1)))[1]["code"] == "unknown-table"
    assert front.settle("dice", 999, bets(("small", 1)), "engine")[1]["code"] == "unknown-round"


@pytest.mark.parametrize("game", GAMES)
def test_a_game_is_shown_with_exact_figures(front: Front, game: str) -> None:
    """Every fraction is in lowest terms, every chance is positive, and the chances of all outcomes sum to 1."""
    status, shown = front.get(f"/v1/games/{game}")
    assert (status, shown["game"], shown["lead"]) == (200, game, GAMES[game].lead)
    _, every = front.get("/v1/games")
    assert [each for each in every["games"] if each["game"] == game] == [
        {key: shown[key] for key in ("game", "lead", "section", "options")}
    ]
    chances = [each["chance"] for each in shown["outcomes"]["listed"]]
    figures = [bet[key] for bet in shown["bets"] for key in ("pays_back", "hit_rate", "variance")]
    for text in (*chances, *figures):
        numerator, _, denominator = text.partition("/")
        assert denominator == "" or (gcd(int(numerator), int(denominator)) == 1 and denominator != "1")
    if len(chances) == shown["outcomes"]["count"]:
        assert sum(map(Fraction, chances)) == 1
    assert all(0 < Fraction(bet["pays_back"]) < 1 for bet in shown["bets"])


def test_known_figures_of_games(front: Front) -> None:
    """The figures of the page about bets."""
    _, dice = front.get("/v1/games/sic-bo")
    (small,) = (bet for bet in dice["bets"] if bet["bet"] == "small")
    assert (small["odds"], small["pays_back"], small["hit_rate"]) == (["1:1"], "35/36", "35/72")
    # The stake is paid beside such odds.
    assert small["pays"] == [{"numerator": 2, "denominator": 1}]
    assert front.get("/v1/games/roulette")[1]["code"] == "unknown-game"


def test_a_table_shows_its_own_rules(front: Front) -> None:
    """A table with another return and cap has other bets than its game usually has."""
    rules = {"cap": 5_000, "rtp": 9_000, "version": 1}
    add_table(front.inside.service.writer, "low", "crash", rules=rules)
    _, shown = front.get("/v1/tables/low/bets")
    assert (shown["rules"], shown["outcomes"]["count"]) == (rules, 4901)
    assert shown["bets"][-1]["bet"] == "cashout 50.00"
    assert all(0 <= Fraction(9, 10) - Fraction(bet["pays_back"]) < Fraction(50, 1 << 64) for bet in shown["bets"])
    assert front.get("/v1/tables/nowhere/bets")[1]["code"] == "unknown-table"
