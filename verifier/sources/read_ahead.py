"""Fetches the next files while the current one is checked, so that latency costs no time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Self

from fairness.log.tiles import WIDTH, ReadFile, bundle_path, bundles_of, tile_path
from verifier.sources.limits import FILES_AHEAD


class ReadAhead:
    """Reads like ``read``, and fetches the files of ``paths`` before they are requested in that order."""

    def __init__(self, read: ReadFile, paths: Iterator[str]) -> None:
        self._read, self._paths = read, paths
        self._threads = ThreadPoolExecutor(FILES_AHEAD)
        self._coming: deque[tuple[str, Future[bytes]]] = deque()

    def __enter__(self) -> Self:
        for _ in range(FILES_AHEAD):
            self._fetch_next()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    def read(self, path: str) -> bytes:
        """The file at ``path``, whether or not it is the next one. Raises what ``read`` raises."""
        if not self._coming or self._coming[0][0] != path:
            return self._read(path)
        _, fetched = self._coming.popleft()
        try:
            return fetched.result()
        finally:
            self._fetch_next()

    def _fetch_next(self) -> None:
        path = next(self._paths, None)
        if path is not None:
            self._coming.append((path, self._threads.submit(self._read, path)))


def paths_of_partition(start: int, size: int, number: int, workers: int) -> Iterator[str]:
    """The bundles and tiles that one worker of an audit reads, in its order."""
    for bundle, width in bundles_of(start, size):
        yield bundle_path(bundle, width)
        # The partial tile at the log's edge was already read with the checkpoint.
        if width == WIDTH and bundle % workers == number:
            yield tile_path(0, bundle)
