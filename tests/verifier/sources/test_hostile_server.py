"""``foredraw-verify`` against arbitrary servers: one verdict, and no other effect.

What a server can do to a single request is in ``test_sources``; here it faces the whole program.
"""

from __future__ import annotations

import base64
import gzip
import json
import os
import pty
import re
import socket
import struct
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, redirect_stderr, redirect_stdout
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Self, TextIO

import pytest

from fairness.errors import CheckFailed, Missing
from fairness.hashing import sha256
from fairness.limits import LARGEST_NOTE, LARGEST_RECORD
from fairness.log.checkpoints import Checkpoint
from fairness.log.tiles import AuthenticTiles
from fairness.player.round_code import RoundCode
from tests.house import HOUSE
from tests.lies import started
from tests.support.dishonest_operator import KEY, ORIGIN, Operator
from tests.support.log_server import answering, serving
from tests.support.ran import Ran
from verifier.audit.audit import audit_log
from verifier.cli import main
from verifier.commands.command import FAILED, HELD, UNREADABLE
from verifier.output.printing import harmless
from verifier.sources.source import FolderSource

VKEY = str(KEY.verifier_key)
Answer = Callable[[BaseHTTPRequestHandler, bytes], None]
ESCAPES = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202e\u2028\x7f\x00\b"
"""Clears a screen, renames a window, colours, reverses, breaks a line, deletes."""


@pytest.fixture(name="operator", scope="module")
def _operator() -> Operator:
    return started()


@pytest.fixture(name="log")
def _log(operator: Operator, tmp_path: Path) -> Path:
    return operator.write(tmp_path / "log")


def code_of(operator: Operator) -> str:
    """The code of a round that was played."""
    table = operator.tables["crash-1"]
    return str(RoundCode.of(table.game, table.table_id, 2, table.seeds_of(2)))


def answer(request: BaseHTTPRequestHandler, body: bytes, *headers: tuple[str, str], status: str = "200 OK") -> None:
    """An answer with any headers, byte for byte."""
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in headers)]
    request.wfile.write("".join(f"{line}\r\n" for line in lines).encode("latin-1", "replace") + b"\r\n" + body)


def length(body: bytes) -> tuple[str, str]:
    """The correct header."""
    return "Content-Length", str(len(body))


@contextmanager
def serving_but(operator: Operator, hostile: Answer, *paths: str) -> Iterator[str]:
    """Serve an honest log, except for the answers to paths with this beginning."""
    files = operator.files()

    def respond(request: BaseHTTPRequestHandler) -> None:
        path = request.path.lstrip("/")
        if path not in files:
            answer(request, b"", length(b""), status="404 Not Found")
        elif path.startswith(paths):
            hostile(request, files[path])
        else:
            answer(request, files[path], length(files[path]))

    with answering(respond) as address:
        yield address


def reset(request: BaseHTTPRequestHandler, body: bytes) -> None:
    """Half a file, then a connection reset."""
    answer(request, body[: len(body) // 2], length(body))
    request.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    request.connection.close()


def header_flood(request: BaseHTTPRequestHandler, body: bytes) -> None:
    """One more header than a client reads."""
    answer(request, body, length(body), *((f"X-{number}", "y") for number in range(99)))


def long_header(request: BaseHTTPRequestHandler, body: bytes) -> None:
    """A header one byte longer than a client reads."""
    answer(request, body, length(body), ("X", "y" * (65_536 - len("X: \r\n") + 1)))


def continued(request: BaseHTTPRequestHandler, body: bytes) -> None:
    """A hundred unsolicited answers "100 Continue" before the real one."""
    request.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n" * 100)
    reset(request, body)


def with_headers(*headers: tuple[str, str], cut: bool = True) -> Answer:
    """The file, or half of it, with other headers."""

    def respond(request: BaseHTTPRequestHandler, body: bytes) -> None:
        answer(request, body[: len(body) // 2] if cut else body, *headers)

    return respond


def with_status(status: str, *headers: tuple[str, str]) -> Answer:
    """The file with another status."""

    def respond(request: BaseHTTPRequestHandler, body: bytes) -> None:
        answer(request, body, length(body), *headers, status=status)

    return respond


def gzipped(request: BaseHTTPRequestHandler, body: bytes) -> None:
    """A few bytes that decompress to many."""
    packed = gzip.compress(body + bytes(10_000_000))
    answer(request, packed, length(packed), ("Content-Encoding", "gzip"))


HOSTILE: dict[str, Answer] = {
    "reset": reset,
    "a header too many": header_flood,
    "a header too long": long_header,
    "go on": continued,
    "a gzip bomb": gzipped,
    "a deflate bomb": with_headers(("Content-Length", "10"), ("Content-Encoding", "deflate, gzip")),
    "no length": with_headers(),
    "a length that is no number": with_headers(("Content-Length", "many")),
    "a length below zero": with_headers(("Content-Length", "-1")),
    "a length with a sign": with_headers(("Content-Length", "+10")),
    "a length of other digits": with_headers(("Content-Length", "\xb2")),
    "an empty length": with_headers(("Content-Length", "")),
    "an enormous length": with_headers(("Content-Length", "9" * 18)),
    "a length of many digits": with_headers(("Content-Length", "9" * 5000)),
    "two lengths": with_headers(("Content-Length", "10"), ("Content-Length", "11")),
    "a list of lengths": with_headers(("Content-Length", "10, 10")),
    "an unknown transfer": with_headers(("Transfer-Encoding", "gzip")),
    "chunks that are none": with_headers(("Transfer-Encoding", "chunked")),
    "chunks inside something": with_headers(("Transfer-Encoding", "gzip, chunked")),
    "a part": with_status("206 Partial Content"),
    "nothing": with_status("204 No Content"),
    "not modified": with_status("304 Not Modified"),
    "a status that is none": with_status("999 Hello"),
    "a status of many digits": with_status("2000000 Hello"),
    "forbidden": with_status("403 Forbidden"),
    "a redirect to a file": with_status("302 Found", ("Location", "file:///etc/passwd")),
    "a redirect to itself": with_status("301 Moved", ("Location", "/checkpoint")),
}


@pytest.mark.parametrize("path", ["checkpoint", "tile/entries"])
@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_answer_is_no_verdict(
    hostile: Answer,
    path: str,
    operator: Operator,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nobody is accused: status 4, the file and the reason in one line."""
    monkeypatch.setattr("verifier.sources.web.PAUSES", (0.0, 0.0))
    with serving_but(operator, hostile, path) as address:
        ran = Ran(capsys, "audit", address, "--key", VKEY, "--json")
    assert (ran.status, ran.errors) == (UNREADABLE, ""), ran.output
    assert ran.json["file"].startswith(path)
    assert len(ran.json["why"]) < 300


def test_headers_up_to_the_limit_are_read(operator: Operator, capsys: pytest.CaptureFixture[str]) -> None:
    """99 headers, one of them of 65,536 bytes with its name and line end."""

    def respond(request: BaseHTTPRequestHandler, body: bytes) -> None:
        headers = [("X", "y" * (65_536 - len("X: \r\n"))), *((f"X-{number}", "y") for number in range(97))]
        answer(request, body, length(body), *headers)

    with serving_but(operator, respond, "checkpoint") as address:
        assert Ran(capsys, "audit", address, "--key", VKEY).status == HELD


def test_no_other_server_is_asked(operator: Operator, capsys: pytest.CaptureFixture[str]) -> None:
    """A redirect to another host is reported, and that host gets no request."""
    asked: list[str] = []

    def elsewhere(request: BaseHTTPRequestHandler) -> None:
        asked.append(request.path)
        answer(request, b"", length(b""))

    with answering(elsewhere) as other:
        for status in ("301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent", "300 Choices"):
            towards = with_status(status, ("Location", f"{other}/checkpoint"), ("Refresh", f"0; url={other}"))
            with serving_but(operator, towards, "checkpoint") as address:
                ran = Ran(capsys, "audit", address, "--key", VKEY)
            assert ran.status == UNREADABLE
            assert f"{other}/checkpoint; redirects are not followed" in ran.output
    assert asked == []


def test_a_code_is_checked_as_warily(operator: Operator, capsys: pytest.CaptureFixture[str]) -> None:
    """The command that players use also reads finding aids, which may be just as hostile."""
    for path in ("checkpoint", "find/tables", "find/rounds", "tile/0", "tile/entries"):
        with serving_but(operator, reset, path) as address:
            assert Ran(capsys, "code", code_of(operator), "--log", address, "--key", VKEY).status == UNREADABLE
        with serving_but(operator, with_status("200 OK", ("X", "y")), path) as address:
            assert Ran(capsys, "code", code_of(operator), "--log", address, "--key", VKEY).status == HELD

        def huge(request: BaseHTTPRequestHandler, _: bytes) -> None:
            answer(request, b"\xff" * 20_000_000, ("Content-Length", "20000000"))

        with serving_but(operator, huge, path) as address:
            ran = Ran(capsys, "code", code_of(operator), "--log", address, "--key", VKEY)
        assert ran.status == FAILED, (path, ran.output)


class Costs:
    """How long something took, and its peak of memory."""

    def __enter__(self) -> Self:
        tracemalloc.start()
        self._started = time.monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = time.monotonic() - self._started
        self.bytes = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()


@pytest.mark.parametrize("size", [1 << 20, (1 << 56) - 1, 1 << 56, 1 << 62, (1 << 63) - 1])
def test_a_huge_log_that_is_not_there_costs_nothing(size: int, log: Path) -> None:
    """Whatever number of records the operator signs, only the tiles of its right edge are requested, and they are missing."""
    (log / "checkpoint").write_bytes(Checkpoint(ORIGIN, size, sha256(b"")).sign(KEY))
    asked: list[str] = []

    class Asked(FolderSource):
        def read(self, path: str) -> bytes:
            asked.append(path)
            return super().read(path)

    with Costs() as costs, pytest.raises((CheckFailed, Missing)):
        audit_log(Asked(log), KEY.verifier_key)
    assert len(asked) <= 1 + 2 * 8
    assert costs.seconds < 2
    assert costs.bytes < 5_000_000


def test_every_level_of_the_largest_tree_is_read_once() -> None:
    """The right edge of 2^63 - 1 records is eight tiles, from which the root follows at once."""
    asked: list[str] = []

    def read(path: str) -> bytes:
        asked.append(path)
        width = int(path.rpartition("/")[2]) if ".p/" in path else 256
        return bytes(32) * width

    with Costs() as costs, pytest.raises(CheckFailed, match="root"):
        AuthenticTiles(Checkpoint(ORIGIN, (1 << 63) - 1, bytes(32)), read)
    assert [path.split("/")[1] for path in asked] == [str(level) for level in range(8)]
    assert costs.seconds < 1


@pytest.mark.parametrize("size", [str(1 << 63), "9" * 19, "9" * 900_000, "-1", "1e9", "0x10", "00"])
def test_a_size_beyond_the_largest_is_no_size(size: str, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """However long it is, nothing is computed with it."""
    (log / "checkpoint").write_bytes(KEY.sign(f"{ORIGIN}\n{size}\n{base64.b64encode(bytes(32)).decode()}\n"))
    with Costs() as costs:
        ran = Ran(capsys, "audit", log, "--key", VKEY, "--json")
    assert (ran.status, ran.json["check"]) == (FAILED, "checkpoint-form")
    assert costs.seconds < 2


def notes() -> dict[str, bytes]:
    """Notes of the largest size, made to be slow to read."""
    honest = Checkpoint(ORIGIN, 0, sha256(b"")).sign(KEY)
    line = "— witness.example AAAAAAA=\n".encode()
    key_line = honest.partition(b"\n\n")[2]
    return {
        "line feeds": b"\n" * LARGEST_NOTE,
        "short lines": b"x\n" * (LARGEST_NOTE // 2),
        "signatures": (b"x\n\n" + line * LARGEST_NOTE)[: LARGEST_NOTE // len(line) * len(line) + 3 - len(line)],
        "the same signature": (b"x\n\n" + key_line * 101),
        "one long line": b"x" * (LARGEST_NOTE - 1) + b"\n",
        "a name without an end": b"x\n\n" + "— ".encode() + b"y" * 900_000 + b"\n",
        "a signature without an end": b"x\n\n" + "— y ".encode() + b"A" * 900_000 + b"\n",
        "dashes": "—".encode() * (LARGEST_NOTE // 3),
        "no text": b"\xff" * LARGEST_NOTE,
        "one byte too many": b"\n" * (LARGEST_NOTE + 1),
        "much too many": b"x\n" * LARGEST_NOTE,
    }


@pytest.mark.parametrize("note", notes().values(), ids=notes())
def test_a_million_lines_are_read_quickly(note: bytes, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are refused with a short sentence, within two seconds and 30 MB."""
    (log / "checkpoint").write_bytes(note)
    with Costs() as costs:
        ran = Ran(capsys, "audit", log, "--key", VKEY, "--json")
    assert (ran.status, ran.json["check"]) in {(FAILED, "note-form"), (FAILED, "note-signature")}
    assert len(ran.output) < 2000
    assert costs.seconds < 2
    assert costs.bytes < 30_000_000


@pytest.mark.parametrize("name", ["\x9b2J", "\u202egnp", "\u200b", "\x7f", "e\u0301", "\U000e0041", "\ufeff"])
def test_odd_names_of_strangers_are_spelled_out(name: str, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """C2SP allows nearly any signature name; an error shows it without commands to the terminal."""
    line = f"— {name} AAAAAAA=\n"
    (log / "checkpoint").write_bytes(f"a text\n\n{line}".encode())
    for options in ((), ("--json",)):
        ran = Ran(capsys, "audit", log, "--key", VKEY, *options)
        assert ran.status == FAILED
        assert name not in ran.output
        assert ran.output.replace("\n", "").isascii()
    honest = Checkpoint(ORIGIN, 0, sha256(b"")).sign(KEY)
    (log / "checkpoint").write_bytes(honest + line.encode())
    assert Ran(capsys, "audit", log, "--key", VKEY).status == HELD


DEEP = {
    "lists": b"[" * LARGEST_RECORD,
    "objects": (b'{"a":' * LARGEST_RECORD)[:LARGEST_RECORD],
    "a deep outcome": b'{"outcome":{"a":' + b"[" * 65_000 + b'},"table":"crash-1","type":"reveal","v":1}',
    "a whole deep outcome": b'{"outcome":'
    + b'{"a":' * 10_000
    + b"1"
    + b"}" * 10_000
    + b',"table":"x","type":"reveal","v":1}',
    "deep seeds": b'{"closed":"x","seeds":' + b"[" * 65_000 + b',"table":"crash-1","type":"close","v":1}',
    "an unknown deep key": b'{"aaa":' + b"[" * 30_000 + b"]" * 30_000 + b',"table":"crash-1","type":"lock","v":1}',
    "a long number": b'{"round":' + b"9" * 65_000 + b',"table":"crash-1","type":"lock","v":1}',
    "a long exponent": b'{"round":1e' + b"9" * 60_000 + b',"table":"crash-1","type":"lock","v":1}',
}


@pytest.mark.parametrize("data", DEEP.values(), ids=DEEP)
def test_deep_json_is_no_record(data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In a signed log it is refused like any other misspelling, next to honest records and alone."""
    for operator in (started(), Operator()):
        at = operator.append(data)
        log = operator.write(tmp_path / f"log-{at}")
        with Costs() as costs:
            ran = Ran(capsys, "audit", log, "--key", VKEY, "--json")
        assert (ran.status, ran.json["check"], ran.json["record"]) == (FAILED, "record-form", at)
        assert costs.seconds < 3


@pytest.mark.parametrize("change", [-8192, -32, -1, 1, 32, 8192 * 4])
@pytest.mark.parametrize("path", ["tile/0", "tile/entries", "commitments", "find/rounds"])
def test_a_file_of_another_size_is_refused(
    path: str, change: int, log: Path, operator: Operator, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tiles, bundles, commitments and finding aids have the size that the checkpoint and the records imply."""
    for file in (each for each in (log / path).rglob("*") if each.is_file()):
        data = file.read_bytes()
        file.write_bytes(data + b"\0" * change if change > 0 else data[:change])
    command = ["code", code_of(operator), "--log"] if path.startswith("find") else ["audit"]
    ran = Ran(capsys, *command, log, "--key", VKEY)
    # A hint for another round may be missing, and an extra one is not read.
    whole_hints = path.startswith("find") and abs(change) == 32
    assert ran.status == (HELD if whole_hints else FAILED), ran.output


Program = Callable[[list[str], TextIO], int]
"""Runs ``foredraw-verify`` with arguments on a terminal; returns the exit status."""


def as_a_process(arguments: list[str], terminal: TextIO) -> int:
    """As a user runs it."""
    program = [sys.executable, "-m", "verifier", *arguments]
    return subprocess.run(program, stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal, check=False).returncode


def in_this_process(arguments: list[str], terminal: TextIO) -> int:
    """The same, without the start of an interpreter."""
    with redirect_stdout(terminal), redirect_stderr(terminal):
        try:
            return main(arguments)
        except SystemExit as stopped:
            return int(stopped.code or 0)


def on_a_terminal(*arguments: str | Path, run: Program = in_this_process) -> tuple[int, str]:
    """What the program writes to a terminal."""
    ours, theirs = pty.openpty()
    parts: list[bytes] = []

    def listen() -> None:
        try:
            while part := os.read(ours, 65_536):
                parts.append(part)
        except OSError:
            # Reading from a terminal whose last program has ended raises this.
            return

    listener = threading.Thread(target=listen)
    listener.start()
    try:
        with pytest.MonkeyPatch.context() as environment, os.fdopen(theirs, "w", encoding="utf-8") as terminal:
            environment.setenv("TERM", "xterm-256color")
            environment.setenv("COLUMNS", "100")
            status = run(list(map(str, arguments)), terminal)
    finally:
        listener.join()
        os.close(ours)
    return status, b"".join(parts).decode("utf-8", "replace")


# What rich itself writes: colours, and on the error output the progress bar's commands for cursor and line.
_OURS = re.compile(r"\x1b\[(?:[0-9;]*m|\?25[lh]|2K|1A)|\r")


def check_tame(output: str) -> None:
    """Check that nothing but lines of visible text is left."""
    rest = _OURS.sub("", output)
    assert all(each.isprintable() or each == "\n" for each in rest), ascii(rest)


@pytest.mark.parametrize("run", [as_a_process, in_this_process])
def test_a_terminal_is_really_written_to(run: Program, log: Path) -> None:
    """The test's terminal works: an honest audit has colours there."""
    status, output = on_a_terminal("audit", log, "--key", VKEY, run=run)
    assert status == HELD
    assert "\x1b[32m" in output
    check_tame(output)


def errors_with_escapes() -> dict[str, Answer]:
    """Texts by which a server reaches the output."""
    return {
        "a body": lambda request, _: answer(
            request, ESCAPES.encode(), length(ESCAPES.encode()), status="500 Internal Server Error"
        ),
        "a reason": with_status(f"403 {ESCAPES}"),
        "a target": with_status("302 Found", ("Location", f"http://{ESCAPES.replace(chr(0), '')}/")),
        "an encoding": with_status("200 OK", ("Content-Encoding", ESCAPES.replace("\x00", ""))),
        "a checkpoint": lambda request, _: answer(request, ESCAPES.encode(), length(ESCAPES.encode())),
        "a version": lambda request, _: answer(request, b"", length(b""), status=f"{ESCAPES} 200 OK"),
    }


@pytest.mark.parametrize("hostile", errors_with_escapes().values(), ids=errors_with_escapes())
def test_a_server_gives_the_terminal_no_commands(hostile: Answer, operator: Operator) -> None:
    """Whatever it writes in a status, a header or a body is spelled out or not shown, also in JSON."""
    with serving_but(operator, hostile, "checkpoint") as address:
        for options in ((), ("--json",)):
            status, output = on_a_terminal("audit", address, "--key", VKEY, *options)
            assert status in {FAILED, UNREADABLE}
            check_tame(output)


def texts_with_escapes() -> dict[str, Callable[[Operator], object]]:
    """Texts by which a record, signed by the operator, reaches the output."""
    return {
        "a reason": lambda operator: operator.give_up("keno-1", reason=ESCAPES),
        "a reason in raw bytes": lambda operator: operator.give_up(
            "keno-1", reason="R", respelled=lambda data: data.replace(b'"R"', f'"{ESCAPES}"'.encode())
        ),
        "a table": lambda operator: operator.table(
            "x", "crash", respelled=lambda data: data.replace(b'"x"', f'"{ESCAPES}"'.encode())
        ),
        "a game": lambda operator: operator.table("x", "crash", game=ESCAPES),
        "a log": lambda operator: operator.table("x", "crash", log=ESCAPES),
        "an outcome": lambda operator: (
            operator.lock("keno-1"),
            operator.reveal("keno-1", outcome={ESCAPES: ESCAPES}),
        ),
        "a rule": lambda operator: operator.batch("crash-1", 5, rules={ESCAPES: 1}),
        "a custodian": lambda operator: operator.table("x", "crash", custodians=[ESCAPES]),
        "any bytes": lambda operator: operator.append(ESCAPES.encode()),
        # Printable, so allowed in a record: text that looks like a command, and rich's markup.
        "visible text": lambda operator: (
            operator.lock("keno-1"),
            operator.void("keno-1", reason="[red]\\x1b[2J[/red] [link=http://x.example]:skull:"),
        ),
    }


@pytest.mark.parametrize("tell", texts_with_escapes().values(), ids=texts_with_escapes())
def test_a_record_gives_the_terminal_no_commands(tell: Callable[[Operator], object], tmp_path: Path) -> None:
    """Whatever an operator writes into a record is refused, spelled out, or printable."""
    operator = started()
    tell(operator)
    log = operator.write(tmp_path)
    for options in ((), ("--json",)):
        status, output = on_a_terminal("audit", log, "--key", VKEY, *options)
        assert status in {HELD, FAILED}
        check_tame(output)


def test_a_reason_is_shown_as_it_stands(tmp_path: Path) -> None:
    """Markup in a reason is neither interpreted nor lost."""
    operator, reason = started(), "[red]\\x1b[2J[/red] :skull:"
    operator.lock("keno-1")
    operator.void("keno-1", reason=reason)
    table = operator.tables["keno-1"]
    code = str(RoundCode.of(table.game, table.table_id, 6, table.seeds_of(6)))
    status, output = on_a_terminal("code", code, "--log", operator.write(tmp_path), "--key", VKEY)
    assert status == HELD
    assert reason in output
    check_tame(output)


def test_what_a_user_was_told_to_type_gives_the_terminal_no_commands(log: Path, tmp_path: Path) -> None:
    """A code, a key, an address or a file name that somebody sent may be as hostile as a server."""
    text = ESCAPES.replace("\x00", "")
    for arguments in (
        ("code", text, "--log", log, "--key", VKEY),
        ("code", "crash1qqqqqqqq", "--log", log, "--key", VKEY, "--table", text),
        ("audit", tmp_path / text, "--key", VKEY),
        ("audit", f"http://{text}/log", "--key", VKEY),
        ("audit", log, "--key", VKEY, "--state", tmp_path / text / "state"),
    ):
        for options in ((), ("--json",)):
            _, output = on_a_terminal(*arguments, *options)
            check_tame(output)
            assert "Traceback" not in output


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, é and 日本", "plain text, é and 日本"),
        ("\x1b[2J", "\\x1b[2J"),
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\x9b", "\\x9b"),
        ("\u202e", "\\u202e"),
        ("\udcff", "\\udcff"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_what_is_harmless(text: str, shown: str) -> None:
    """Letters of any language stay; control characters and invisible ones are spelled out."""
    assert harmless(text) == shown


_WARDEN = """
import os, sys
allowed = tuple(os.environ["ALLOWED"].split(":"))
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGES = {"os.rename": 2, "os.remove": 1, "os.rmdir": 1, "os.mkdir": 1, "os.link": 2, "os.symlink": 2, "os.truncate": 1,
           "os.chmod": 1, "os.chown": 1, "os.utime": 1, "os.setxattr": 1, "shutil.copyfile": 2, "tempfile.mkstemp": 1}

def watch(event, arguments):
    if event == "open":
        path, mode, flags = arguments
        paths = [path] if flags & WRITES else []
    else:
        paths = arguments[: CHANGES.get(event, 0)]
    for path in paths:
        if not isinstance(path, int) and os.fsdecode(path) != os.devnull and not os.fsdecode(path).startswith(allowed):
            os.write(2, f"WRITTEN: {event} {path!r}\\n".encode())
            os._exit(77)

sys.addaudithook(watch)
"""


class Warden:
    """Runs the program so that writing anywhere but to the named paths ends it, also in its worker processes."""

    def __init__(self, folder: Path) -> None:
        self._site, self._empty = folder / "site", folder / "empty"
        self._site.mkdir()
        (self._site / "sitecustomize.py").write_text(_WARDEN)
        self._empty.mkdir()
        self._empty.chmod(0o500)

    def run(self, *arguments: str | Path, allowed: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run it in an empty folder."""
        house = str(HOUSE)
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": f"{self._site}:{house}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "ALLOWED": str(allowed) if allowed else "/nowhere/at/all",
        }
        return subprocess.run(
            [sys.executable, "-m", "verifier", *map(str, arguments)],
            cwd=self._empty,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    @property
    def left(self) -> list[Path]:
        """The files in the folder in which it ran."""
        return list(self._empty.iterdir())


@pytest.fixture(name="warden")
def _warden(tmp_path: Path) -> Warden:
    return Warden(tmp_path)


def test_the_warden_sees_what_is_written(warden: Warden, log: Path, tmp_path: Path) -> None:
    """A state file that it was not told of ends the program."""
    ran = warden.run("audit", log, "--key", VKEY, "--state", tmp_path / "state")
    assert ran.returncode == 77
    assert "WRITTEN: open" in ran.stderr


def test_nothing_is_written_but_what_the_user_named(
    warden: Warden, log: Path, operator: Operator, tmp_path: Path
) -> None:
    """No cache, no temporary file, no log file: from a folder and over HTTP, in one process and several, held and failed."""
    with serving(log) as address, serving_but(operator, gzipped, "tile/entries") as hostile:
        for arguments, status in (
            (("audit", log, "--key", VKEY, "--jobs", "1"), HELD),
            (("audit", log, "--key", VKEY, "--jobs", "2"), HELD),
            (("audit", address, "--key", VKEY), HELD),
            (("audit", address, "--key", VKEY, "--jobs", "2", "--json"), HELD),
            (("audit", hostile, "--key", VKEY), UNREADABLE),
            (("audit", log / "none", "--key", VKEY), UNREADABLE),
            (("code", code_of(operator), "--log", log, "--key", VKEY), HELD),
            (("code", code_of(operator), "--log", address, "--key", VKEY), HELD),
            (("code", code_of(operator)[:-1] + "b", "--log", address, "--key", VKEY), FAILED),
        ):
            ran = warden.run(*arguments)
            assert (ran.returncode, ran.stderr) == (status, ""), (arguments, ran.stdout, ran.stderr)
    assert warden.left == []
    state = tmp_path / "state"
    ran = warden.run("audit", log, "--key", VKEY, "--state", state, allowed=state)
    assert (ran.returncode, ran.stderr) == (HELD, "")
    assert {path.name for path in tmp_path.glob("state*")} == {"state"}
    assert json.loads(state.read_text())["v"] == 1


def test_only_the_named_server_is_spoken_to(log: Path, tmp_path: Path) -> None:
    """Neither a proxy from the environment nor any other host; the audit of a folder opens no connection."""
    with closing(socket.create_server(("127.0.0.1", 0))) as proxy:
        where = f"http://127.0.0.1:{proxy.getsockname()[1]}"
        environment = {**os.environ, **dict.fromkeys(("http_proxy", "HTTP_PROXY", "ALL_PROXY"), where)}
        with serving(log) as address:
            for source in (str(log), address):
                program = [sys.executable, "-m", "verifier", "audit", source, "--key", VKEY]
                ran = subprocess.run(program, env=environment, capture_output=True, cwd=tmp_path, check=False)
                assert ran.returncode == HELD
        proxy.settimeout(0)
        with pytest.raises(BlockingIOError):
            proxy.accept()
