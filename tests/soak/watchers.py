"""Readers of the checkpoint, as many as pages and monitors have: one thread, and a connection for each."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from urllib.parse import urlsplit

from fairness.errors import ForedrawError
from fairness.log.checkpoints import Checkpoint
from fairness.log.notes import VerifierKey

_PATIENCE_SECONDS = 30.0
_RETRY_SECONDS = 1.0


class AwayError(Exception):
    """The service announced that it cannot answer now, and by which code."""


class Watchers(threading.Thread):
    """Each reads the checkpoint every few seconds: what it sees is signed, never shrinks, and has one root for one
    size.
    """

    def __init__(
        self,
        log: str,
        key: VerifierKey,
        number: int,
        seconds: float,
        excuse: Callable[[float], bool] = lambda _: False,
    ) -> None:
        """``log`` is the log's address; ``seconds`` the rest of each watcher between two readings.

        A connection may fail if there is an ``excuse`` for it, by the time when it was sound.
        """
        super().__init__(name="watchers", daemon=True)
        parts = urlsplit(log)
        self._host, self._port, self._path = parts.hostname or "", parts.port or 80, f"{parts.path}/checkpoint"
        self._key, self._number, self._seconds, self._excuse = key, number, seconds, excuse
        self.stopping = threading.Event()
        self.readings = 0
        self.outages: Counter[str] = Counter()
        """How often there was no answer, by the error, or one that announces an outage, by its code."""
        self.wrong: list[str] = []
        self._have_read: set[int] = set()
        self._roots: dict[int, bytes] = {}
        self.notes: dict[int, bytes] = {}
        """A signed checkpoint of each size that was read."""

    def run(self) -> None:
        """Watch until told to stop, and until each has read a checkpoint, or something is wrong."""
        try:
            asyncio.run(self._all())
        except Exception as error:  # noqa: BLE001 -- whatever ends the watchers has to be seen by those who judge
            self.wrong.append(f"the watchers ended: {error!r}")

    async def _all(self) -> None:
        async with asyncio.TaskGroup() as group:
            for number in range(self._number):
                group.create_task(self._watch(number))

    async def _watch(self, number: int) -> None:
        await self._rest(self._seconds * number / self._number)
        size = 0
        while self._goes_on(number):
            sound, answered = time.monotonic(), False
            try:
                reader, writer = await asyncio.wait_for(
                    asyncio.open_connection(self._host, self._port), _PATIENCE_SECONDS
                )
                try:
                    while self._goes_on(number):
                        size = await asyncio.wait_for(self._read(reader, writer, size, number), _PATIENCE_SECONDS)
                        sound, answered = time.monotonic(), True
                        await self._rest(self._seconds)
                finally:
                    writer.close()
            except AwayError as away:
                self.outages[str(away)] += 1
            except (OSError, EOFError) as error:
                self.outages[type(error).__name__] += 1
                # A server may close a connection between two requests.
                if not (answered and _is_end(error)) and not self._excuse(sound):
                    self.wrong.append(f"no checkpoint was read: {error!r}")
            await self._rest(_RETRY_SECONDS)

    def _goes_on(self, number: int) -> bool:
        return not self.stopping.is_set() or not (self.wrong or number in self._have_read)

    async def _rest(self, seconds: float) -> None:
        while seconds > 0 and not self.stopping.is_set():
            await asyncio.sleep(min(seconds, _RETRY_SECONDS))
            seconds -= _RETRY_SECONDS

    async def _read(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, before: int, number: int
    ) -> int:
        writer.write(f"GET {self._path} HTTP/1.1\r\nHost: {self._host}\r\n\r\n".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        first, *others = head.rstrip().split("\r\n")
        lines = dict(line.split(": ", 1) for line in others)
        body = await reader.readexactly(int(lines.get("content-length", "0")))
        status = int(first.split(" ", 2)[1])
        if status == 503 and "retry-after" in lines:
            raise AwayError(json.loads(body)["code"])
        try:
            if status != 200:
                raise ForedrawError(f"status {status}")
            checkpoint = Checkpoint.open(body, self._key)
        except ForedrawError as error:
            self.wrong.append(f"a checkpoint that is none: {error}")
            return before
        if checkpoint.size < before or self._roots.setdefault(checkpoint.size, checkpoint.root) != checkpoint.root:
            self.wrong.append(f"a checkpoint of {checkpoint.size} records, after {before}, that is of another log")
        self.notes.setdefault(checkpoint.size, body)
        self.readings += 1
        self._have_read.add(number)
        return checkpoint.size


def _is_end(error: Exception) -> bool:
    """Whether a connection ended before the first byte of an answer."""
    return isinstance(error, ConnectionError) or (
        isinstance(error, asyncio.IncompleteReadError) and not error.partial
    )
