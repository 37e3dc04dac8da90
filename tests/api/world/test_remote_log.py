"""The log at its address, which nobody trusts: what a reader believes, keeps and reports, and that it recovers by
itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from api.world.published import remote_log, web_files
from api.world.published.remote_log import RemoteLog
from fairness.draws.commitments import commitments_path
from fairness.errors import Missing, Unreadable
from fairness.hashing import sha256
from fairness.log.checkpoints import Checkpoint
from fairness.log.fork import Fork
from fairness.log.notes import SigningKey
from fairness.log.tiles import bundle_path, tile_path
from fairness.policy.custody import custody_path
from fairness.policy.head import Head
from fairness.round.authentic_log import AuthenticLog
from games.bets.paytable.read import paytable_path
from tests.lies import started
from tests.support.dishonest_operator import KEY, Operator
from tests.support.forks import forked
from tests.support.log_server import answering

Answer = Callable[[BaseHTTPRequestHandler, bytes], None]
HTML = b"<!DOCTYPE html><title>Welcome</title>" + b" " * 27


def send(
    handler: BaseHTTPRequestHandler, data: bytes, *, status: int = 200, length: int | None = None, **headers: str
) -> None:
    """Answer with these bytes."""
    handler.send_response(status)
    always = {"Connection": "close", "Content-Length": str(len(data) if length is None else length)}
    for name, value in {**always, **headers}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(data)


def html(handler: BaseHTTPRequestHandler, _: bytes) -> None:
    """A page in the place of the file."""
    send(handler, HTML, Content_Type="text/html")


def other_bytes(handler: BaseHTTPRequestHandler, data: bytes) -> None:
    """A file of the same length."""
    send(handler, bytes(byte ^ 1 for byte in data))


def nothing(handler: BaseHTTPRequestHandler, _: bytes) -> None:
    """An empty file."""
    send(handler, b"")


def endless(handler: BaseHTTPRequestHandler, _: bytes) -> None:
    """64 MiB, as fast as they are taken."""
    with suppress(OSError):
        send(handler, bytes(64 << 20))


def chunked(handler: BaseHTTPRequestHandler, _: bytes) -> None:
    """The same without a length."""
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    with suppress(OSError):
        while True:
            handler.wfile.write(b"10000\r\n" + bytes(1 << 16) + b"\r\n")


def byte_by_byte(handler: BaseHTTPRequestHandler, data: bytes) -> None:
    """A byte now and then."""
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(data)))
    handler.end_headers()
    with suppress(OSError):
        for byte in data:
            handler.wfile.write(bytes([byte]))
            time.sleep(0.05)


def slow_headers(handler: BaseHTTPRequestHandler, _: bytes) -> None:
    """The same before the answer begins."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    with suppress(OSError):
        for number in range(90):
            handler.wfile.write(b"X-%d: y\r\n" % number)
            time.sleep(0.05)


def cut_short(handler: BaseHTTPRequestHandler, data: bytes) -> None:
    """The connection breaks in the middle."""
    send(handler, data[: len(data) // 2], length=len(data))


def shorter(handler: BaseHTTPRequestHandler, data: bytes) -> None:
    """A file that was cut."""
    send(handler, data[: len(data) // 2])


def part(handler: BaseHTTPRequestHandler, data: bytes) -> None:
    """An answer to another question."""
    send(handler, data, status=206)


def packed(handler: BaseHTTPRequestHandler, data: bytes) -> None:
    """An encoding that was not asked for."""
    send(handler, data, Content_Encoding="gzip")


def elsewhere(handler: BaseHTTPRequestHandler, _: bytes) -> None:
    """A redirect, which is not followed."""
    send(handler, b"", status=302, Location="http://127.0.0.1:9/")


def failing(handler: BaseHTTPRequestHandler, _: bytes) -> None:
    """An error of the server."""
    send(handler, b"", status=500)


def gone(handler: BaseHTTPRequestHandler, _: bytes) -> None:
    """No file at all."""
    send(handler, b"", status=404)


def refused(handler: BaseHTTPRequestHandler, _: bytes) -> None:
    """No file, as stores say that do not let everybody list them."""
    send(handler, b"", status=403)


def hangs_up(_: BaseHTTPRequestHandler, __: bytes) -> None:
    """No answer."""


SLOW = (byte_by_byte, slow_headers)
QUICK = (
    html,
    other_bytes,
    nothing,
    endless,
    chunked,
    cut_short,
    shorter,
    part,
    packed,
    elsewhere,
    failing,
    gone,
    refused,
    hangs_up,
)
MISBEHAVIOUR = [*QUICK, *(pytest.param(each, marks=pytest.mark.nightly("seconds of waiting")) for each in SLOW)]


@dataclass
class Address:
    """A web server of a log, which misbehaves where a test wants it."""

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    misbehaves: Callable[[str], Answer | None] = lambda _: None
    """By a file's path."""
    asked: list[str] = field(default_factory=list)

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        """One request."""
        path = handler.path.removeprefix("/log/")
        self.asked.append(path)
        data = self.files.get(path)
        instead = self.misbehaves(path)
        if instead is not None:
            instead(handler, data or HTML)
        elif data is None:
            send(handler, b"", status=404)
        else:
            send(handler, data)


@contextmanager
def an_address() -> Iterator[Address]:
    """It has no log yet."""
    made = Address()
    with answering(made.answer) as url:
        made.url = f"{url}/log"
        yield made


@dataclass
class Reader:
    """A reader of that address, and the operator whose log is there."""

    address: Address
    log: RemoteLog
    patch: pytest.MonkeyPatch
    operator: Operator = field(default_factory=started)
    true: dict[str, bytes] = field(default_factory=dict)
    """Every file that was published."""

    def publish(self, operator: Operator | None = None) -> None:
        """Put the present log there."""
        self.operator = operator or self.operator
        self.address.files = dict(self.operator.files())
        self.true |= self.address.files

    def go_wrong(self, misbehaves: Answer, below: str = "") -> None:
        """From now on the address answers so for these files; if it is slow about it, the reader has less
        patience.
        """
        self.address.misbehaves = lambda path: misbehaves if path.startswith(below) else None
        if misbehaves in SLOW:
            self.patch.setattr(web_files, "WHOLE_ANSWER", 0.5)

    def go_right(self) -> None:
        """From now on it has the log."""
        self.address.misbehaves = lambda _: None
        self.patch.undo()

    def look(self) -> int:
        """Look at the address; returns how many records are known."""
        self.log._looked = self.log._doubted = float("-inf")
        self.log.stamp("checkpoint")
        return 0 if self.log._head is None else self.log._head.checkpoint.size

    def check(self) -> None:
        """Everything is right: all of the log can be read, and nothing else was kept."""
        assert self.look() == len(self.operator.records)
        assert self.log.trouble is None
        log = AuthenticLog(self.log.read, Head.read(self.log.read("checkpoint"), KEY.verifier_key))
        for index, record in enumerate(self.operator.records):
            assert log.tiles.record(index) == record
        for path, data in self.log._kept._values.items():
            assert data == self.true[path], path


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reader]:
    """A reader whose address has a log."""
    with an_address() as address:
        made = Reader(address, RemoteLog(address.url, tmp_path, KEY.verifier_key), monkeypatch)
        made.publish()
        yield made
        made.log.close()


@pytest.mark.parametrize("misbehaves", MISBEHAVIOUR)
def test_an_address_that_is_wrong_and_then_right(reader: Reader, misbehaves: Answer) -> None:
    """At the start, and later: what was read holds, the trouble names the address and the file, and it recovers by
    itself.
    """
    reader.go_wrong(misbehaves)
    for known in (0, len(reader.operator.records)):
        assert reader.look() == known
        assert reader.log.trouble is not None
        assert reader.address.url in reader.log.trouble
        assert "FOREDRAW_LOG" in reader.log.trouble
        assert "checkpoint" in reader.log.trouble
        reader.go_right()
        reader.check()
        reader.operator.play("keno-1")
        reader.publish()
        reader.go_wrong(misbehaves)


@pytest.mark.parametrize("misbehaves", MISBEHAVIOUR)
@pytest.mark.parametrize("kind", ["tile/0/", "tile/entries/"])
def test_a_file_that_is_not_this_logs(reader: Reader, misbehaves: Answer, kind: str) -> None:
    """It is asked for once more, never kept, and never used; the trouble names it, until it is the true one."""
    reader.go_wrong(misbehaves, kind)
    known, path = reader.look(), bundle_path(0, len(reader.operator.records))
    if kind == "tile/0/":
        # Without its edge a checkpoint is not good.
        assert known == 0
    else:
        assert known == len(reader.operator.records)
        reader.address.asked.clear()
        for _ in range(2):
            with pytest.raises(Unreadable):
                reader.log.read(path)
        if misbehaves in (gone, refused):
            # There may be a full one by now.
            return
        assert reader.address.asked == 4 * [path]
    reader.look()
    assert reader.log.trouble is not None
    # If its hashes are others, all that is known is that the edge does not lead to the root.
    assert kind in reader.log.trouble or "the partial tiles" in reader.log.trouble
    reader.go_right()
    reader.check()


def test_a_tile_of_another_log(reader: Reader) -> None:
    """It has the right form, and does not lead to the root."""
    other = Operator()
    other.table("keno-1", "keno-express", created="2026-11-20T22:49:02.000Z")
    size = len(reader.operator.records)
    false = bytes(32 * size)
    reader.address.files[tile_path(0, 0, size)] = false
    assert reader.look() == 0
    assert "the partial tiles of size" in (reader.log.trouble or "")
    reader.publish()
    reader.check()


def test_a_full_tile_and_its_bundle(reader: Reader) -> None:
    """Below the edge, a tile is vouched for by the one above it."""
    operator = Operator()
    while len(operator.records) < 300:
        operator.table(f"keno-{len(operator.records)}", "keno-express")
    reader.publish(operator)
    assert reader.look() == 300
    for path in (tile_path(0, 0), bundle_path(0)):
        true = reader.address.files[path]
        reader.address.files[path] = true[:-1] + bytes([true[-1] ^ 1])
        for _ in range(2):
            with pytest.raises(Unreadable):
                reader.log.read(path)
        assert path in (reader.log.trouble or "")
        reader.address.files[path] = true
        reader.look()
        assert reader.log.trouble is None
        assert reader.log.read(path) == true
    reader.check()


def test_a_reader_does_not_go_back_to_an_older_checkpoint(reader: Reader) -> None:
    """It keeps the larger one and says why; it goes on with the next that is larger."""
    older = dict(reader.address.files)
    reader.operator.play("keno-1")
    reader.publish()
    size = reader.look()
    newer, reader.address.files = reader.address.files, older
    assert reader.look() == size
    assert f"this machine has seen one of {size}" in (reader.log.trouble or "")
    assert reader.log.read("checkpoint") == newer["checkpoint"]
    reader.address.files = newer
    reader.check()


@pytest.mark.parametrize("rounds", [0, 2])
def test_another_history_is_evidence(
    reader: Reader, rounds: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Both checkpoints are kept in a file, and the first one holds; an honest history, when it is back, is
    believed.
    """
    honest = started().play("keno-1")
    reader.publish(honest)
    size = reader.look()
    for _ in range(2):
        reader.address.files = dict(forked(started(), rounds=rounds).files())
        assert reader.look() == size
        assert "the log's key signed both" in (reader.log.trouble or "")
    [file] = tmp_path.glob("fork-*")
    fork = Fork.parse(file.read_bytes())
    sizes = [Checkpoint.open(note, KEY.verifier_key) for note in (fork.smaller, fork.larger)]
    assert fork.root_in_larger(*sizes) != sizes[0].root
    assert [each.levelname for each in caplog.records if "evidence" in each.getMessage()] == ["CRITICAL"]
    reader.publish(honest)
    reader.check()


def test_evidence_that_cannot_be_written_is_reported(
    reader: Reader, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """With both checkpoints, once; and the first history holds."""
    reader.log.folder = tmp_path / "missing" / "folder"
    (tmp_path / "missing").touch()
    reader.publish(started().play("keno-1"))
    size = reader.look()
    for _ in range(2):
        reader.address.files = dict(forked(started(), rounds=2).files())
        assert reader.look() == size
        assert "the evidence cannot be written" in (reader.log.trouble or "")
    [said] = [each.getMessage() for each in caplog.records if each.levelname == "CRITICAL"]
    assert said.count("fore.example/log\\n") == 2


def test_a_checkpoint_of_another_key_is_no_accusation(reader: Reader, tmp_path: Path) -> None:
    """Another log's, or an impostor's of the same name."""
    for name in ("other.example/log", KEY.name):
        other = SigningKey(name, sha256(b"another key"))
        reader.publish()
        size = reader.look()
        reader.address.files["checkpoint"] = Checkpoint(name, size, bytes(32)).sign(other)
        assert reader.look() == size
        assert "note-signature" in (reader.log.trouble or "")
    assert not list(tmp_path.iterdir())


def test_commitments_are_judged_by_their_batch(reader: Reader) -> None:
    """By the roots of its published record; before it is published nothing is answered from them, but they are passed
    on.
    """
    batch = reader.operator.tables["keno-1"].batches[0]
    path = commitments_path(batch.batch_id)
    reader.look()
    true = reader.address.files[path]
    with pytest.raises(Unreadable, match="nothing is published yet"):
        reader.log.read(path)
    assert reader.log.pass_on(path) == (true, False)
    assert path not in reader.log._kept
    roots = [sha256(b"") for _ in batch.digests]
    reader.log.roots_of = lambda _: (batch.count, roots)
    with pytest.raises(Unreadable, match="is not this log's"):
        reader.log.read(path)
    assert path in (reader.log.trouble or "")


def test_a_paytable_is_judged_by_its_hash(reader: Reader) -> None:
    """A page in its place is refused, until the file is there again."""
    file = b"whatever has this hash"
    path = paytable_path(sha256(file).hex())
    reader.look()
    reader.address.files[path] = HTML
    with pytest.raises(Unreadable, match=r"is not this log's: .*paytable-file"):
        reader.log.read(path)
    assert path in (reader.log.trouble or "")
    reader.address.files[path] = file
    assert reader.log.pass_on(path) == (file, True)
    assert reader.log.trouble is None


def test_custodians_notes_are_passed_on_and_not_kept(reader: Reader) -> None:
    """A missing one is missing, so that rounds without notes have proofs; only policies have the keys, so a page is
    refused, and no more.
    """
    path = custody_path(reader.operator.tables["keno-1"].batches[0].batch_id, "house")
    note = b"foredraw/v1/custody\npolicy " + b"5a" * 32 + b"\n"
    reader.look()
    for call in (reader.log.read, reader.log.pass_on):
        with pytest.raises(Missing):
            call(path)
    assert reader.log.trouble is None
    reader.address.files[path] = HTML
    with pytest.raises(Unreadable, match="is not this log's"):
        reader.log.read(path)
    reader.address.files[path] = note
    assert reader.log.read(path) == note
    assert reader.log.trouble is None
    assert path not in reader.log._kept


def test_what_is_not_published_yet_is_passed_on_and_not_kept(reader: Reader) -> None:
    """As a witness needs it that replays before it cosigns."""
    size = reader.look()
    checkpoint = reader.address.files["checkpoint"]
    reader.operator.play("keno-1")
    reader.publish()
    reader.address.files["checkpoint"] = checkpoint
    for path in (bundle_path(0, size + 2), tile_path(0, 0, size + 2)):
        assert reader.log.pass_on(path) == (reader.address.files[path], False)
        with pytest.raises(Unreadable):
            reader.log.read(path)
        assert path not in reader.log._kept
    with pytest.raises(Missing):
        reader.log.pass_on(bundle_path(7))
    reader.publish()
    reader.check()


def test_what_is_kept_is_bounded_in_bytes(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest go first."""
    monkeypatch.setattr(reader.log._kept, "_most", 4000)
    for _ in range(4):
        reader.operator.play("keno-1")
        reader.publish()
        reader.check()
        assert sum(map(len, reader.log._kept._values.values())) == reader.log._kept._weight <= 4000
    assert remote_log.MOST_KEPT == 64 << 20
