"""A line between two programs of this machine that a test makes slow, or cuts without either of them noticing."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

_LARGEST = 65_536


class Line:
    """Passes on what comes, after a while."""

    def __init__(self, port: int) -> None:
        self._to, self._over, self._plugged = port, Event(), Event()
        self._plugged.set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._ends: set[socket.socket] = set()
        self._threads: list[Thread] = []
        self.port = int(self._listener.getsockname()[1])
        self.delay = 0.0
        """In seconds: of each packet, in each direction."""

    def start(self) -> None:
        """Accept connections from now on."""
        self._start(self._accept)

    def _start(self, work: Callable[..., None], *arguments: socket.socket) -> None:
        self._threads.append(Thread(target=work, args=arguments, daemon=True))
        self._threads[-1].start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                self._ends.add(near)
                self._threads = [each for each in self._threads if each.is_alive()]
                self._start(self._join, near)

    def _join(self, near: socket.socket) -> None:
        """One connection, to its end: then nothing of it is left, however many there are."""
        try:
            with near, suppress(OSError), socket.create_connection(("127.0.0.1", self._to)) as far:
                self._ends.add(far)
                if self._over.is_set():
                    # `close` may have looked before.
                    _cut(far)
                back = Thread(target=self._pass_on, args=(far, near), daemon=True)
                back.start()
                self._pass_on(near, far)
                back.join()
                self._ends.discard(far)
        finally:
            self._ends.discard(near)

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(_LARGEST):
                self._over.wait(self.delay)
                self._plugged.wait()
                target.sendall(data)
        for end in (source, target):
            _cut(end)

    @contextmanager
    def unplugged(self) -> Iterator[None]:
        """Nothing arrives meanwhile at either end, and no end notices; afterwards it does, as packets are sent
        again.
        """
        self._plugged.clear()
        try:
            yield
        finally:
            self._plugged.set()

    def hang_up(self) -> None:
        """Cut all connections; new ones are accepted."""
        for end in list(self._ends):
            _cut(end)

    def close(self) -> None:
        """Accept nothing more, and cut all connections."""
        self._over.set()
        self._plugged.set()
        _cut(self._listener)
        # The first one accepts, and may just have added more.
        self._threads[0].join()
        for end in list(self._ends):
            _cut(end)
        for thread in self._threads[1:]:
            thread.join()
        self._listener.close()


def _cut(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)


@contextmanager
def line_to(port: int) -> Iterator[Line]:
    """A line to a port of this machine."""
    line = Line(port)
    line.start()
    try:
        yield line
    finally:
        line.close()
