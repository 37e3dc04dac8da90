"""Answers that no honest server gives, byte for byte."""

from __future__ import annotations

import gzip
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

from fairness.player.round_code import RoundCode
from tests.support.dishonest_operator import KEY, Operator
from tests.support.log_server import answering

VKEY = str(KEY.verifier_key)
Answer = Callable[[BaseHTTPRequestHandler, bytes], None]


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
