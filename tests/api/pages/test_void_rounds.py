"""The page of a void round: that it does not count, since when, and who gave it up by the operator's word."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask.testing import FlaskClient

from api.rounds.keeper import CLOSED_REASON
from api.rounds.status import GIVEN_UP_GRACE_SECONDS
from api.rounds.tables import request_close
from api.server.app import create_app
from tests.support.in_process_service import InProcessService

_DOES_NOT_COUNT = "This round does not count. A bet on it alone is paid back."
_NEVER_OPEN = "It was called off before it was opened for bets."
_BEFORE_CLOSED = "It was opened for bets, and called off before they were closed."
_AFTER_CLOSED = "It was called off after the bets were closed."
_WHEN = (_NEVER_OPEN, _BEFORE_CLOSED, _AFTER_CLOSED)
_BY = {
    "engine": "The operator says that the game’s program called it off.",
    "person": "The operator says that a person called it off.",
    "closing": "The operator says that it was called off because the table was closed.",
}


@pytest.fixture(name="inside", scope="module")
def _inside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcessService]:
    tables = [(name, "hi-lo") for name in ("engine", "person", "closing")]
    made = InProcessService.create(tmp_path_factory.mktemp("void") / "data", tables=tables)
    yield made
    made.stop()


def said(inside: InProcessService, table: str, number: int) -> tuple[list[str], list[str]]:
    """When a round was called off, and by whom, as its page says it."""
    client: FlaskClient = create_app(inside.service).test_client()
    text = client.get(f"/tables/{table}/rounds/{number}").text
    assert _DOES_NOT_COUNT in text
    assert 'class="notice caution' in text
    assert "The result was fixed before" not in text
    return [each for each in _WHEN if each in text], [who for who, each in _BY.items() if each in text]


def test_it_says_when_it_was_given_up(inside: InProcessService) -> None:
    """Never opened, open, or closed for bets."""
    table = "engine"
    inside.void(table, 1)
    inside.open(table, 2)
    inside.void(table, 2)
    inside.open(table, 3)
    inside.lock(table, 3)
    inside.void(table, 3)
    for number, when in enumerate(_WHEN, 1):
        assert said(inside, table, number) == ([when], ["engine"])


def test_it_says_who_gave_it_up_by_the_operators_word(inside: InProcessService) -> None:
    """A person, if the journal has this round with one; an engine may be in the journal, too."""
    rounds, table = inside.service.rounds, "person"
    rounds.void(table, 1, "stopped by hand", operator="account ani")
    rounds.void(table, 2, "a long dash — here", by="engine-1")
    inside.void(table, 3)
    rounds.void(table, 4, CLOSED_REASON, by="engine-1")
    assert [said(inside, table, number)[1] for number in (1, 2, 3, 4)] == [["person"], *[["engine"]] * 3]


def test_a_table_that_is_closed_gives_its_open_round_up(inside: InProcessService) -> None:
    """No engine did it, and nobody did it to this round alone."""
    inside.open("closing", 1)
    request_close(inside.service.writer, "closing")
    inside.settle()
    inside.clock.step(GIVEN_UP_GRACE_SECONDS)
    inside.settle()
    assert said(inside, "closing", 1) == ([_BEFORE_CLOSED], ["closing"])
