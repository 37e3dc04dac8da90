"""A client's connections that are kept open between calls, which the service may close when they were silent for
long.

docs/http.md, "Two listeners": a call that meets such an end was not read, and is made again.
"""

from __future__ import annotations

import time
from typing import Any, ClassVar

import urllib3

from api.programs.serve import PATIENCE

_SILENT_FOR_LONG = PATIENCE / 2
"""In seconds, as the client measures it: on a busy machine it sees an answer long after the service has sent it."""


class EndedInSilence(urllib3.exceptions.ProtocolError):
    """A connection on which an earlier call was answered, and which then was silent for long, has ended before the
    next answer.
    """

    def __init__(self, seconds: float, error: ConnectionError) -> None:
        super().__init__(f"after {seconds:.1f} seconds of silence: {error!r}")


class _Kept(urllib3.connection.HTTPConnection):
    _answered: float | None = None

    def connect(self) -> None:
        self._answered = None
        super().connect()

    def request(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 -- as urllib3 declares it
        try:
            super().request(*arguments, **options)
        except ConnectionError as error:
            raise self._ended(error) from error

    def getresponse(self) -> urllib3.response.HTTPResponse:  # type: ignore[override]  # as urllib3's own
        try:
            answer = super().getresponse()
        except ConnectionError as error:
            raise self._ended(error) from error
        self._answered = time.monotonic()
        return answer

    def _ended(self, error: ConnectionError) -> Exception:
        silent = 0.0 if self._answered is None else time.monotonic() - self._answered
        return EndedInSilence(silent, error) if silent >= _SILENT_FOR_LONG else error


class _KeptPool(urllib3.HTTPConnectionPool):
    ConnectionCls: ClassVar[type[_Kept]] = _Kept  # type: ignore[misc]  # urllib3 has a protocol here


def kept_connections(*, size: int, timeout: float) -> urllib3.PoolManager:
    """Up to ``size`` of them to each listener; nothing is repeated."""
    made = urllib3.PoolManager(maxsize=size, retries=False, timeout=timeout)
    made.pool_classes_by_scheme = {**made.pool_classes_by_scheme, "http": _KeptPool}
    return made
