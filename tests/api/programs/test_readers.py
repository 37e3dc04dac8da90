"""Machines that answer the public from the published log and the database, each with an empty folder of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
import urllib3

from tests.support.postgres import PASSWORD, PostgresServer
from tests.support.running_service import (
    PATIENCE_SECONDS,
    RunningService,
    family_of,
    free_port,
    kill,
    running_service,
    wait_until,
)
from tests.support.web_servers import static_log

TABLE = "keno-1"


@dataclass(frozen=True, slots=True)
class Reader:
    """A running reader."""

    url: str
    folder: Path

    def get(self, path: str) -> urllib3.BaseHTTPResponse:
        """The answer to a path."""
        return urllib3.request("GET", self.url + path, retries=False, timeout=PATIENCE_SECONDS)

    def has(self, path: str) -> bool:
        """Whether there is something at a path."""
        return self.get(path).status == 200


@contextmanager
def reader(folder: Path, service: RunningService, log: str) -> Iterator[Reader]:
    """``foredraw serve --public-only`` with nothing but the log's address and key, and a database that it only reads."""
    port = free_port()
    environment = {name: value for name, value in service.environment().items() if name != "FOREDRAW_DATA"}
    address = f"{environment['FOREDRAW_DATABASE']}?options=-c%20default_transaction_read_only%3Don"
    environment |= {"FOREDRAW_DATABASE": address, "FOREDRAW_LOG": log, "FOREDRAW_LOG_KEY": str(service.key)}
    arguments = ["--data", str(folder), "serve", "--public-only", "--workers", "1", "--port", str(port)]
    output = folder.with_name(f"{folder.name}.output")
    with output.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "api.programs.cli", *arguments],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
    made = Reader(f"http://127.0.0.1:{port}", folder)

    def is_ready() -> bool:
        assert process.poll() is None, output.read_text("utf-8")
        try:
            return made.get("/health/ready").status == 200
        except urllib3.exceptions.HTTPError:
            return False

    try:
        wait_until(is_ready, "the reader to answer")
        yield made
        assert PASSWORD not in output.read_text("utf-8")
        assert "Traceback" not in output.read_text("utf-8")
    finally:
        for pid in family_of(process.pid):
            kill(pid, signal.SIGKILL)
        process.wait(PATIENCE_SECONDS)


@pytest.mark.nightly("three services")
def test_two_readers_show_what_is_played(tmp_path: Path, postgres: PostgresServer) -> None:
    """One reads the log from the service, one from nginx; rounds, proofs, pages and audits are the same on either."""
    with ExitStack() as running:
        service = running.enter_context(
            running_service(tmp_path / "data", {TABLE: "keno-express"}, database=postgres.new_database())
        )
        service.play(TABLE, 1)
        nginx = running.enter_context(static_log(tmp_path / "nginx", service.folder))
        readers = [
            running.enter_context(reader(tmp_path / f"reader-{number}", service, address))
            for number, address in enumerate((f"{service.url}/log", nginx))
        ]
        for number in (2, 3):
            revealed = service.play(TABLE, number).document
            for each in readers:
                path = f"/v1/tables/{TABLE}/rounds/{number}"
                wait_until(partial(each.has, f"{path}/proof"), "the proof")
                assert each.get(path).json() == service.get(path).document
                assert each.get(path).json()["code"] == revealed["code"]
        for each in readers:
            for path in (
                "/",
                f"/tables/{TABLE}",
                f"/tables/{TABLE}/rounds/3",
                "/v1/tables",
                "/verify",
                "/log/checkpoint",
            ):
                assert each.get(path).status == 200, path
            assert each.get("/ops").status == 404
            assert each.get("/log/tile/0/000").status == 404
            done = subprocess.run(
                [sys.executable, "-m", "verifier", "audit", f"{each.url}/log", "--key", str(service.key)],
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stdout + done.stderr
            # Nothing of the service came here: no key, no seed, no log.
            assert not {"keys", "custodian", "log", "foredraw.db"} & {file.name for file in each.folder.iterdir()}
        # The service stops: what was published is shown as before by the one that reads it from nginx.
        service.stop()
        assert readers[1].get(f"/v1/tables/{TABLE}/rounds/3/proof").status == 200
        wait_until(lambda: readers[0].get("/health/ready").status == 503, "the reader to say it")
        assert any("cannot be read" in sentence for sentence in readers[0].get("/health/ready").json()["wrong"])
        assert readers[0].get("/log/checkpoint").status == 200


PLACE = "db.example/foredraw"


@pytest.mark.parametrize(
    ("variables", "options", "said"),
    [
        ({}, ["--public-only"], "set FOREDRAW_LOG, FOREDRAW_LOG_KEY and FOREDRAW_DATABASE"),
        ({"FOREDRAW_LOG": "https://casino.example/log", "FOREDRAW_LOG_KEY": "KEY"}, [], "add --public-only"),
        ({"FOREDRAW_LOG": "https://casino.example/log"}, [], "FOREDRAW_LOG_KEY: expected the log's key"),
        (
            {"FOREDRAW_DATABASE": f"postgresql://{PLACE}", "FOREDRAW_CUSTODIAN": f"postgresql://other@{PLACE}"},
            [],
            f"both name the database {PLACE}",
        ),
        ({"FOREDRAW_LOG": "ftp://casino.example"}, [], "FOREDRAW_LOG: expected the published log's address"),
    ],
)
def test_settings_that_go_together(tmp_path: Path, variables: dict[str, str], options: list[str], said: str) -> None:
    """A machine reads the log or writes it, never both; the refusal says what to set."""
    key = "fore.example/log+3391d0f1+AZuKtTtiquV2gpdd5ZCyfcWsBuafGyFX/vPhMeFCDSpj"
    chosen = {name: key if value == "KEY" else value for name, value in variables.items()}
    done = subprocess.run(
        [sys.executable, "-m", "api.programs.cli", "--data", str(tmp_path), "serve", *options],
        env={**os.environ, **chosen},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert said in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
