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
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
import urllib3

from tests.support.log_server import answering
from tests.support.our_witness import LAB_KEY, serving_witness
from tests.support.postgres import PASSWORD, PostgresServer
from tests.support.running_service import (
    PATIENCE_SECONDS,
    RunningService,
    family_of,
    free_port,
    initialised,
    kill,
    running_service,
    wait_until,
    what_fails,
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

    def answers_alike(self, path: str, other: str) -> bool:
        """Whether two paths have the same content."""
        return self.get(path).data == self.get(other).data


@contextmanager
def reader(folder: Path, service: RunningService, log: str) -> Iterator[Reader]:
    """``foredraw serve --public-only`` with nothing but the log's address and key, and a database that it only
    reads.
    """
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
                digits = service.get(f"/v1/tables/{TABLE}").document["table_id"][:8]
                # Its processes read the log for themselves, so one may have a newer head for a moment.
                by_code = f"/v1/proofs/{digits}/{number}"
                wait_until(partial(each.answers_alike, by_code, f"{path}/proof"), "the same proof by the code")
                assert each.get(path).json()["round_code"] == revealed["round_code"]
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
        [sentence] = what_fails(readers[0].get("/health/ready").json())
        assert "does not answer with the files of" in sentence, sentence
        assert readers[0].get("/log/checkpoint").status == 200


@pytest.mark.nightly("a service and a reader")
def test_an_address_that_is_wrong_for_a_while(tmp_path: Path, postgres: PostgresServer) -> None:
    """It answers with a page: the reader says that this is the address's fault, shows what it knows, and recovers by
    itself.
    """
    with ExitStack() as running:
        service = running.enter_context(
            running_service(tmp_path / "data", {TABLE: "keno-express"}, database=postgres.new_database())
        )
        service.play(TABLE, 1)
        is_wrong = [False]

        def answer(handler: BaseHTTPRequestHandler) -> None:
            file = service.settings.log / handler.path.removeprefix("/log/")
            data = b"<!DOCTYPE html>" if is_wrong[0] else file.read_bytes() if file.is_file() else None
            handler.send_response(404 if data is None else 200)
            handler.send_header("Content-Length", str(len(data or b"")))
            handler.send_header("Connection", "close")
            handler.end_headers()
            handler.wfile.write(data or b"")

        address = running.enter_context(answering(answer)) + "/log"
        made = running.enter_context(reader(tmp_path / "reader", service, address))
        shown = f"/v1/tables/{TABLE}/rounds/1"
        before = made.get(shown).data
        is_wrong[0] = True
        service.play(TABLE, 2)
        wait_until(lambda: made.get("/health/ready").status == 503, "the reader to say it")
        [wrong] = what_fails(made.get("/health/ready").json())
        assert f"{address} (FOREDRAW_LOG) does not answer with the files of" in wrong
        assert "Look at this address" in wrong
        assert "not whole" not in wrong
        assert made.get(shown).data == before
        assert made.get(f"{shown}/proof").status == 503
        assert b"DOCTYPE" not in made.get("/log/tile/entries/000.p/2").data
        is_wrong[0] = False
        wait_until(lambda: made.get("/health/ready").status == 200, "the reader to recover")
        wait_until(partial(made.has, f"/v1/tables/{TABLE}/rounds/2/proof"), "the newer round")


@pytest.mark.nightly("a service, nginx and a reader")
def test_a_witness_may_read_through_a_reader(tmp_path: Path, postgres: PostgresServer) -> None:
    """It is asked before anything is published that a reader could judge; the reader passes that on, and keeps
    nothing of it.
    """
    with ExitStack() as running:
        service = initialised(tmp_path / "data", {TABLE: "keno-express"}, database=postgres.new_database())
        running.callback(service.clean_up)
        nginx = running.enter_context(static_log(tmp_path / "nginx", service.folder))
        service.start()
        service.settle()
        made = running.enter_context(reader(tmp_path / "reader", service, nginx))
        assert service.stop() == 0
        lab = running.enter_context(serving_witness(tmp_path / "witness", service.key, f"{made.url}/log"))
        policy = tmp_path / "policy"
        policy.write_text(f"log {service.key}\n{lab.policy_line}\nquorum {LAB_KEY.name}\n", "utf-8")
        service.variables = {"FOREDRAW_POLICY": str(policy)}
        service.start()
        for number in range(1, 6):
            service.play(TABLE, number)
        service.settle()
        unpublished = urllib3.request("GET", f"{made.url}/log/tile/0/000.p/255", retries=False)
        assert unpublished.status == 404
        assert service.stop() == 0
        assert "the log cannot be read" not in service.output


PLACE = "db.example/foredraw"


@pytest.mark.nightly(
    "starts a program for each setting", but="test_settings_that_go_together[variables1-options1-add --public-only]"
)
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
