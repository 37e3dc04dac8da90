"""A proxy for the web, as companies have them: it finds names that nobody else finds, and wants to know who asks."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit

_LARGEST = 65_536
_LETS_IN = "Proxy-Authorization"
_ITS_OWN = {"Connection", "Transfer-Encoding"}


@dataclass
class WebProxy:
    """What a running one knows, and what it has seen."""

    address: str
    """As programs are told it."""
    names: Mapping[str, int]
    """The hosts that it finds, each a port of this machine."""
    expected: str | None = None
    """What it wants as ``Proxy-Authorization``."""
    seen: list[str] = field(default_factory=list)
    """Methods and addresses that it was asked for, in order."""

    def with_password(self, password: str) -> str:
        """Its address with the name ``ani`` and a password as it is spelled in an address."""
        return self.address.replace("://", f"://ani:{password}@")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    proxy: WebProxy

    def handle_error(self, *_: object) -> None:
        """Whoever has disconnected is nobody's concern."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def do_CONNECT(self) -> None:
        """Join the caller with the server that it names; what they say is not understood here."""
        self.close_connection = True
        if (port := self._found(f"//{self.path}")) is None:
            return
        with socket.create_connection(("127.0.0.1", port)) as far:
            self.send_response(HTTPStatus.OK, "Connection established")
            self.end_headers()
            back = Thread(target=_pass_on, args=(far, self.connection), daemon=True)
            back.start()
            _pass_on(self.connection, far)
            back.join()

    def do_GET(self) -> None:
        """Pass on a request and its answer, both of which are read on the way."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if (port := self._found(self.path)) is None:
            return
        headers = {name: value for name, value in self.headers.items() if name != _LETS_IN}
        with closing(HTTPConnection("127.0.0.1", port)) as far:
            far.request(self.command, "/" + self.path.split("/", 3)[3], body, headers)
            answer = far.getresponse()
            data = answer.read()
        self.send_response_only(answer.status, answer.reason)
        for name, value in answer.getheaders():
            if name not in _ITS_OWN:
                self.send_header(name, value)
        if "Content-Length" not in answer.headers and self.command != "HEAD":
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_POST = do_PUT = do_DELETE = do_HEAD = do_GET  # noqa: N815 -- the library's spelling

    def _found(self, address: str) -> int | None:
        """The port of the host of an address; without one, the caller has had its answer."""
        proxy = self.server.proxy
        proxy.seen.append(f"{self.command} {self.path}")
        if proxy.expected is not None and self.headers.get(_LETS_IN) != proxy.expected:
            self._refuse(HTTPStatus.PROXY_AUTHENTICATION_REQUIRED)
            return None
        port = proxy.names.get(urlsplit(address).hostname or "")
        if port is None:
            self._refuse(HTTPStatus.BAD_GATEWAY)
        return port

    def _refuse(self, status: HTTPStatus) -> None:
        page = b"<html>a page of the company</html>"
        self.send_response(status)
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(_LARGEST):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


@contextmanager
def web_proxy(names: Mapping[str, int], expected: str | None = None) -> Iterator[WebProxy]:
    """Run one on this machine."""
    with _Server(("127.0.0.1", 0), _Handler) as server:
        server.proxy = WebProxy(f"http://127.0.0.1:{server.server_port}", names, expected)
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server.proxy
        finally:
            server.shutdown()
            thread.join()
