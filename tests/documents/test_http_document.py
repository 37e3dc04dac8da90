"""``docs/http.md`` shows what the service answers: its calls are made in order, to a service with fixed seeds and
times.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from jsonschema import Draft202012Validator

from api.access.tokens import Role, create_token
from api.custody.source import Source
from api.programs.setup import initialise
from api.rounds.tables import add_table
from api.server.app import create_app, create_engine_app
from fairness.hashing import sha256
from tests.described import FILE, calls, examples, written
from tests.support.descriptions import DOCUMENT, OPERATIONS
from tests.support.faulty_world import SettableClock
from tests.support.in_process_service import ORIGIN, InProcessService

TABLES = {"keno-1": "keno-express", "blackjack-1": "blackjack"}


class StillClock(SettableClock):
    """A clock that only the test moves, so that no date depends on how often the service reads it."""

    def moment(self) -> datetime:
        """The date."""
        return self.date


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
        # Its id is a new one each time.
        assert answer.text.replace(answer.headers["X-Request-Id"], "5c1e9a07d3b64f82") == call.answer


def test_the_description_has_the_pages_examples() -> None:
    """All of them, at their calls and statuses; `python -m tests.described` writes the file anew."""
    assert FILE.read_text("utf-8") == written()
    shown = examples()
    assert shown.keys() <= {operation["operationId"] for operation in OPERATIONS}
    for operation in OPERATIONS:
        for what, values in shown.get(operation["operationId"], {}).items():
            place = operation["requestBody"] if what == "body" else operation["responses"][what]
            (content,) = place["content"].values()
            assert [each["value"] for each in content["examples"].values()] == values


def test_every_example_is_as_described() -> None:
    """Each is valid by the schema that stands beside it."""
    checked = 0
    for content in contents(DOCUMENT["paths"]):
        schema = {**content["schema"], "components": DOCUMENT["components"]}
        for example in content.get("examples", {}).values():
            Draft202012Validator(schema).validate(example["value"])
            checked += 1
    of_calls = (examples().get(operation["operationId"], {}) for operation in OPERATIONS)
    assert checked == sum(len(values) for found in of_calls for values in found.values())


def contents(value: object) -> Iterator[dict[str, Any]]:
    """All bodies and answers of the description that have a schema."""
    if isinstance(value, dict):
        if "schema" in value and "name" not in value:
            yield value
        for each in value.values():
            yield from contents(each)
    elif isinstance(value, list):
        for each in value:
            yield from contents(each)
