"""A hostile answer is no verdict, and no other server is asked."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from contextlib import closing
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from tests.support.dishonest_operator import Operator
from tests.support.log_server import answering, serving
from tests.support.ran import Ran
from tests.verifier.sources.hostile.answers import (
    VKEY,
    Answer,
    answer,
    code_of,
    continued,
    gzipped,
    header_flood,
    length,
    long_header,
    reset,
    serving_but,
    with_headers,
    with_status,
)
from verifier.commands.command import FAILED, HELD, NOT_SHOWN, UNREADABLE

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


@pytest.mark.parametrize("header", ["Content-Encoding", "Transfer-Encoding"])
@pytest.mark.parametrize("value", ["", " ", ",", "identity", "Identity, identity", "identity,"])
def test_an_encoding_that_changes_nothing_is_none(
    header: str, value: str, operator: Operator, capsys: pytest.CaptureFixture[str]
) -> None:
    """Some servers and boxes in between send the header without a value."""

    def respond(request: BaseHTTPRequestHandler, body: bytes) -> None:
        answer(request, body, length(body), (header, value))

    with serving_but(operator, respond, "") as address:
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


@pytest.mark.nightly("every answer of a hostile server, once more")
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
        # Nothing in such a checkpoint claims to be this log's, and nobody signs finding aids.
        expected = UNREADABLE if path == "checkpoint" else NOT_SHOWN if path.startswith("find") else FAILED
        assert ran.status == expected, (path, ran.output)


def test_only_the_named_server_is_spoken_to(log: Path, tmp_path: Path) -> None:
    """On this machine, neither a proxy from the environment nor any other host; the audit of a folder opens no
    connection.
    """
    with closing(socket.create_server(("127.0.0.1", 0))) as proxy:
        where = f"http://127.0.0.1:{proxy.getsockname()[1]}"
        proxies = dict.fromkeys(("http_proxy", "HTTP_PROXY", "ALL_PROXY"), where)
        environment = {**os.environ, **proxies, **dict.fromkeys(("no_proxy", "NO_PROXY"), "")}
        with serving(log) as address:
            for source in (str(log), address):
                program = [sys.executable, "-m", "verifier", "audit", source, "--key", VKEY]
                ran = subprocess.run(program, env=environment, capture_output=True, cwd=tmp_path, check=False)
                assert ran.returncode == HELD
        proxy.settimeout(0)
        with pytest.raises(BlockingIOError):
            proxy.accept()
