"""`docs/adding-a-game.md`: its example is a game."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import pytest

from api.server.app import create_app
from fairness.draws.game import Game, RulesRefused
from fairness.errors import CheckFailed
from fairness.records.replay import Replay
from games import GAMES
from games.facts import FACTS
from games.facts.facts import Facts
from tests.house import HOUSE
from tests.oracles.given_stream import GivenStream
from tests.support.in_process_service import InProcessService

PAGE = (HOUSE / "docs" / "adding-a-game.md").read_text("utf-8")
GAME_CODE, FACTS_CODE, TEST_CODE = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def wheel_module() -> ModuleType:
    """The example as it is on the page, executed."""
    module = ModuleType("games.wheel")
    exec(compile(GAME_CODE, "adding-a-game.md", "exec"), module.__dict__)  # noqa: S102
    return module


def wheel() -> Game:
    """The example's game."""
    return cast("Game", wheel_module().Wheel())


@pytest.fixture
def facts(monkeypatch: pytest.MonkeyPatch) -> Facts:
    """The example's facts, registered with the game as the page says."""
    monkeypatch.setitem(sys.modules, "games.wheel", wheel_module())
    namespace: dict[str, Any] = {"__name__": "games.facts.wheel"}
    exec(compile(FACTS_CODE, "adding-a-game.md", "exec"), namespace)  # noqa: S102
    found = cast("Facts", namespace["FACTS"])
    monkeypatch.setitem(cast("dict[str, Game]", GAMES), "wheel", wheel())
    monkeypatch.setitem(cast("dict[str, Facts]", FACTS), "wheel", found)
    return found


def outcomes(game: Game, limit: int) -> list[object]:
    streams = map(GivenStream.of_words, range(limit))
    return [game.outcome(stream, {"version": 1}) for stream in streams]


def test_the_example_passes_its_own_test() -> None:
    """All 37 pockets, once each, in order."""
    namespace: dict[str, Any] = {"all_outcomes": lambda _, limit: outcomes(wheel(), limit)}
    exec(compile(TEST_CODE, "adding-a-game.md", "exec"), namespace)  # noqa: S102
    namespace["test_the_wheel_has_each_of_37_pockets_once"]()


def test_the_example_is_a_game_for_replay() -> None:
    """Registered, it can have tables; unregistered, its tables are refused, as the page says."""
    game = wheel()
    record = (
        b'{"created":"2026-11-20T22:49:00.000Z","custodians":["house"],"game":"wheel","lead":10,'
        b'"log":"fore.example/log","salt":"none","table":"wheel-1","type":"table","v":1}'
    )
    replay = Replay("fore.example/log", {**GAMES, game.name: game})
    replay.advance(record)
    assert replay.tables["wheel-1"].game == game.name
    with pytest.raises(CheckFailed, match="record-form"):
        Replay("fore.example/log", GAMES).advance(record)
    with pytest.raises(RulesRefused):
        game.check_rules({"version": 2})
    assert not game.has_flight


def test_the_examples_facts_are_about_its_outcomes(facts: Facts) -> None:
    """All 37, converted to numbers and back."""
    assert facts.uniform is not None
    assert list(facts.uniform.outcomes) == outcomes(wheel(), 37)
    numbers = [facts.numbers.of(outcome) for outcome in facts.uniform.outcomes]
    assert [facts.numbers.outcome(each) for each in numbers] == outcomes(wheel(), 37)
    assert all(len(grouping.groups) == 37 for grouping in facts.uniform.groupings)
    assert [facts.uniform.half[1].count(half) for half in (0, 1, -1)] == [18, 18, 1]


@pytest.mark.usefixtures("facts")
def test_a_service_plays_the_example_and_shows_it(tmp_path: Path) -> None:
    """Nothing else needs its name: a table, its rounds and their pages work, without a picture and without bets."""
    inside = InProcessService.create(tmp_path / "data", tables=[("wheel-1", "wheel")])
    inside.play("wheel-1", 2)
    inside.settle()
    client = create_app(inside.service).test_client()
    pages = {path: client.get(path) for path in ("/", "/tables/wheel-1", "/tables/wheel-1/rounds/1")}
    assert {path: page.status_code for path, page in pages.items()} == dict.fromkeys(pages, 200)
    pocket = str(cast("dict[str, int]", inside.told["wheel-1", 1])["pocket"])
    assert f"<strong>{pocket}</strong>" in pages["/tables/wheel-1/rounds/1"].text
    assert f"<span>{pocket}</span>" in pages["/"].text
    assert 'inputmode="numeric" placeholder="17"' in pages["/tables/wheel-1"].text
    inside.stop()
