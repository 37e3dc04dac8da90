"""Tables of declared games: every game of the catalogue, and an operator's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from api.programs.demo import GAMES_OF, make_demo
from api.rounds.outcome_text import outcome_text
from api.rounds.tables import TableRefusedError, add_table
from api.server.app import create_app
from fairness.limits import LARGEST_DECLARATION
from fairness.records.rules import UNSALTED
from games import GAMES
from games.declared.catalogue import Listed, catalogue
from tests.support.in_process_service import InProcessService
from verifier.audit.audit import audit_log
from verifier.caveats import report_caveats
from verifier.sentences import NotChecked
from verifier.sources.source import FolderSource

pytestmark = pytest.mark.both_databases("declarations are rows")

RULES = {
    "exchange-poker": {"seats": 3},
    "five-card-poker": {"seats": 6},
    "joker-poker": {"seats": 1},
    "six-card-poker": {"seats": 2},
    "bet-win": {"seats": 7},
    "in-between": {"decks": 4, "seats": 7},
    "lotto": {"count": 6, "of": 49},
    "mega-ball": {"m10": 5, "m100": 1, "m25": 3, "m5": 9, "m50": 2},
    "numbers": {"count": 3, "of": 1 << 32},
    "prize-wheel": {"segments": 3, "w1": 5, "w2": 3, "w3": 1},
    "racing": {"runners": 4, "w1": 5, "w2": 3, "w3": 1, "w4": 8},
    "slot": {"reel1": 30, "reel2": 40, "reel3": 50, "reels": 3},
    "table-tennis": {"a": 5200},
}
"""Of the games that have parameters."""
FLIGHT = b'{"draw":[["reels","numbers",3,1,6],["multiplier","flight"]],"moves":1,"rules":{"cap":[101,1000],"rtp":[9000,9700]}}'


def _add(inside: InProcessService, listed: Listed) -> None:
    rules = {**RULES[listed.game], "version": 1} if listed.game in RULES else None
    add_table(inside.service.writer, f"{listed.game}-1", listed.game, rules=rules)


@pytest.mark.nightly("plays every game of the catalogue")
def test_every_game_of_the_catalogue_is_played_shown_and_audited(tmp_path: Path) -> None:
    """Whatever is known of a game, nothing about it answers with an error of the service."""
    inside = InProcessService.create(tmp_path / "data", batch_size=24)
    for listed in catalogue():
        _add(inside, listed)
    inside.settle()
    client = create_app(inside.service).test_client()
    for listed in catalogue():
        table = f"{listed.game}-1"
        inside.play(table, 2)
        pages = [f"/tables/{table}", f"/tables/{table}/rounds/1", f"/tables/{table}/rounds/3"]
        calls = [f"/v1/tables/{table}", f"/v1/tables/{table}/rounds/1", f"/v1/tables/{table}/bets"]
        for path in (*pages, *calls):
            assert client.get(path).status_code == 200, path
        assert client.get(f"/v1/tables/{table}").get_json()["game"] == listed.game
    assert client.get("/").status_code == 200
    inside.check()
    report = audit_log(FolderSource(inside.settings.log), inside.key)
    assert report.rounds_ended == report.drawn == 2 * len(catalogue())
    inside.stop()


def test_a_declared_round_is_given_up_and_voided_like_any_other(tmp_path: Path) -> None:
    """Its outcome is drawn all the same."""
    inside = InProcessService.create(tmp_path / "data", tables=[("roulette-1", "roulette")])
    inside.void("roulette-1", 1)
    inside.open("roulette-1", 2)
    inside.lock("roulette-1", 2)
    inside.void("roulette-1", 2)
    inside.check()
    inside.stop()


@pytest.mark.parametrize(
    ("game", "declaration", "words"),
    [
        ("rulette", None, "no game 'rulette' in the catalogue"),
        ("sic-bo", b'{"draw":[["dice","numbers",3,1,6]]}', "sic-bo is known by its name"),
        ("own", b'{"draw":[["a","jump"]]}', "does not know the kind jump"),
        ("own", b'{"draw": []}', "no declaration of a game"),
        ("own", b"\xff", "no declaration of a game"),
        ("own", b"x" * (LARGEST_DECLARATION + 1), "no declaration of a game"),
        ("own", FLIGHT.replace(b'"moves":1,', b""), 'own draws a flight, and its declaration lacks "moves":1.* Add'),
        ("Own", b'{"draw":[["a","number",1,6]]}', "a game's name"),
        ("racing", None, "the rules of racing are"),
    ],
)
def test_a_table_is_refused_with_the_reason(tmp_path: Path, game: str, declaration: bytes | None, words: str) -> None:
    """Nothing is queued, and the message says what to do."""
    inside = InProcessService.create(tmp_path / "data")
    with pytest.raises(TableRefusedError, match=words):
        add_table(inside.service.writer, "x-1", game, declaration=declaration)
    assert not inside.states()
    inside.stop()


def test_a_flight_of_an_operators_own_says_that_the_engine_knows(tmp_path: Path) -> None:
    """In the verdict and on the page, as crash does: so its declaration may not omit that players act."""
    inside = InProcessService.create(tmp_path / "data")
    rules = {"cap": 1000, "rtp": 9700, "version": 1}
    add_table(inside.service.writer, "own-1", "own", declaration=FLIGHT, rules=rules)
    inside.settle()
    inside.play("own-1")
    assert 'data-after-lock="flight"' in create_app(inside.service).test_client().get("/tables/own-1").text
    report = audit_log(FolderSource(inside.settings.log), inside.key)
    assert NotChecked.MOVES.fill(games="own") in report_caveats(report, GAMES)
    inside.stop()


@pytest.mark.parametrize("games", ["named", "kinds", "all"])
def test_a_demo_has_tables_of_its_games(tmp_path: Path, games: str) -> None:
    """Those that need rules have some; and a second start makes no others."""
    inside = InProcessService.create(tmp_path / "data")
    for _ in range(2):
        make_demo(inside.service, UNSALTED, GAMES_OF[games])
        assert {state.game for state in inside.states().values()} == set(GAMES_OF[games])
    inside.stop()


def test_an_outcome_in_a_terminal_is_of_any_game() -> None:
    """Also where an operator's own place has the name of one of the regulation's."""
    assert outcome_text({"dice": [1, 5, 2]}) == "1 · 5 · 2"
    assert outcome_text({"dice": 4}) == "4"
    assert outcome_text({"dice": "low"}) == "low"
