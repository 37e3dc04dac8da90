"""`docs/adding-a-game.md`: its example is a game."""

from __future__ import annotations

import re
from typing import Any, cast

import pytest

from fairness.draws.game import Game, RulesRefused
from fairness.errors import CheckFailed
from fairness.records.replay import Replay
from games import GAMES
from tests.house import HOUSE
from tests.oracles.given_stream import GivenStream

PAGE = (HOUSE / "docs" / "adding-a-game.md").read_text("utf-8")
GAME_CODE, TEST_CODE = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def wheel() -> Game:
    """The example, run as it stands on the page."""
    namespace: dict[str, Any] = {"__name__": "games.wheel"}
    exec(compile(GAME_CODE, "adding-a-game.md", "exec"), namespace)  # noqa: S102
    return cast("Game", namespace["Wheel"]())


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
