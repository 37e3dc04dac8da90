"""Proof files over HTTP: the same bytes as from the public log, at every stage of a round."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from api.http.answers import A_SECOND
from api.problems import Code
from api.rounds.tables import add_table
from api.server.app import create_app
from fairness.log.checkpoints import Checkpoint
from fairness.round.proof import RoundProof
from tests.support.alike_tables import ALIKE, alike_tables
from tests.support.http import is_problem
from tests.support.running_service import RunningService
from tests.support.shared_services import SharedServices
from verifier.round.proof_check import check_proof
from verifier.round.proving import complete_receipt, prove_code, prove_number
from verifier.sources.source import FolderSource, HttpSource

_HEADERS = ("Content-Type", "Content-Disposition", "Cache-Control", "Access-Control-Allow-Origin", "Content-Length")
CRASH = "proofs-crash-1"
TABLES = {CRASH: "crash", "proofs-keno-1": "keno-express", "proofs-sic-bo-1": "sic-bo"}


@pytest.fixture(scope="module", name="service")
def _service(shared_service: SharedServices) -> RunningService:
    """The shared service."""
    return shared_service.with_tables(TABLES)


def address(table: str, number: int | str) -> str:
    return f"/v1/tables/{table}/rounds/{number}/proof"


def proof(service: RunningService, table: str, number: int) -> bytes:
    """The service's file, checked to be the same as the verifier's from the same checkpoint."""
    service.settle()
    table_id = bytes.fromhex(service.get(f"/v1/tables/{table}").document["table_id"])
    answer = service.get(address(table, number))
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{table}-round-{number}.proof"'
    assert answer.headers["Cache-Control"] == A_SECOND
    assert service.get(address(table, number), headers={"If-None-Match": answer.headers["ETag"]}).status == 304
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    served, _ = prove_number(HttpSource(f"{service.url}/log"), service.key, table_id, number)
    copied, _ = prove_number(FolderSource(service.settings.log), service.key, table_id, number)
    assert answer.data == served == copied
    for digits in (table_id.hex()[:8], table_id.hex()[:9], table_id.hex()):
        by_code = service.get(f"/v1/proofs/{digits}/{number}")
        assert (by_code.status, by_code.data) == (200, answer.data)
        assert {name: by_code.headers[name] for name in _HEADERS} == {name: answer.headers[name] for name in _HEADERS}
    return answer.data


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.removeprefix("proofs-"))
def test_every_stage_of_a_round_has_its_file(service: RunningService, table: str) -> None:
    """The API and the verifier make the same bytes; an early receipt is completed later."""
    key, kept = service.key, [proof(service, table, 2)]
    service.play(table, 1)
    kept.append(proof(service, table, 2))
    service.act(table, 2, "open")
    service.act(table, 2, "lock")
    kept.append(proof(service, table, 2))
    code = service.act(table, 2, "reveal").document["round_code"]
    kept.append(proof(service, table, 2))
    assert [check_proof(data, key).stage for data in kept] == ["committed", "committed", "locked", "ended"]
    commitments = service.get(f"/v1/tables/{table}/rounds/2").document["commitments"]
    source = HttpSource(f"{service.url}/log")
    for data in kept:
        assert list(check_proof(data, key).commitments) == commitments
        assert complete_receipt(source, key, data)[0] == kept[-1]
    assert prove_code(source, key, code)[0] == kept[-1]


def test_a_file_is_sound_while_the_log_grows(service: RunningService) -> None:
    """Each answer is based on one checkpoint, whatever is written meanwhile."""
    key = service.key
    first = service.get(f"/v1/tables/{CRASH}").document["next_round"]

    def play() -> None:
        for number in range(first, first + 15):
            service.play(CRASH, number)

    def look(number: int) -> int:
        report = check_proof(service.get(address(CRASH, number)).data, key)
        return report.checkpoint.size

    with ThreadPoolExecutor(5) as pool:
        playing = pool.submit(play)
        sizes = list(pool.map(look, [first + at % 20 for at in range(200)]))
        playing.result()
    assert len(set(sizes)) > 1


def test_what_is_not_there_is_a_problem(service: RunningService) -> None:
    """An unknown table or round, another spelling of a number, another method."""
    for table, number, code in (
        ("nowhere", "1", Code.UNKNOWN_TABLE),
        (CRASH, "999999", Code.UNKNOWN_ROUND),
        (CRASH, str((1 << 48) - 1), Code.UNKNOWN_ROUND),
        (CRASH, "0", Code.MALFORMED_NUMBER),
        (CRASH, "01", Code.MALFORMED_NUMBER),
        (CRASH, str(1 << 48), Code.MALFORMED_NUMBER),
        (CRASH, "%2B1", Code.MALFORMED_NUMBER),
    ):
        is_problem(service.get(address(table, number)), code)
    is_problem(service.call("POST", address(CRASH, 1)), Code.METHOD_NOT_ALLOWED)


def test_what_no_code_has_is_a_problem(service: RunningService) -> None:
    """Too few digits or too many, others than lower-case hexadecimal ones, an unknown table or round; no other
    method.
    """
    table_id = service.get(f"/v1/tables/{CRASH}").document["table_id"]
    other = table_id[:-1] + ("0" if table_id[-1] != "0" else "1")
    strange = [table_id[:7], table_id + "0", "ABCDEF01", "0x123456", "%D9%A0" * 8, table_id[:8] + "%00", CRASH]
    for digits in (*strange, "00000000", other):
        is_problem(service.get(f"/v1/proofs/{digits}/1"), Code.UNKNOWN_TABLE)
    is_problem(service.get(f"/v1/proofs/{table_id[:8]}/999999"), Code.UNKNOWN_ROUND)
    is_problem(service.get(f"/v1/proofs/{table_id[:8]}/01"), Code.MALFORMED_NUMBER)
    is_problem(service.call("POST", f"/v1/proofs/{table_id[:8]}/1"), Code.METHOD_NOT_ALLOWED)
    is_problem(service.get(f"/v1/proofs/{table_id[:8]}"), Code.NOT_FOUND)
    whole, head = service.get(f"/v1/proofs/{table_id[:8]}/1"), service.call("HEAD", f"/v1/proofs/{table_id[:8]}/1")
    assert (head.status, head.data) == (200, b"")
    assert {name: head.headers[name] for name in _HEADERS} == {name: whole.headers[name] for name in _HEADERS}


def test_ids_that_begin_alike_are_named(tmp_path: Path) -> None:
    """Never for all 64 digits; and a table that is not published yet is none."""
    with alike_tables(tmp_path / "data") as (made, ids):
        client = create_app(made.service).test_client()
        several = client.get(f"/v1/proofs/{ids[0][:8]}/1")
        assert (several.status_code, several.get_json()) == (300, {"table_ids": ids})
        assert (several.mimetype, several.headers["Cache-Control"]) == ("application/json", A_SECOND)
        assert several.headers["Access-Control-Allow-Origin"] == "*"
        assert client.head(f"/v1/proofs/{ids[0][:8]}/1").status_code == 300
        for name, table_id in zip(ALIKE, ids, strict=True):
            for digits in (table_id, table_id[:20]):
                answer = client.get(f"/v1/proofs/{digits}/1")
                assert answer.data == client.get(address(name, 1)).data
                assert RoundProof.parse(answer.data).table_name == name
        with made.background_paused():
            add_table(made.service.writer, "waits", "keno-express")
            waiting = made.state("waits").table_id.hex()
            assert client.get(f"/v1/proofs/{waiting}/1").get_json()["code"] == Code.UNKNOWN_TABLE.text


def test_a_file_is_of_a_checkpoint_that_was_published(service: RunningService) -> None:
    """It contains, verbatim, a note that the log served."""
    data = proof(service, CRASH, 1)
    note = service.get("/log/checkpoint").data
    assert RoundProof.parse(data).checkpoint == note
    assert check_proof(data, service.key).checkpoint == Checkpoint.open(note, service.key)
