"""The log as nginx serves it with the kit's ``log.conf``, against the same file from the same nginx without any
rule.
"""

from __future__ import annotations

import re
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.figure import Figure, higher, neutral
from tests.support.running_service import PATIENCE_SECONDS, free_port, wait_until
from tests.support.web_servers import listens, nginx_command, static_log

_REQUESTS = 20_000
_AT_ONCE = 50
"""Requests that are sent together, so that the client costs little beside the server."""
_ROUNDS = 5
_TILE = 8192
_LENGTH = re.compile(rb"\r\nContent-Length: (\d+)\r\n")


def measure_static_log() -> Iterator[Figure]:
    """Full tiles a second over one connection, in turn."""
    with TemporaryDirectory(prefix="foredraw-bench-") as name:
        folder = Path(name)
        tile = folder / "data" / "log" / "tile" / "0" / "000"
        tile.parent.mkdir(parents=True)
        tile.write_bytes(bytes(_TILE))
        with static_log(folder / "ours", folder / "data") as log, _bare(folder / "bare", folder / "data") as bare:
            rates = [(_rate(bare), _rate(log)) for _ in range(_ROUNDS)]
    theirs, ours = (median(side) for side in zip(*rates, strict=True))
    yield Figure(
        "static log by nginx",
        [
            higher("tiles a second", ours, "/s", 0),
            neutral("bare nginx", theirs, "/s", 0),
            neutral("ratio", ours / theirs, "", 2),
        ],
        "nginx's own rate: at least 0.9 of it",
        met=ours / theirs >= 0.9,
    )


@contextmanager
def _bare(folder: Path, data: Path) -> Iterator[str]:
    port = free_port()
    (folder / "conf.d").mkdir(parents=True)
    (folder / "conf.d" / "bare.conf").write_text(
        f"server {{ listen 127.0.0.1:{port}; root {data}; types {{ }} default_type application/octet-stream; }}\n"
    )
    process = subprocess.Popen(nginx_command(folder), stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: listens(port), "nginx to listen")
        yield f"http://127.0.0.1:{port}/log"
    finally:
        process.terminate()
        process.wait(PATIENCE_SECONDS)


def _rate(address: str) -> float:
    """Requests a second for the tile, over one connection."""
    host, port = address.removeprefix("http://").removesuffix("/log").split(":")
    request = b"GET /log/tile/0/000 HTTP/1.1\r\nHost: localhost\r\n\r\n"
    begun, served = time.perf_counter(), 0
    while served < _REQUESTS:
        # Nginx ends a connection after a thousand requests.
        with socket.create_connection((host, int(port)), PATIENCE_SECONDS) as connection:
            for _ in range(900 // _AT_ONCE):
                connection.sendall(request * _AT_ONCE)
                _receive(connection, _AT_ONCE)
                served += _AT_ONCE
    return served / (time.perf_counter() - begun)


def _receive(connection: socket.socket, count: int) -> None:
    """Read so many answers of one length."""
    data = connection.recv(1 << 20)
    head = data.index(b"\r\n\r\n") + 4
    found = _LENGTH.search(data[:head])
    if not data.startswith(b"HTTP/1.1 200 ") or found is None or int(found[1]) != _TILE:
        raise RuntimeError(f"expected a tile, found {data[:80]!r}")
    left = count * (head + _TILE) - len(data)
    while left > 0:
        left -= len(connection.recv(1 << 20))
