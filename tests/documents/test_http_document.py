"""``docs/http.md`` shows what the service answers: its calls are made in order, to a service with fixed seeds and times."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

from api.access.tokens import Role, create_token
from api.custody.source import Source
from api.programs.setup import initialise
from api.rounds.tables import add_table
from api.server.app import create_app, create_engine_app
from fairness.hashing import sha256
from tests.support.documents import PAGES, fenced
from tests.support.faulty_world import SettableClock
from tests.support.in_process_service import ORIGIN, InProcessService

TABLES = {"keno-1": "keno-express", "blackjack-1": "blackjack"}


class StillClock(SettableClock):
    """A clock that only the test moves, so that no date depends on how often the service reads it."""

    def moment(self) -> datetime:
        """The date."""
        return self.date


class Call(NamedTuple):
    """One call of the page, and the answer that it shows."""

    method: str
    address: str
    has_token: bool
    body: str | None
    answer: str


def calls() -> Iterator[Call]:
    """Every ``curl`` of the page, in order."""
    for block in fenced(PAGES[Path("docs/http.md")], "console"):
        for command, answer in re.findall(r"^\$ curl (.*)\n(.*)$", block, re.MULTILINE):
            words = shlex.split(command)
            options = {flag: words[at + 1] for at, flag in enumerate(words) if flag in {"-X", "-H", "-d"}}
            (address,) = (word for word in words if word.startswith("http://"))
            yield Call(options.get("-X", "GET"), address, "-H" in options, options.get("-d"), answer)


@pytest.fixture
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InProcessService]:
    """A service with the page's table, and seeds derived from a label."""
    calls_so_far = count()
    label = "an example, not a secret"
    made = InProcessService(tmp_path / "data")
    made.clock = StillClock()
    initialise(made.settings, ORIGIN)
    monkeypatch.setattr(Source, "take", lambda _, size: sha256(f"{label} {next(calls_so_far)}".encode())[:size])
    made.start()
    for table, game in TABLES.items():
        add_table(made.service.writer, table, game)
        made.settle()
    yield made
    made.stop()


def test_every_call_is_answered_as_the_page_shows(inside: InProcessService) -> None:
    """Byte for byte, on the listener that the page names."""
    listeners = {
        8000: create_app(inside.service).test_client(),
        8001: create_engine_app(inside.service).test_client(),
    }
    token = create_token(inside.service.database, inside.clock, "engine", Role.ENGINE, list(TABLES))
    made = list(calls())
    assert len(made) >= 7
    for call in made:
        inside.clock.step(2.5)
        address = urlsplit(call.address)
        assert address.port is not None
        headers = {"Authorization": f"Bearer {token}"} if call.has_token else {}
        client = listeners[address.port]
        answer = client.open(address.path, method=call.method, headers=headers, data=call.body)
        assert answer.text == call.answer
