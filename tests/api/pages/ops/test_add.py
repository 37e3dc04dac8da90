"""A table is added."""

from __future__ import annotations

import re

import pytest

from api.store import statements as sql
from tests.api.pages.ops.desk import DRAW, FLIGHT, Desk


def test_a_table_is_added(signed_in: Desk, caplog: pytest.LogCaptureFixture) -> None:
    """With all options of the operator's program; it can be played a moment later."""
    form = {
        "name": "crash-vip",
        "game": "crash",
        "lead": "20",
        "timeout": "600",
        "bets": "required",
        "rtp": "96.5",
        "cap": "5000",
    }
    answer = signed_in.add_table(form)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/ops#crash-vip")
    assert "the operator ani added the table crash-vip" in caplog.text
    signed_in.inside.settle()
    signed_in.inside.play("crash-vip")
    state = signed_in.inside.state("crash-vip")
    assert (state.game, state.lead, state.batches[0].rules) == (
        "crash",
        20,
        {"cap": 500_000, "rtp": 9650, "version": 1},
    )
    with signed_in.inside.service.database.read() as connection:
        row = sql.ONE_TABLE.one(connection, name="crash-vip")
    assert row.timeout == 600


@pytest.mark.parametrize("game", ["rocketon", "hi-lo", "sic-bo", "penalty", "keno-express"])
def test_a_table_of_each_game_is_added_as_it_stands(signed_in: Desk, game: str) -> None:
    """A name and a game are enough."""
    assert signed_in.add_table({"game": game}).status_code == 303
    signed_in.inside.settle()
    signed_in.inside.play("new")


@pytest.mark.parametrize(
    "change",
    [
        {"name": DRAW},
        {"name": "No"},
        {"name": ""},
        {"name": '"><script>alert(1)</script>'},
        {"game": "pokr"},
        {"lead": "9"},
        {"lead": "1001"},
        {"lead": "1e3"},
        {"lead": "999999999"},
        {"timeout": "0"},
        {"timeout": ""},
        {"timeout": "-1"},
        {"timeout": "١٢"},
        {"rtp": "100.01"},
        {"rtp": "0"},
        {"rtp": "97.001"},
        {"cap": "1.00"},
        {"cap": "0x10"},
    ],
    ids=str,
)
def test_a_table_that_cannot_be_is_not_added(signed_in: Desk, change: dict[str, str]) -> None:
    """The form is shown again with its input as text, and says why."""
    answer = signed_in.add_table(change)
    assert answer.status_code == 400
    assert "No table was added." in answer.text
    assert "<script>" not in answer.text
    assert sorted(signed_in.inside.states()) == sorted([DRAW, FLIGHT])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"name": DRAW}, "имена никогда не используются повторно"),
        ({"name": "No"}, "от 1 до 32 знаков"),
        ({"game": "pokr"}, "Такой игры нет"),
        ({"lead": "9"}, "не больше 1000"),
        ({"timeout": "0"}, "Тайм-аут — от 1 до"),
        ({"rtp": "0"}, "не больше 100 процентов"),
    ],
    ids=str,
)
def test_why_a_table_is_not_added_is_said_in_the_operators_language(
    signed_in: Desk, change: dict[str, str], words: str
) -> None:
    """Whether the form, the service, or replay refuses it."""
    answer = signed_in.add_table(change, Accept_Language="ru")
    (told,) = re.findall(r'role="alert">(.*?)</p>', answer.text)
    assert words in told
