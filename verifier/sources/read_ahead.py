"""Fetches the next files while the current one is checked, so that latency costs no time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from threading import Event
from types import TracebackType
from typing import Self

from fairness.log.tiles import WIDTH, ReadFile, bundle_path, bundles_of, tile_path
from verifier.sources.limits import FILES_AHEAD
from verifier.sources.source import HttpSource, Source


class ReadAhead:
    """Reads like ``read``, and fetches the files of ``paths`` before they are requested in that order."""

    def __init__(self, read: ReadFile, paths: Iterator[str], ended: Event | None = None) -> None:
        """At the end, ``ended`` is set: no thread waits on for a server that asked to wait."""
        self._read, self._paths, self._ended = read, paths, ended or Event()
        self._threads = ThreadPoolExecutor(FILES_AHEAD)
        self._coming: deque[tuple[str, Future[bytes]]] = deque()

    def __enter__(self) -> Self:
        for _ in range(FILES_AHEAD):
            self._fetch_next()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def read(self, path: str) -> bytes:
        """Return the file at ``path``, whether or not it is the next one. Raises what ``read`` raises."""
        if all(coming != path for coming, _ in self._coming):
            return self._read(path)
        # A reader that has a file already passes it over.
        while self._coming[0][0] != path:
            self._coming.popleft()
            self._fetch_next()
        _, fetched = self._coming.popleft()
        try:
            return fetched.result()
        finally:
            self._fetch_next()

    def _fetch_next(self) -> None:
        path = next(self._paths, None)
        if path is not None:
            self._coming.append((path, self._threads.submit(self._read, path)))


@contextmanager
def reading_ahead(source: Source, paths: Iterator[str]) -> Iterator[ReadFile]:
    """Read from ``source``; from a web server, with the files of ``paths`` fetched before they are requested."""
    if not isinstance(source, HttpSource):
        yield source.read
        return
    ended = Event()
    with ReadAhead(partial(source.read, ended=ended), paths, ended) as ahead:
        yield ahead.read


def paths_of_partition(start: int, end: int, is_hashed: Callable[[int], bool]) -> Iterator[str]:
    """Yield the bundles and tiles that one worker of an audit reads, in its order."""
    for bundle, width in bundles_of(start, end):
        yield bundle_path(bundle, width)
        # The partial tile at the log's edge was already read with the checkpoint.
        if width == WIDTH and is_hashed(bundle):
            yield tile_path(0, bundle)
