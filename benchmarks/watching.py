"""Many watchers: each requests the live feed once a second, on its own connection, like a page.

``python -m benchmarks.watching``, so that they run in a separate process. It prints JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import time
import zlib
from dataclasses import dataclass, field

_EVERY_SECONDS = 1.0


@dataclass
class Watchers:
    """What all of them have seen, and when: seconds of the machine's monotonic clock, which all programs share."""

    port: int
    until: float
    seen: dict[str, list[float]] = field(default_factory=dict)
    """When each watcher first saw a round that has ended, by table and number."""
    waits: list[float] = field(default_factory=list)
    answers: int = 0
    unchanged: int = 0
    received: int = 0
    failures: list[str] = field(default_factory=list)
    _rounds: dict[bytes, frozenset[str]] = field(default_factory=dict)

    async def watch(self) -> None:
        """Run one watcher."""
        try:
            await asyncio.sleep(random.random() * _EVERY_SECONDS)
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            known: frozenset[str] = frozenset()
            etag = b""
            while time.monotonic() < self.until:
                asked = time.monotonic()
                writer.write(
                    b"GET /v1/live HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n" + _condition(etag) + b"\r\n"
                )
                etag, body = await self._answer(reader, etag)
                now = time.monotonic()
                self.waits.append(now - asked)
                rounds = self._ended(etag, body) if body else known
                for each in rounds - known:
                    self.seen.setdefault(each, []).append(now)
                known = rounds
                await asyncio.sleep(asked + _EVERY_SECONDS - now)
            writer.close()
        except Exception as error:  # noqa: BLE001 -- reported at the end
            self.failures.append(f"{type(error).__name__}: {error}")

    async def _answer(self, reader: asyncio.StreamReader, etag: bytes) -> tuple[bytes, bytes]:
        head = await reader.readuntil(b"\r\n\r\n")
        lines = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:-2])
        status, size = head.split(b" ", 2)[1], int(lines.get(b"content-length", b"0"))
        body = await reader.readexactly(size)
        self.answers += 1
        self.received += len(head) + size
        if status == b"304":
            self.unchanged += 1
            return etag, b""
        if status != b"200":
            raise RuntimeError(f"{status.decode()} {body[:200].decode()}")
        return lines[b"etag"], body

    def _ended(self, etag: bytes, body: bytes) -> frozenset[str]:
        """Parse each answer only once for all watchers, because in reality they are separate computers."""
        if etag not in self._rounds:
            tables = json.loads(zlib.decompress(body, wbits=31))["tables"]
            self._rounds[etag] = frozenset(
                f"{table['table']} {row['round']}" for table in tables for row in table["last"]
            )
        return self._rounds[etag]


def _condition(etag: bytes) -> bytes:
    return b"If-None-Match: " + etag + b"\r\n" if etag else b""


async def _run(watchers: Watchers, count: int) -> None:
    await asyncio.gather(*(watchers.watch() for _ in range(count)))


def main() -> None:
    """Watch for a while, and print what was seen when."""
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("seconds", type=float)
    arguments = parser.parse_args()
    watchers = Watchers(arguments.port, time.monotonic() + arguments.seconds)
    asyncio.run(_run(watchers, arguments.count))
    waits = sorted(watchers.waits)
    result = {
        "seen": watchers.seen,
        "answers": watchers.answers,
        "unchanged": watchers.unchanged,
        "bytes": watchers.received,
        "p99": waits[len(waits) * 99 // 100],
        "failures": watchers.failures[:3],
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
