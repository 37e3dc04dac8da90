"""What must not be known early cannot be read anywhere: on disk, over HTTP, or in printed output."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from api.custody.keys import load_seeds_key
from api.log.keys import load_signing_key
from api.rounds.seeds import chain_of
from api.store.tables import SCHEMA
from fairness.hashing import sha256
from fairness.records.record import RevealRecord
from tests.support.http import spoken
from tests.support.running_service import RunningService, opened, running_service, wait_until
from tests.support.tokens import UNKNOWN
from tests.support.unreleased import found_in, unreleased

FLYING, OPEN, CLOSED, BUSY = "crash-1", "rocketon-1", "keno-closed", "keno-1"
TABLES = {FLYING: "crash", OPEN: "rocketon", CLOSED: "keno-express", BUSY: "keno-express", "penalty-1": "penalty"}


@dataclass(frozen=True, slots=True)
class Busy:
    """A service with rounds of every kind, and the secrets that must not be found anywhere."""

    service: RunningService
    unreleased: list[bytes]
    released: list[bytes]
    public: bytes
    """Every answer that somebody without a token received, including headers."""


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Busy]:
    """A service after a busy hour: played, void, open and locked rounds, errors, a closed table, a restart."""
    with running_service(
        tmp_path_factory.mktemp("secrets") / "data", TABLES, variables={"FOREDRAW_LOG_FORMAT": "json"}
    ) as service:
        for number in range(1, 15):
            service.play(BUSY, number)
        for number in (1, 2, 3):
            service.play("penalty-1", number)
            service.act(CLOSED, number, "void", {"reason": "engine failure"})
        assert service.foredraw("table", "close", CLOSED).returncode == 0
        service.act(OPEN, 1, "open")
        service.act(FLYING, 1, "open")
        service.act(FLYING, 1, "lock")
        service.act(FLYING, 2, "open")
        provoke_errors(service)
        service.settle()
        assert service.stop() == 0
        service.start()
        first = len(service.answers)
        public = b"".join(look_around(service))
        assert all(answer.method == "GET" for answer in service.answers[first:])
        records = service.table_records()
        released = [
            bytes.fromhex(seed) for record in records if isinstance(record, RevealRecord) for seed in record.seeds
        ]
        yield Busy(service, unreleased(service, TABLES), released, public)


def provoke_errors(service: RunningService) -> None:
    """Make calls that are refused, some of them about locked rounds."""
    for path in ("open", "reveal", "lock", "void"):
        service.act(FLYING, 2, path, {"reason": "x"} if path == "void" else None)
        service.act(FLYING, 3, path, b"no JSON")
        service.act("nowhere", 1, path)
        service.post(f"/v1/engine/tables/{FLYING}/rounds/1/{path}", token=UNKNOWN)
    service.act(FLYING, 1, "lock", {"bets": {"count": 1, "root": "00" * 32}})
    spoken(service.port, b"GET / HTTP/1.1\r\nno header\r\n\r\n")


def look_around(service: RunningService) -> Iterator[bytes]:
    """Read everything that is available without a token."""
    paths = ["/", "/v1/tables", "/v1/log/key", "/openapi.json", "/health/live", "/health/ready"]
    for table in TABLES:
        paths += [f"/v1/tables/{table}", f"/v1/tables/{table}/rounds?limit=500"]
        paths += [f"/v1/tables/{table}/rounds/{number}" for number in range(1, 60)]
    log = service.settings.log
    paths += [f"/log/{file.relative_to(log)}" for file in log.rglob("*") if file.is_file()]
    for path in paths:
        answer = service.get(path)
        yield json.dumps(dict(answer.headers)).encode() + answer.data


def on_disk(service: RunningService, *without: str) -> dict[str, bytes]:
    """Every file of the folder, except those below some of its folders."""
    files = (file for file in service.folder.rglob("*") if file.is_file())
    return {
        str(file.relative_to(service.folder)): file.read_bytes()
        for file in files
        if file.relative_to(service.folder).parts[0] not in without
    }


def test_the_search_finds_what_is_released(busy: Busy) -> None:
    """The seeds of ended rounds are public, in the log and over HTTP, and are found: so the tests below would find
    others.
    """
    assert len(busy.unreleased) > 100
    assert len(busy.released) == 20
    assert all(found_in([seed], busy.public) for seed in busy.released)
    bundles = b"".join(data for path, data in on_disk(busy.service).items() if path.startswith("log/tile/entries"))
    assert all(found_in([seed], bundles) for seed in busy.released)


def test_no_file_holds_an_unreleased_seed(busy: Busy) -> None:
    """Neither the database with its write-ahead log, nor the log, nor the custodian's own store, in any form."""
    files = on_disk(busy.service)
    assert {"custodian/seeds.db", "log/checkpoint"} <= files.keys()
    if busy.service.database is None:
        assert {"foredraw.db", "foredraw.db-wal"} <= files.keys()
    else:
        for name, table in SCHEMA.tables.items():
            values = (value for row in busy.service.query(str(table.select())) for value in row)
            files[name] = b"\n".join(value if isinstance(value, bytes) else str(value).encode() for value in values)
    for path, data in files.items():
        assert not found_in(busy.unreleased, data), path


def test_no_process_printed_a_secret(busy: Busy) -> None:
    """Standard output and error of all processes, including warnings and tracebacks."""
    service = busy.service
    wait_until(lambda: "malformed requests: " in service.output, "the line about them")
    output = service.output.encode()
    secrets = [*busy.unreleased, load_seeds_key(service.settings), load_signing_key(service.settings).secret]
    assert not found_in(secrets, output)
    assert service.token.encode() not in output


def test_no_message_has_an_outcome(busy: Busy) -> None:
    """Of no round, revealed or not: the messages name rounds and calls, and no result."""
    locked = busy.service.act(FLYING, 1, "lock").document["outcome"]["multiplier"]
    assert f'"{locked}"' not in busy.service.output
    assert not re.search(r"outcome|multiplier|sector|\bcode\b.{0,4}crash1", busy.service.output)


def test_each_message_is_a_line_of_json_with_its_request(busy: Busy) -> None:
    """Beside what `serve` prints for its user; each call of this test has an id, in the answer and in the
    messages.
    """
    service = busy.service
    printed = [line for line in service.output.splitlines() if not line.startswith("{")]
    assert {re.sub(r"https?://\S+|/\S+", "…", line) for line in printed} <= {
        f"Foredraw runs at … for engines at 127.0.0.1:{service.engine_port} (Ctrl-C ends it).",
        "Every round that has ended can be checked:",
        "Foredraw has stopped; the next start goes on where it was.",
        *(re.sub(r"https?://\S+|/\S+", "…", line) for line in printed if line.startswith("  ")),
    }
    secret = "fde_in-the-address"
    calls = [
        (service.get(f"/v1/tables/{BUSY}/rounds/3"), "/v1/tables/<table>/rounds/<number>", 200),
        (service.get(f"/v1/tables/{secret}"), "/v1/tables/<table>", 404),
        (service.get(f"/nowhere/{secret}?token={secret}"), None, 404),
        (service.act(BUSY, 20, "open"), "/v1/engine/tables/<table>/rounds/<number>/open", 409),
        (
            service.post(f"/v1/engine/tables/{BUSY}/rounds/1/open", token=secret),
            "/v1/engine/tables/<table>/rounds/<number>/open",
            401,
        ),
    ]
    # A message is written after its answer, by a thread of its own.
    asked = {answer.headers["X-Request-Id"] for answer, _, _ in calls}
    wait_until(lambda: asked <= {line["request"] for line in requests(service)}, "the messages of these calls")
    lines = requests(service)
    by_id = {line["request"]: line for line in lines}
    for answer, route, status in calls:
        line = by_id[answer.headers["X-Request-Id"]]
        assert (line["route"], line["status"], answer.status) == (route, status, status)
    assert by_id[calls[0][0].headers["X-Request-Id"]]["table"] == BUSY
    assert secret not in service.output
    assert len(by_id) == len(lines)


def requests(service: RunningService) -> list[dict[str, Any]]:
    """The messages about calls, of all whole lines that it has printed."""
    lines = [json.loads(line) for line in service.output.rpartition("\n")[0].splitlines() if line.startswith("{")]
    assert all({"time", "level", "logger", "process", "message"} <= line.keys() for line in lines)
    return [line for line in lines if line["logger"] == "foredraw.requests"]


def test_nobody_without_a_token_reads_a_secret(busy: Busy) -> None:
    """All public answers and their headers: no seed, no key, no token."""
    service = busy.service
    secrets = [*busy.unreleased, load_seeds_key(service.settings), load_signing_key(service.settings).secret]
    assert not found_in(secrets, busy.public)
    assert service.token.encode() not in busy.public


def test_an_engine_reads_no_seed_before_the_reveal(busy: Busy) -> None:
    """The engine, too, learns from all answers and errors only the outcomes of its own locked rounds."""
    everything = b"".join(answer.data for answer in busy.service.answers)
    assert not found_in(busy.unreleased, everything)


def test_the_outcome_of_a_locked_round_is_written_nowhere(busy: Busy) -> None:
    """During a flight no row, record or public answer has its outcome, although its engine knows it."""
    service = busy.service
    locked = service.act(FLYING, 1, "lock").document
    assert locked["outcome"].keys() == {"multiplier"}
    for number, status in ((1, "locked"), (2, "open")):
        columns = 'SELECT status, outcome, seeds, code FROM rounds WHERE "table" = ? AND round = ?'
        assert service.query(columns, FLYING, number) == [(status, None, None, None)]
        shown = service.get(f"/v1/tables/{FLYING}/rounds/{number}").document
        assert shown.keys() == {"table", "table_id", "round", "status", "commitments", "batch", "batch_id"}
    reveals = [record for record in service.table_records() if isinstance(record, RevealRecord)]
    assert FLYING not in {record.table for record in reveals}
    assert b'"outcome"' not in service.get(f"/v1/tables/{FLYING}/rounds?limit=500").data
    page = service.get("/").data.decode()
    section = re.search(rf"<h2[^>]*>(?:<a[^>]*>)?{FLYING}\b.*?</section>", page, re.DOTALL)
    assert section
    assert locked["outcome"]["multiplier"] not in section[0]


def test_the_keys_stand_in_their_own_files_only(busy: Busy) -> None:
    """Neither the signing key nor the key of the seeds appears outside its file in any form."""
    service = busy.service
    signing, seeds = load_signing_key(service.settings), load_seeds_key(service.settings)
    own = on_disk(service, "log", "custodian")
    assert found_in([seeds], own["keys/seed-encryption.key"])
    assert signing.secret_text().encode() in own["keys/log-signing.key"]
    for path, data in on_disk(service, "keys").items():
        assert not found_in([signing.secret, b"\x01" + signing.secret, seeds], data), path


def test_tokens_are_stored_as_hashes_only(busy: Busy) -> None:
    """Whoever reads the database cannot call as an engine."""
    service = busy.service
    ((digest,),) = service.query("SELECT digest FROM tokens WHERE name = 'all'")
    assert digest == sha256(service.token.encode()).hex()
    for path, data in on_disk(service).items():
        assert service.token.encode() not in data, path
        assert service.token.removeprefix("fde_").encode() not in data, path


def test_no_value_shows_its_secret_when_it_is_printed(busy: Busy) -> None:
    """Every object with a secret, by repr and str, as in a log line or a debugger."""
    service = busy.service
    signing = load_signing_key(service.settings)
    with opened(service.settings) as inside:
        state = service.queued_state(BUSY)
        chain = inside.custodian._chain(chain_of(state, state.batches[0]))
        held = [
            inside,
            inside.custodian,
            inside.custodian._cipher,
            chain,
            signing,
            service.settings,
            inside.publication,
        ]
        shown = "".join(f"{value!r}{value!s}" for value in held).encode()
    assert not found_in([*busy.unreleased, signing.secret, load_seeds_key(service.settings)], shown)


def test_what_is_released_is_released_by_the_log(busy: Busy) -> None:
    """The database's columns of seeds have exactly what the published records say, and no seed of another round."""
    service = busy.service
    stored = service.query('SELECT "table", round, seeds, outcome FROM rounds WHERE seeds IS NOT NULL')
    records = service.table_records()
    logged = {(r.table, r.round): (r.seeds, r.outcome) for r in records if isinstance(r, RevealRecord)}
    assert {(name, n): (json.loads(seeds), json.loads(outcome)) for name, n, seeds, outcome in stored} == logged


def test_the_log_folder_holds_nothing_but_the_log(busy: Busy) -> None:
    """A mirror copies only files that the specification names, and no leftover of a write."""
    log = Path(busy.service.settings.log)
    names = {file.relative_to(log).parts[0] for file in log.rglob("*") if file.is_file()}
    assert names == {"checkpoint", "commitments", "find", "paytables", "tile"}
    left = [file for file in log.rglob("*") if file.name.endswith(".new") or file.name.startswith(".")]
    # Of the sequencer that leads (`api.log.leadership`).
    assert left == [log / ".unfinished"] * (busy.service.database is not None)
