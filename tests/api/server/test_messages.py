"""Messages as lines of JSON: their form, and the setting that asks for them."""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path

import pytest

from api.access.tokens import Role, create_token
from api.server.app import create_app, create_engine_app
from api.server.messages import FORMAT, JsonLines, is_json
from api.settings import SettingsError
from tests.support.commands import foredraw
from tests.support.in_process_service import InProcessService

DRAW = "keno-1"


def line_of(record: logging.LogRecord) -> dict[str, object]:
    found: dict[str, object] = json.loads(JsonLines().format(record))
    return found


def test_a_message_is_one_line_whatever_it_contains() -> None:
    """With its traceback, if it has one."""
    try:
        raise ValueError("two\nlines")
    except ValueError:
        record = logging.LogRecord("foredraw.api", logging.ERROR, "", 0, "what %s", ("a\nday",), sys.exc_info())
    assert "\n" not in JsonLines().format(record)
    line = line_of(record)
    assert (line["level"], line["logger"], line["message"]) == ("ERROR", "foredraw.api", "what a\nday")
    assert str(line["time"]).endswith("Z")
    assert "ValueError: two\nlines" in str(line["traceback"])
    assert "request" not in line


def test_a_line_is_json_on_a_stream_of_any_encoding() -> None:
    """Standard error escapes what it cannot encode as Python would, which is no JSON: so a line has only ASCII."""
    record = logging.LogRecord("foredraw.api", logging.ERROR, "", 0, "Երեւան", (), None)
    assert JsonLines().format(record).isascii()
    assert line_of(record)["message"] == "Երեւան"


def test_a_message_with_bytes_that_are_no_utf8_is_not_lost() -> None:
    """Python keeps those of a file's name as lone surrogates, which no JSON can have; the line shows them escaped."""
    name = b"a\xff\xc3\xa9".decode("utf-8", "surrogateescape")
    try:
        raise ValueError(name)
    except ValueError:
        record = logging.LogRecord("foredraw.api", logging.ERROR, "", 0, "what %s", (name,), sys.exc_info())
    record.fields = {"route": name}
    line = line_of(record)
    assert (line["message"], line["route"]) == ("what a\\udcff\u00e9", "a\\udcff\u00e9")
    assert str(line["traceback"]).endswith("ValueError: a\\udcff\u00e9")


def test_the_setting_is_text_or_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Anything else is refused with what is expected, on one line."""
    monkeypatch.delenv(FORMAT, raising=False)
    assert not is_json()
    monkeypatch.setenv(FORMAT, "text")
    assert not is_json()
    monkeypatch.setenv(FORMAT, "xml")
    with pytest.raises(SettingsError, match="FOREDRAW_LOG_FORMAT: expected text or json, found xml"):
        is_json()
    done = foredraw(tmp_path, "table", "list")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)


@pytest.mark.parametrize("chosen", ["text", "json"])
def test_requests_have_lines_in_json_only(
    chosen: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A line has the id of its answer. By default there is no line, and answers have ids all the same."""
    monkeypatch.setenv(FORMAT, chosen)
    caplog.set_level(logging.INFO, "foredraw.requests")
    running = InProcessService.create(tmp_path / "data", tables=[(DRAW, "keno-express")])
    token = create_token(running.service.database, running.clock, "all", Role.ENGINE, ["*"])
    public, engine = create_app(running.service).test_client(), create_engine_app(running.service).test_client()
    answers = [
        public.get("/v1/tables"),
        public.open("/v1/tables", method="BREW"),
        engine.post(f"/v1/engine/tables/{DRAW}/rounds/1/open", headers={"Authorization": f"Bearer {token}"}),
        engine.post(f"/v1/engine/tables/{DRAW}/rounds/1/open"),
    ]
    running.stop()
    lines = [line_of(record) for record in caplog.records if record.name == "foredraw.requests"]
    if chosen == "text":
        assert not lines
        assert len({answer.headers["X-Request-Id"] for answer in answers}) == len(answers)
        return
    assert [line["request"] for line in lines] == [answer.headers["X-Request-Id"] for answer in answers]
    assert [(line["method"], line["status"]) for line in lines] == [
        ("GET", 200),
        ("other", 405),
        ("POST", 200),
        ("POST", 401),
    ]
    assert (lines[2]["table"], lines[2]["number"]) == (DRAW, "1")
    assert token not in json.dumps(lines)
