"""Attackers, all in one process: connections that stall or send nonsense, and expensive calls.

``python -m benchmarks.attack``. It prints a line once all connections are established, attacks until its standard
input ends, and prints JSON of what it did and of its own CPU time, because real attackers compute elsewhere. Its
rates are bounded, so that it stays cheap.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import socket
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from api.server.priority import NICENESS, prepare_to_give_way

_PAUSE = 0.25
"""Seconds between two requests of a connection that sends them in a loop."""
_HELD = 5.0
"""How long a connection that reads nothing is held before another replaces it."""
_READ = 65536
_PATIENCE = 10.0
_LONGEST_START = 60.0
_KEEP = b"Host: x\r\nConnection: keep-alive\r\n"
_FORM = b"Content-Type: application/x-www-form-urlencoded\r\n"


@dataclass
class Attack:
    """A number of connections, equally divided among the kinds, and a number of expensive calls per second."""

    public: int
    engines: int
    tables: list[str]
    standing: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))
    """Counts the connections that are in place."""
    done: Counter[str] = field(default_factory=Counter)
    """What was done and its result, by kind: ``call 200``, ``half a body, cut off``."""
    _numbers: itertools.count[int] = field(default_factory=itertools.count)
    _idle: list[_Streams] = field(default_factory=list)

    async def run(self, connections: int, calls: int, ended: asyncio.Event) -> tuple[float, float]:
        """Open all connections, say so, and attack until the end; returns the seconds and the CPU time of the
        attack.
        """
        kinds = [self._half_head, self._half_body, self._taker_of_nothing, self._silent, self._malformed, self._post]
        tasks = [asyncio.create_task(self._again(kinds[i % len(kinds)])) for i in range(connections)]
        async with asyncio.timeout(_LONGEST_START):
            for _ in range(connections):
                await self.standing.acquire()
        print("standing", flush=True)
        self.done.clear()
        begun, computed, sent = time.monotonic(), time.process_time(), 0
        while not ended.is_set():
            # Delayed calls are made up for, so the rate is the stated one.
            while sent < (time.monotonic() - begun) * calls:
                tasks.append(asyncio.create_task(self._expensive()))
                sent += 1
                self.done["call sent"] += 1
            await asyncio.sleep(0.01)
        taken = time.monotonic() - begun, time.process_time() - computed
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return taken

    async def _again(self, kind: Callable[[_Stand], Awaitable[None]]) -> None:
        """One connection of a kind, replaced when it ends."""
        stand = _Stand(self)
        while True:
            try:
                await kind(stand)
            except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                self.done[f"{kind.__name__[1:].replace('_', ' ')}, reset"] += 1
            stand.stands()
            await asyncio.sleep(_PAUSE)

    async def _half_head(self, stand: _Stand) -> None:
        await self._until_cut(stand, b"GET / HTTP/1.1\r\nHost: x\r\nX-Half: ", "half a head")

    async def _half_body(self, stand: _Stand) -> None:
        head = (
            b"POST /ops/login HTTP/1.1\r\nHost: x\r\nOrigin: https://x\r\n"
            + _FORM
            + b"Content-Length: 100\r\n\r\nhalf"
        )
        await self._until_cut(stand, head, "half a body")

    async def _silent(self, stand: _Stand) -> None:
        await self._until_cut(stand, b"GET /v1/live HTTP/1.1\r\n" + _KEEP + b"\r\n", "silence after an answer")

    async def _until_cut(self, stand: _Stand, data: bytes, what: str) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.public)
        try:
            writer.write(data)
            await writer.drain()
            stand.stands()
            while await reader.read(_READ):
                pass
            self.done[f"{what}, cut off"] += 1
        finally:
            writer.close()

    async def _taker_of_nothing(self, stand: _Stand) -> None:
        with socket.socket() as plain:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            plain.setblocking(False)  # noqa: FBT003 -- it takes no keywords
            loop = asyncio.get_running_loop()
            await loop.sock_connect(plain, ("127.0.0.1", self.public))
            await loop.sock_sendall(plain, b"GET /verify.html HTTP/1.1\r\nHost: x\r\n\r\n" * 20)
            stand.stands()
            await asyncio.sleep(_HELD)
            self.done["took nothing"] += 1

    async def _malformed(self, stand: _Stand) -> None:
        await self._until_cut(stand, b"GET / HTTP/1.1\r\nno header\r\n\r\n", "malformed")

    async def _post(self, stand: _Stand) -> None:
        """Posts without a token, on one connection, to the public listener or that of the engines."""
        port = self.public if next(self._numbers) % 2 else self.engines
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        path = f"/v1/engine/tables/{self.tables[0]}/rounds/1/open".encode()
        try:
            while True:
                writer.write(b"POST " + path + b" HTTP/1.1\r\n" + _KEEP + b"Content-Length: 0\r\n\r\n")
                stand.stands()
                self.done[f"post {await _answer(reader)}"] += 1
                await asyncio.sleep(_PAUSE)
        finally:
            writer.close()

    async def _expensive(self) -> None:
        """One of the most expensive calls, each with a different address, so that no cache has it."""
        number = next(self._numbers)
        table, path = self.tables[number % len(self.tables)], _EXPENSIVE[number % len(_EXPENSIVE)]
        writer = None
        try:
            async with asyncio.timeout(_PATIENCE):
                reader, writer = await self._connection()
                request = f"GET {path.format(table=table, n=number)} HTTP/1.1\r\nAccept: text/html\r\n".encode()
                writer.write(request + _KEEP + b"\r\n")
                status = await _answer(reader)
            self.done[f"call {status}"] += 1
            self._idle.append((reader, writer))
        except (OSError, asyncio.IncompleteReadError) as error:
            self.done["call not answered" if isinstance(error, TimeoutError) else "call reset"] += 1
            if writer is not None:
                writer.close()

    async def _connection(self) -> _Streams:
        while self._idle:
            reader, writer = self._idle.pop()
            if not reader.at_eof():
                return reader, writer
            writer.close()
        return await asyncio.open_connection("127.0.0.1", self.public)


_EXPENSIVE = ("/tables/{table}?outcome={n}", "/tables/{table}?from=9999999.99&to={n}&status=played")
_Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass
class _Stand:
    """One connection's place; it counts once, from the first time that it is in place."""

    attack: Attack
    counted: bool = False

    def stands(self) -> None:
        """The connection is in place now."""
        if not self.counted:
            self.counted = True
            self.attack.standing.release()


async def _answer(reader: asyncio.StreamReader) -> str:
    """Read a complete answer; returns its status."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = head.partition(b"content-length: ")[2].partition(b"\r\n")[0]
    await reader.readexactly(int(length or b"0"))
    return head.split(b" ", 2)[1].decode()


def main() -> None:
    """Attack for a while, and print the result."""
    parser = argparse.ArgumentParser()
    for name in ("public", "engines", "connections", "calls"):
        parser.add_argument(name, type=int)
    parser.add_argument("tables", nargs="+")
    arguments = parser.parse_args()
    prepare_to_give_way(NICENESS)()
    attack = Attack(arguments.public, arguments.engines, arguments.tables)
    seconds, computed = asyncio.run(_until_input_ends(attack, arguments.connections, arguments.calls))
    rates = {what: count / seconds for what, count in attack.done.items()}
    print(json.dumps({"rates": rates, "cpu": computed / seconds}))


async def _until_input_ends(attack: Attack, connections: int, calls: int) -> tuple[float, float]:
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(sys.stdin, ended.set)
    return await attack.run(connections, calls, ended)


if __name__ == "__main__":
    main()
