"""Ids of requests: in every answer, in messages, and never a caller's in an answer."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from api.access.tokens import Role, create_token
from api.operations.health import Health
from api.present_request import present_request, request_id
from api.server.app import create_app, create_engine_app
from api.server.messages import FORMAT, JsonLines
from api.server.request_ids import HEADER
from tests.support.in_process_service import InProcessService

DRAW = "keno-1"
PUBLIC = ("/v1/live", "/v1/tables", "/v1/tables/none", "/v1/tables?a=1", "//", "/ops/login", "/health/ready", "/")


@pytest.fixture
def running(tmp_path: Path) -> Iterator[InProcessService]:
    """A service with a table."""
    made = InProcessService.create(tmp_path / "data", tables=[(DRAW, "keno-express")])
    yield made
    made.stop()


@pytest.fixture
def json_lines(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """What is written with ``FOREDRAW_LOG_FORMAT=json``: formatted at once, while the request lasts."""
    monkeypatch.setenv(FORMAT, "json")
    caplog.set_level(logging.INFO, "foredraw.requests")
    caplog.handler.setFormatter(JsonLines())
    return caplog


def ids_of(client: FlaskClient, *addresses: str, **headers: str) -> list[str]:
    return [client.get(address, headers=headers).headers[HEADER] for address in addresses]


def test_every_answer_has_an_id_of_its_own(running: InProcessService) -> None:
    """Of both listeners: feeds, pages, problems, answers that are repeated, and those without a token."""
    token = create_token(running.service.database, running.clock, "all", Role.ENGINE, ["*"])
    public = create_app(running.service, for_crowds=True).test_client()
    engine = create_engine_app(running.service).test_client()
    ids = ids_of(public, *PUBLIC, *PUBLIC)
    ids += ids_of(engine, "/v1/engine/tables", "/nowhere")
    ids += ids_of(engine, f"/v1/engine/tables/{DRAW}", "/nowhere", Authorization=f"Bearer {token}")
    tag = public.get("/v1/live").headers["ETag"]
    unchanged = public.get("/v1/live", headers={"If-None-Match": tag})
    assert unchanged.status_code == 304
    ids.append(unchanged.headers[HEADER])
    assert all(len(identifier) == 16 and int(identifier, 16) >= 0 for identifier in ids)
    assert len(set(ids)) == len(ids)
    assert request_id() is None


def test_a_callers_id_is_in_the_messages_alone(
    running: InProcessService, json_lines: pytest.LogCaptureFixture
) -> None:
    """Beside ours, which is another one."""
    public = create_app(running.service).test_client()
    answer = public.get("/v1/tables", headers={HEADER: "of-my-own-7"})
    assert "of-my-own-7" not in str(answer.headers) + answer.text
    line = json.loads(json_lines.text)
    assert (line["request"], line["caller"]) == (answer.headers[HEADER], "of-my-own-7")


@pytest.mark.parametrize(
    ("sent", "taken"),
    [
        ("a" * 7, False),
        ("a" * 8, True),
        ("-" * 64, True),
        ("a" * 65, False),
        ("fde_a9Z0a9Z0", False),
        ("two words", False),
        ("", False),
        ("\u0661" * 8, False),
    ],
)
def test_a_callers_id_is_spelled_like_one(
    sent: str, taken: bool, running: InProcessService, json_lines: pytest.LogCaptureFixture
) -> None:
    """8 to 64 letters, digits and hyphens: nothing that could be a token, or break a line."""
    public = create_app(running.service).test_client()
    public.get("/v1/tables", environ_overrides={"HTTP_X_REQUEST_ID": sent})
    line = json.loads(json_lines.text)
    assert line.get("caller") == (sent if taken else None)


def test_an_unexpected_error_can_be_found_by_its_id(
    running: InProcessService, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in messages for people: the answer says nothing else."""

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Health, "failures", fail)
    answer = create_app(running.service).test_client().get("/health/ready")
    assert answer.status_code == 500
    (record,) = [record for record in caplog.records if record.exc_info]
    assert record.getMessage() == f"an unexpected error in request {answer.headers[HEADER]}"
    assert present_request.get() is None
