"""Readers of the checkpoint, as many as pages and monitors have: one thread, and a connection for each."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from urllib.parse import urlsplit

from fairness.errors import ForedrawError
from fairness.log.checkpoints import Checkpoint
from fairness.log.notes import VerifierKey

_PATIENCE_SECONDS = 30.0
_RETRY_SECONDS = 1.0


class Watchers(threading.Thread):
    """Each reads the checkpoint every few seconds: what it sees is signed, never shrinks, and has one root for one size."""

    def __init__(self, log: str, key: VerifierKey, number: int, seconds: float) -> None:
        """``log`` is the log's address; ``seconds`` the rest of each watcher between two readings."""
        super().__init__(name="watchers", daemon=True)
        parts = urlsplit(log)
        self._host, self._port, self._path = parts.hostname or "", parts.port or 80, f"{parts.path}/checkpoint"
        self._key, self._number, self._seconds = key, number, seconds
        self.stopping = threading.Event()
        self.readings = self.outages = 0
        """How many checkpoints were read; how often there was no answer, or one that announces an outage."""
        self.wrong: list[str] = []
        self._roots: dict[int, bytes] = {}

    def run(self) -> None:
        """Watch until told to stop."""
        asyncio.run(self._all())

    async def _all(self) -> None:
        async with asyncio.TaskGroup() as group:
            for number in range(self._number):
                group.create_task(self._watch(self._seconds * number / self._number))

    async def _watch(self, begin: float) -> None:
        await self._rest(begin)
        size = 0
        while not self.stopping.is_set():
            with suppress(OSError, EOFError, TimeoutError):
                reader, writer = await asyncio.wait_for(
                    asyncio.open_connection(self._host, self._port), _PATIENCE_SECONDS
                )
                try:
                    while not self.stopping.is_set():
                        size = await asyncio.wait_for(self._read(reader, writer, size), _PATIENCE_SECONDS)
                        await self._rest(self._seconds)
                finally:
                    writer.close()
            if not self.stopping.is_set():
                self.outages += 1
                await self._rest(_RETRY_SECONDS)

    async def _rest(self, seconds: float) -> None:
        while seconds > 0 and not self.stopping.is_set():
            await asyncio.sleep(min(seconds, _RETRY_SECONDS))
            seconds -= _RETRY_SECONDS

    async def _read(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, before: int) -> int:
        writer.write(f"GET {self._path} HTTP/1.1\r\nHost: {self._host}\r\n\r\n".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        lines = dict(line.split(": ", 1) for line in head.split("\r\n")[1:] if line)
        body = await reader.readexactly(int(lines.get("content-length", "0")))
        status = int(head.split(" ", 2)[1])
        if status == 503 and "retry-after" in lines:
            raise EOFError
        try:
            if status != 200:
                raise ForedrawError(f"status {status}")
            checkpoint = Checkpoint.open(body, self._key)
        except ForedrawError as error:
            self.wrong.append(f"a checkpoint that is none: {error}")
            return before
        if checkpoint.size < before or self._roots.setdefault(checkpoint.size, checkpoint.root) != checkpoint.root:
            self.wrong.append(f"a checkpoint of {checkpoint.size} records, after {before}, that is of another log")
        self.readings += 1
        return checkpoint.size
