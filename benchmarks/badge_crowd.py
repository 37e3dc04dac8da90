"""Many badges on one round, each with an address and a connection of its own, as in many browsers.

``python -m benchmarks.badge_crowd``, so that they run in a separate process. Each asks as the badge does, in
``api/pages/static/badge_service.js``: the same addresses in the same order, with the pauses that stand there, and the
headers of a browser that keeps answers. `benchmarks.badges` compares all of that with a badge in a browser.

When all have seen the round's end, the program prints a line, and reads a line of JSON: the files of the log that a
check needs. Within a second, as they ask about the round, all fetch these, too. Then it prints what they asked for.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import sys
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from api.pages.files.assets import STATIC

_CONNECTING_SECONDS = 3.0
"""Within so many seconds all pages were opened."""
_PATIENCE_SECONDS = 60.0
Document = Mapping[str, object]


def pauses() -> dict[str, float]:
    """The badge's own pauses in seconds, by the names that they have in its source."""
    source = (STATIC / "badge_service.js").read_text("utf-8")
    found = re.findall(r"^const (FRESH|TO_COME|NOT_YET) = ([0-9]+);", source, re.MULTILINE)
    return {name: int(milliseconds) / 1000 for name, milliseconds in found}


@dataclass
class Connection:
    """A browser's connection, with what it keeps of answers."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    host: str
    asked: list[str] = field(default_factory=list)
    """Its requests: the path, then ``changed?`` if there is an answer already, ``fresh`` if it wants no cache's."""
    _kept: dict[str, tuple[bytes, bytes]] = field(default_factory=dict)

    async def get(self, path: str, *, fresh: bool = False) -> bytes:
        """Return the body of an answer. Raises `RuntimeError` if it is neither 200 nor 304."""
        etag, body = self._kept.get(path, (b"", b""))
        lines = {"Host": self.host, "Accept-Encoding": "gzip, deflate, br"}
        if fresh:
            lines |= {"Cache-Control": "no-cache", "Pragma": "no-cache"}
        elif etag:
            lines["If-None-Match"] = etag.decode()
        self.asked.append(path + (" fresh" if fresh else " changed?" if etag else ""))
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        self.writer.write(f"GET {path} HTTP/1.1\r\n{head}\r\n".encode())
        status, headers, received = await self._answer()
        if status == b"304":
            return body
        if status != b"200":
            raise RuntimeError(f"{path}: {status.decode()} {received[:200]!r}")
        whole = zlib.decompress(received, wbits=31) if headers.get(b"content-encoding") == b"gzip" else received
        if b"etag" in headers:
            self._kept[path] = headers[b"etag"], whole
        return whole

    async def _answer(self) -> tuple[bytes, dict[bytes, bytes], bytes]:
        head = await self.reader.readuntil(b"\r\n\r\n")
        first, *rest = head.split(b"\r\n")[:-2]
        fields = (line.partition(b": ") for line in rest)
        headers = {name.lower(): value for name, _, value in fields}
        size = int(headers.get(b"content-length", b"0"))
        return first.split(b" ", 2)[1], headers, await self.reader.readexactly(size)


async def follow(connection: Connection, table: str, number: int) -> None:
    """Ask until the round has ended, as ``follow`` in the badge's source does."""
    waits = pauses()
    ended = False
    known = False
    while not ended:
        feed = json.loads(await connection.get(f"/v1/tables/{table}/live"))
        is_going_on = any(each["round"] == number for each in feed["now"])
        is_over = not is_going_on and number < feed["next_round"]
        if is_over or not known:
            answer = json.loads(await connection.get(f"/v1/tables/{table}/rounds/{number}"))
            known, ended = True, answer["status"] in ("played", "void")
        if not ended:
            pause = waits["NOT_YET"] if is_over else waits["FRESH"] if is_going_on else waits["TO_COME"]
            await asyncio.sleep(pause)


class Crowd:
    """So many badges of one round."""

    def __init__(self, port: int, table: str, number: int) -> None:
        self._port, self._table, self._number = port, table, number
        self.files: asyncio.Future[Sequence[str]] = asyncio.get_running_loop().create_future()

    async def badge(self, index: int, ended: asyncio.Barrier) -> list[str]:
        """Run one of them, at an address of its own; return what it asked for."""
        await asyncio.sleep(random.random() * _CONNECTING_SECONDS)
        address = f"127.1.{index // 250}.{index % 250 + 1}"
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port, local_addr=(address, 0))
        connection = Connection(reader, writer, f"localhost:{self._port}")
        await follow(connection, self._table, self._number)
        await ended.wait()
        files = await self.files
        await asyncio.sleep(random.random() * pauses()["FRESH"])
        for path in files:
            changes = path == "/log/checkpoint" or path.startswith("/log/find/")
            await connection.get(path, fresh=changes)
        writer.close()
        return connection.asked


async def _run(count: int, port: int, table: str, number: int) -> list[list[str]]:
    crowd, ended = Crowd(port, table, number), asyncio.Barrier(count + 1)
    async with asyncio.timeout(_PATIENCE_SECONDS), asyncio.TaskGroup() as group:
        badges = [group.create_task(crowd.badge(index, ended)) for index in range(count)]
        await ended.wait()
        print("ended", flush=True)
        crowd.files.set_result(json.loads(await asyncio.to_thread(sys.stdin.readline)))
    return [badge.result() for badge in badges]


def main() -> None:
    """Watch a round to its end, and print what each badge asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("count", type=int)
    parser.add_argument("port", type=int)
    parser.add_argument("table")
    parser.add_argument("round", type=int)
    arguments = parser.parse_args()
    asked = asyncio.run(_run(arguments.count, arguments.port, arguments.table, arguments.round))
    json.dump(asked, sys.stdout)


if __name__ == "__main__":
    main()
