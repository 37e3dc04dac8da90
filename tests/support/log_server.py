"""Web servers on this machine: one that serves a log's folder, and hostile ones."""

from __future__ import annotations

import socketserver
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, *_: object) -> None:
        """Ignore clients that have disconnected."""


class _Folder(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body are two writes: without this, the second waits for the client's acknowledgement of the first.
    disable_nagle_algorithm = True

    def end_headers(self) -> None:
        """Allow every page to read the log."""
        self.send_header("Access-Control-Allow-Origin", "*")
        super().end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class _Answering(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, answer: Callable[[BaseHTTPRequestHandler], None], *arguments: object) -> None:
        self._answer = answer
        super().__init__(*arguments)  # type: ignore[arg-type]  # what its base takes

    def do_GET(self) -> None:
        """Answer as the test wants; the client may disconnect before the end."""
        self.close_connection = True
        try:
            self._answer(self)
        except (BrokenPipeError, ConnectionResetError):
            return

    do_HEAD = do_POST = do_PUT = do_DELETE = do_GET  # noqa: N815 -- the library's spelling

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def _running(
    handler: Callable[..., socketserver.BaseRequestHandler], tls: ssl.SSLContext | None = None
) -> Iterator[str]:
    with _Server(("127.0.0.1", 0), handler) as server:
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve a folder; yields its address."""
    with _running(partial(_Folder, directory=str(folder))) as address:
        yield address


@contextmanager
def serving_with_tls(folder: Path, certificate: Path, key: Path) -> Iterator[int]:
    """Serve a folder over TLS; yields the port."""
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    with _running(partial(_Folder, directory=str(folder)), tls) as address:
        yield int(address.rpartition(":")[2])


@contextmanager
def answering(answer: Callable[[BaseHTTPRequestHandler], None]) -> Iterator[str]:
    """Answer every request with ``answer``; yields the server's address."""
    with _running(partial(_Answering, answer)) as address:
        yield address
