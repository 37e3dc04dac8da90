"""Traces of a whole demo, as a collector of OpenTelemetry receives them; and that there are none unless they are
asked for.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from api.access.tokens import ALL_TABLES, Role, create_token
from api.settings import SettingsError
from api.traces import TRACES, is_traced
from tests.support.calls import as_sent
from tests.support.running_service import Answer, RunningService, opened, wait_until
from tests.support.unreleased import found_in, unreleased

MINE = "mine"
LOCK = "POST /v1/engine/tables/<table>/rounds/<number>/lock"
ENGINES_TRACE = "0af7651916cd43dd8448eb211c80319c"
VALUES = {
    "http.request.method": "GET|HEAD|POST|other",
    "http.route": r"(/[a-z0-9._<>:-]*)+",
    "http.response.status_code": r"\d{3}",
    "foredraw.request": "[0-9a-f]{16}",
    "foredraw.table": "[a-z0-9-]{1,32}",
    "foredraw.round": r"\d{1,15}",
    "db.system.name": "sqlite",
    "records": r"\d+",
    "witness": "[a-z0-9./-]+",
    "server.address": "127.0.0.1",
    "error.type": "[A-Za-z]+",
}
"""Every attribute that there is, and what it may be."""


@dataclass
class Collector:
    """Receives spans by OTLP over HTTP, as any collector does."""

    url: str
    bodies: list[bytes] = field(default_factory=list)

    @property
    def spans(self) -> list[Span]:
        """All so far."""
        requests = [ExportTraceServiceRequest.FromString(body) for body in list(self.bodies)]
        return [
            span
            for request in requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def of_request(self, answer: Answer) -> Span | None:
        """The span of a request, by the id in its answer."""
        wanted = answer.headers["X-Request-Id"]
        return next((span for span in self.spans if attributes(span).get("foredraw.request") == wanted), None)


def attributes(span: Span) -> dict[str, str]:
    """Those of a span, as text."""
    found = {}
    for pair in span.attributes:
        kind = pair.value.WhichOneof("value")
        assert kind in {"string_value", "int_value"}, pair
        found[pair.key] = str(getattr(pair.value, str(kind)))
    return found


@contextmanager
def collector() -> Iterator[Collector]:
    """A running one."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert (self.path, self.headers["Content-Type"]) == ("/v1/traces", "application/x-protobuf")
            made.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        made = Collector(f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield made
        finally:
            server.shutdown()
            thread.join()


@dataclass
class Traced:
    """A demo with a beacon and witnesses, whose programs trace, and an engine's calls at a table of its own."""

    service: RunningService
    collector: Collector

    def call(self, number: int, action: str, **headers: str) -> Answer:
        """One call, until it has a final answer."""
        answers: list[Answer] = []

        def is_final() -> bool:
            path = f"/v1/engine/tables/{MINE}/rounds/{number}/{action}"
            sent = {**self.service.bearer, **headers}
            answers.append(
                self.service.call("POST", path, as_sent(path, None), headers=sent, url=self.service.engine_url)
            )
            return answers[-1].status == 200

        wait_until(is_final, f"{action} of round {number}")
        return answers[-1]


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Traced]:
    """Its dealer waits."""
    with collector() as receiver:
        variables = {
            TRACES: "otlp",
            "FOREDRAW_LOG_FORMAT": "json",
            "OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url,
            "OTEL_BSP_SCHEDULE_DELAY": "100",
        }
        folder = tmp_path_factory.mktemp("traces") / "data"
        # The demo's dealer opens a round at each table, and does nothing more in the next half an hour.
        options = ("--demo", "--pace", "3600", "--workers", "1", "--engine-workers", "1")
        service = RunningService(folder, "", 20, options, variables=variables)
        try:
            service.start()
            assert service.foredraw("table", "add", MINE, "crash").returncode == 0
            with opened(service.settings) as inside:
                service.token = create_token(inside.database, inside.clock, "all", Role.ENGINE, [ALL_TABLES])
            wait_until(
                lambda: service.get(f"/v1/tables/{MINE}/rounds/1").document.get("status") == "open", "the dealer"
            )
            yield Traced(service, receiver)
        finally:
            service.clean_up()


@pytest.mark.nightly("a service and a collector of its own")
def test_every_kind_of_work_is_traced(traced: Traced) -> None:
    """Requests, the database's part of them, publication, witnesses and relays: by all programs of the service."""
    traced.call(1, "open")
    wanted = {"database read", "database write", "publish records", "ask a witness", "ask a relay"}
    wait_until(lambda: wanted <= {span.name for span in traced.collector.spans}, "every kind of span")


@pytest.mark.nightly("a service and a collector of its own")
def test_a_request_is_one_trace_and_belongs_to_the_engines_own(traced: Traced) -> None:
    """All that a lock did is below its span; an engine's ``traceparent`` is above it, and a stranger's is ignored."""
    locked = traced.call(1, "lock", traceparent=f"00-{ENGINES_TRACE}-b7ad6b7169203331-01")
    wait_until(lambda: traced.collector.of_request(locked) is not None, "the span of the lock")
    span = traced.collector.of_request(locked)
    assert span is not None
    assert (span.name, span.kind) == (LOCK, Span.SPAN_KIND_SERVER)
    assert attributes(span).items() >= {("foredraw.table", MINE), ("foredraw.round", "1")}
    assert (span.trace_id.hex(), span.parent_span_id.hex()) == (ENGINES_TRACE, "b7ad6b7169203331")
    parts = [other for other in traced.collector.spans if other.parent_span_id == span.span_id]
    assert "database write" in {part.name for part in parts}
    assert {part.trace_id for part in parts} == {span.trace_id}
    assert all(span.start_time_unix_nano <= part.start_time_unix_nano for part in parts)
    stranger = traced.service.get("/v1/tables", headers={"traceparent": f"00-{ENGINES_TRACE}-b7ad6b7169203331-01"})
    wait_until(lambda: traced.collector.of_request(stranger) is not None, "the span of a stranger's call")
    found = traced.collector.of_request(stranger)
    assert found is not None
    assert found.trace_id.hex() != ENGINES_TRACE
    assert not found.parent_span_id


@pytest.mark.nightly("a service and a collector of its own")
def test_no_span_has_a_secret(traced: Traced) -> None:
    """Every attribute is one that is meant to be there, with a value of its form: no address, code, token, seed or
    outcome.
    """
    service = traced.service
    code = traced.call(1, "reveal").document["round_code"]
    traced.call(2, "open")
    outcome = traced.call(2, "lock").document["outcome"]["multiplier"]
    asked = [service.get(path) for path in (f"/v1/codes/{code}", f"/nowhere/{service.token}?token={service.token}")]
    wait_until(lambda: all(traced.collector.of_request(answer) for answer in asked), "the spans of what was asked")
    spans = traced.collector.spans
    for span in spans:
        assert not span.events
        assert not span.status.message
        for name, value in attributes(span).items():
            assert re.fullmatch(VALUES[name], value), (span.name, name, value)
            assert value != outcome
    everything = b"".join(traced.collector.bodies)
    assert MINE.encode() in everything
    tables = [name for (name,) in service.query("SELECT name FROM tables")]
    assert not found_in(unreleased(service, tables), everything)
    for secret in (service.token, code, code.replace("-", "")):
        assert secret.encode() not in everything


@pytest.mark.nightly("waits for a collector that does not answer")
def test_a_collector_that_is_away_holds_up_nothing() -> None:
    """The library says so, with neither the address's password nor the header's token, and the program ends by
    itself.
    """
    program = "from api import traces\nwith traces.span('work'): print('worked')"
    environment = {
        TRACES: "otlp",
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://somebody:a-passw0rd@127.0.0.1:9",
        "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20a-t0ken",
        "OTEL_EXPORTER_OTLP_TIMEOUT": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "worked\n")
    assert "Failed to export" in done.stderr
    assert not re.search("passw0rd|t0ken", done.stderr)


def test_without_the_setting_nothing_of_the_library_is_imported() -> None:
    """By no program of the service; the functions that would make spans make none."""
    program: Any = """
import sys
import api.programs.background.run, api.programs.cli, api.server.hooks
from api import traces
with traces.span("work"), traces.question("relay", "http://127.0.0.1"), traces.request_span(None):
    pass
traces.check()
assert not [name for name in sys.modules if name.startswith("opentelemetry")]
"""
    environment = {name: value for name, value in os.environ.items() if name != TRACES}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_setting_is_off_or_otlp(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Anything else is refused with what is expected; so is a library that is not there, before the service
    starts.
    """
    monkeypatch.setenv(TRACES, "jaeger")
    with pytest.raises(SettingsError, match="FOREDRAW_TRACES: expected off or otlp, found jaeger"):
        is_traced()
    (tmp_path / "opentelemetry.py").write_text("")
    done = subprocess.run(
        [sys.executable, "-m", "api.programs.cli", "--data", tmp_path / "data", "serve", "--demo"],
        env={**os.environ, TRACES: "otlp", "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr == (
        "Error: FOREDRAW_TRACES=otlp needs OpenTelemetry's library: install requirements/traces.txt, or foredraw[traces]\n"
    )
