"""``foredraw beacon``: the relay of a chain with one node, with drand's HTTP interface (version 1, which every relay
has).
"""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from api.beacon.node import SCHEME, Node
from api.world.clock import Clock
from fairness.beacon.pulse import salt_of

_ROUND = re.compile(r"/public/([1-9][0-9]{0,15})")
_PATIENCE = 10.0
_FOR_EVER = "public, max-age=604800, immutable"
_NOT_AT_ALL = "no-store"


class RelayServer(ThreadingHTTPServer):
    """Answers for one node. A round's pulse is served from its time on, and not before."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, node: Node, host: str, port: int, clock: Clock) -> None:
        """Listen; a port of 0 is any free one. Raises `OSError`."""
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.node, self._clock = node, clock
        super().__init__((host, port), _Handler)

    @property
    def url(self) -> str:
        """Where it is reached."""
        host, port = self.server_address[:2]
        name = host.decode() if isinstance(host, bytes) else str(host)
        return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"

    def handle_error(self, *_: object) -> None:
        """Pass over a client that has disconnected: it is nobody's concern."""

    def answer(self, path: str) -> tuple[HTTPStatus, Mapping[str, object] | list[str], str]:
        """Return status, body and caching of the answer to a path."""
        beacon = self.node.beacon
        chain_hash = beacon.chain_hash.hex()
        if path == "/chains":
            return HTTPStatus.OK, [chain_hash], _NOT_AT_ALL
        # A relay's only chain is also its default, without the hash in the address.
        local = path.removeprefix(f"/{chain_hash}")
        newest = beacon.newest_at(int(self._clock.moment().timestamp()))
        asked = _ROUND.fullmatch(local)
        if local == "/info":
            return HTTPStatus.OK, self._info(), _FOR_EVER
        if local == "/health":
            return HTTPStatus.OK, {"current": newest, "expected": newest}, _NOT_AT_ALL
        if local == "/public/latest" and newest:
            return HTTPStatus.OK, self._pulse(newest), _NOT_AT_ALL
        if asked is not None and int(asked[1]) <= newest:
            return HTTPStatus.OK, self._pulse(int(asked[1])), _FOR_EVER
        return HTTPStatus.NOT_FOUND, {"error": "not here, or not yet"}, _NOT_AT_ALL

    def _info(self) -> Mapping[str, object]:
        beacon = self.node.beacon
        return {
            "public_key": beacon.public_key.hex(),
            "period": beacon.period,
            "genesis_time": beacon.genesis,
            "hash": beacon.chain_hash.hex(),
            "groupHash": beacon.group_hash.hex(),
            "schemeID": SCHEME,
            "metadata": {"beaconID": beacon.id},
        }

    def _pulse(self, number: int) -> Mapping[str, object]:
        pulse = self.node.pulse(number)
        return {"round": number, "randomness": salt_of(pulse).hex(), "signature": pulse.hex()}


class _Handler(BaseHTTPRequestHandler):
    server: RelayServer
    protocol_version = "HTTP/1.1"
    timeout = _PATIENCE
    # Head and body are two writes: without this, the second waits for the client's acknowledgement of the first.
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        """Answer; drand-client adds a query to get past caches."""
        status, document, caching = self.server.answer(self.path.partition("?")[0])
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", caching)
        # Pages verify pulses, too, and come from elsewhere.
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- as its base has it
        """Log nothing: it is asked every few seconds."""
