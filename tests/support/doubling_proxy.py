"""A proxy that repeats calls by itself, as meshes and HTTP clients do, and passes on the answer to the second."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import urllib3

_ITS_OWN = {"connection", "transfer-encoding", "server", "date"}


class _Doubling(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, behind: str, between: Callable[[], object], *arguments: object) -> None:
        self._behind, self._between = behind, between
        super().__init__(*arguments)  # type: ignore[arg-type]  # what its base takes

    def do_GET(self) -> None:
        """Pass a call on, a lock twice."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
        call = partial(urllib3.request, self.command, self._behind + self.path, body=body, headers=headers)
        answer = call(retries=False)
        if self.path.endswith("/lock"):
            self._between()
            answer = call(retries=False)
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            if name.lower() not in _ITS_OWN:
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.data)

    do_POST = do_GET  # noqa: N815 -- the library's spelling

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def doubling_proxy(behind: str, between: Callable[[], object] = lambda: None) -> Iterator[str]:
    """In front of an address; yields its own. ``between`` is done between the two calls."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Doubling, behind, between)) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()
