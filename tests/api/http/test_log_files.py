"""The log's files over HTTP: as they are on disk, with the right caching, and nothing else."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from flask import Flask

from api.http.log_files import log_files
from api.parts import install_parts
from api.problems import Code
from api.server.app import create_app
from api.world.published.log_folder import LogFolder
from api.world.published.published_log import PublishedLog
from fairness.log.checkpoints import Checkpoint
from fairness.log.notes import VerifierKey, open_note
from fairness.log.tiles import AuthenticTiles
from fairness.records.record import BatchRecord, LockRecord, RevealRecord, aside_of, parse_record
from fairness.round.finding_aids import RoundPositions, TablePositions, place_in_file, rounds_path, tables_path
from tests.support.addresses import NOT_THERE
from tests.support.http import is_problem, spoken
from tests.support.in_process_service import InProcessService
from tests.support.running_service import ORIGIN, RunningService, running_service

TABLES = {f"keno-express-{i}": "keno-express" for i in range(1, 7)}
ROUNDS = 25
OF_EACH_KIND = (
    "checkpoint",
    f"commitments/00/{'0' * 64}",
    f"witnessed/00/{'0' * 64}",
    "tile/0/000",
    "tile/0/x001/000.p/7",
    "tile/entries/000",
    "find/tables/00/00000000",
    f"find/rounds/00/{'0' * 64}/000",
)
FOR_EVER, A_MOMENT = "public, max-age=31536000, immutable", "public, max-age=1"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service whose log has a full tile, a full bundle, and partial ones, and no longer changes."""
    with running_service(tmp_path_factory.mktemp("files") / "data", TABLES) as running:

        def play(table: str) -> None:
            for number in range(1, ROUNDS + 1):
                running.play(table, number)

        with ThreadPoolExecutor(len(TABLES)) as pool:
            list(pool.map(play, TABLES))
        running.settle()
        assert running.checkpoint().size > 256
        yield running


def files(service: RunningService) -> dict[str, Path]:
    """Every file of the log, by its path below ``/log/``."""
    log = service.settings.log
    return {str(file.relative_to(log)): file for file in sorted(log.rglob("*")) if file.is_file()}


def read(service: RunningService, path: str) -> bytes:
    """A file of the log, as a reader fetches it."""
    answer = service.get(f"/log/{path}")
    assert answer.status == 200, answer
    return answer.data


def test_every_file_is_served_as_it_is_on_disk(service: RunningService) -> None:
    """Bytes, content type and caching; the folder has files of each kind, and no others."""
    kinds = set()
    for path, file in files(service).items():
        answer = service.get(f"/log/{path}")
        assert (answer.status, answer.data) == (200, file.read_bytes())
        kind = "/".join(path.split("/")[: 2 if path.startswith(("tile", "find")) else 1])
        kinds.add(kind)
        lasting = kind in ("tile/0", "tile/1", "tile/entries", "commitments", "paytables")
        assert answer.headers["Cache-Control"] == (FOR_EVER if lasting else A_MOMENT)
        assert answer.media_type == ("text/plain" if path == "checkpoint" else "application/octet-stream")
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert "Set-Cookie" not in answer.headers
    of_tables = {"commitments", "paytables", "find/tables", "find/rounds"}
    assert kinds == {"checkpoint", "tile/0", "tile/1", "tile/entries"} | of_tables


def test_the_checkpoint_opens_with_the_published_key(service: RunningService) -> None:
    """A note signed by the key that the service names; its three lines are the origin, the size and the root."""
    key = VerifierKey.parse(service.get("/v1/log/key").document["vkey"])
    assert key == service.key
    lines = open_note(read(service, "checkpoint"), key).split("\n")
    assert (lines[0], int(lines[1]), len(lines)) == (ORIGIN, len(service.records()), 4)


def test_the_whole_log_is_read_and_proven_over_http(service: RunningService) -> None:
    """Every record of the log on disk, in order, proven by fetched tiles."""
    checkpoint = Checkpoint.open(read(service, "checkpoint"), service.key)
    tiles = AuthenticTiles(checkpoint, lambda path: read(service, path))
    assert [tiles.record(index) for index in range(checkpoint.size)] == service.records()


def test_the_finding_aids_find_every_record(service: RunningService) -> None:
    """For each round its batch, lock and reveal, and for each table its record, at their correct positions."""
    tables = service.replay()
    places: dict[tuple[str, int], RoundPositions] = {}
    for index, data in enumerate(service.records()):
        if aside_of(data) is not None:
            continue
        record = parse_record(data)
        if isinstance(record, BatchRecord):
            for number in range(record.first, record.first + record.count):
                places[record.table, number] = RoundPositions(index)
        elif isinstance(record, LockRecord):
            batch = places[record.table, record.round].batch
            places[record.table, record.round] = RoundPositions(batch, lock=index)
        elif isinstance(record, RevealRecord):
            old = places[record.table, record.round]
            places[record.table, record.round] = RoundPositions(old.batch, lock=old.lock, reveal=index)
        else:
            found = TablePositions.parse_file(read(service, tables_path(tables[record.table].table_id)))
            assert TablePositions(index) in found
    for (table, number), expected in places.items():
        aids = RoundPositions.parse_file(read(service, rounds_path(tables[table].table_id, number)))
        assert aids[place_in_file(number)] == expected


def test_what_has_not_changed_is_not_sent_again(service: RunningService) -> None:
    """A file is confirmed by its ETag or its date with 304 and no body; another ETag gets the file."""
    for path in ("checkpoint", "tile/0/000", *[name for name in files(service) if name.startswith("find")][:1]):
        first = service.get(f"/log/{path}")
        for name, value in (
            ("If-None-Match", first.headers["ETag"]),
            ("If-Modified-Since", first.headers["Last-Modified"]),
        ):
            again = service.get(f"/log/{path}", headers={name: value})
            assert (again.status, again.data) == (304, b"")
            assert again.headers["Cache-Control"] == first.headers["Cache-Control"]
        assert service.get(f"/log/{path}", headers={"If-None-Match": '"another"'}).data == first.data
        head = service.call("HEAD", f"/log/{path}")
        assert (head.status, head.data, head.headers["ETag"]) == (200, b"", first.headers["ETag"])


def test_a_part_of_a_file_may_be_asked_for(service: RunningService) -> None:
    """Byte ranges, as in object stores: a reader of one hash need not fetch a tile."""
    whole = read(service, "tile/0/000")
    part = service.get("/log/tile/0/000", headers={"Range": "bytes=32-63"})
    assert (part.status, part.data) == (206, whole[32:64])


def test_a_checkpoint_that_grew_is_sent(service: RunningService) -> None:
    """A new checkpoint has another ETag; a request with the old one gets the new checkpoint."""
    old = service.get("/log/checkpoint")
    table = next(iter(TABLES))
    service.play(table, service.next_round(table))
    service.settle()
    new = service.get("/log/checkpoint", headers={"If-None-Match": old.headers["ETag"]})
    assert new.status == 200
    before, after = (Checkpoint.open(answer.data, service.key) for answer in (old, new))
    assert after.size == before.size + 2


@pytest.mark.parametrize("path", NOT_THERE)
def test_no_other_spelling_leads_anywhere(service: RunningService, path: str) -> None:
    """Dots, slashes, escapes, signs and additional zeros: the same 404, and nothing outside the log's folder."""
    answer = spoken(service.port, f"GET /log/{path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    is_problem(answer, Code.NOT_FOUND)


def test_nothing_of_the_log_is_written_over_http(service: RunningService) -> None:
    """Files can only be read."""
    before = {path: file.read_bytes() for path, file in files(service).items()}
    for method in ("PUT", "POST", "DELETE", "PATCH"):
        is_problem(service.call(method, "/log/checkpoint", b"x"), Code.METHOD_NOT_ALLOWED)
    assert {path: file.read_bytes() for path, file in files(service).items()} == before


def test_a_checkpoint_that_is_replaced_meanwhile_is_sent_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A longer one takes its place at any moment: one of the two is sent, and never the length of one with the bytes
    of the other.
    """
    running = InProcessService.create(tmp_path / "data", tables=[("keno-1", "keno-express")])
    checkpoint, look = running.settings.log / "checkpoint", os.fstat
    before = checkpoint.read_bytes()

    def replaced(descriptor: int) -> os.stat_result:
        found = look(descriptor)
        checkpoint.write_bytes(checkpoint.read_bytes() + b"more\n")
        return found

    client = create_app(running.service).test_client()
    monkeypatch.setattr(os, "fstat", replaced)
    answer = client.get("/log/checkpoint")
    monkeypatch.undo()
    assert answer.status_code == 200
    assert answer.data.removeprefix(before).replace(b"more\n", b"") == b""
    assert int(answer.headers["Content-Length"]) == len(answer.data)
    assert client.get("/log/checkpoint", headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304
    running.stop()


def test_a_range_that_begins_beyond_the_end_is_refused_with_the_size(service: RunningService) -> None:
    """As any web server does; a range inside is answered."""
    size = len(read(service, "checkpoint"))
    assert service.get("/log/checkpoint", headers={"Range": "bytes=0-3"}).status == 206
    beyond = service.get("/log/checkpoint", headers={"Range": f"bytes={size}-"})
    is_problem(beyond, Code.RANGE_BEYOND_END)
    assert beyond.headers["Content-Range"] == f"bytes */{size}"


def linked(at: Path, outside: Path) -> None:
    """A link in the place of a file."""
    at.symlink_to(outside)


def linked_from_there(at: Path, outside: Path) -> None:
    """The same, by a path from its folder."""
    at.symlink_to(os.path.relpath(outside, at.parent))


def in_a_linked_folder(at: Path, outside: Path) -> None:
    """A link in the place of its folder, to one with a file of that name."""
    (outside.parent / at.name).write_bytes(outside.read_bytes())
    shutil.rmtree(at.parent)
    at.parent.symlink_to(outside.parent)


def looped(at: Path, _: Path) -> None:
    """A link to itself."""
    at.symlink_to(at.name)


def piped(at: Path, _: Path) -> None:
    """A pipe without another end."""
    os.mkfifo(at)


def in_a_loop(at: Path, _: Path) -> None:
    """Its folder is a link to the folder around it."""
    shutil.rmtree(at.parent)
    at.parent.symlink_to(at.parent.parent)


@pytest.mark.parametrize("plant", [linked, linked_from_there, in_a_linked_folder, looped, piped, in_a_loop])
def test_what_leads_elsewhere_is_not_served(plant: Callable[[Path, Path], None], tmp_path: Path) -> None:
    """Somebody who can write into the log's folder has no key of this machine published at any address, and nobody
    waits.
    """
    outside = tmp_path / "outside" / "key"
    outside.parent.mkdir()
    outside.write_bytes(b"a key of this machine")
    folder = LogFolder(tmp_path / "log")
    app = Flask(__name__)
    install_parts(app, {PublishedLog: folder})
    app.register_blueprint(log_files)
    client = app.test_client()
    for path in OF_EACH_KIND:
        if "/" not in path and plant in {in_a_linked_folder, in_a_loop}:
            continue
        folder.write(path, b"of the log")
        with client.get(f"/log/{path}") as answer:
            assert answer.data == b"of the log"
        (folder.folder / path).unlink()
        plant(folder.folder / path, outside)
        assert client.get(f"/log/{path}").status_code == 404, path
        shutil.rmtree(folder.folder)
