"""The load on both the service and a bare Flask application: the same client, the same threads.

``python -m benchmarks.load``, so that it runs in a separate process. It prints JSON.
"""

from __future__ import annotations

import argparse
import http.client
import json
import statistics
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from secrets import token_urlsafe

Work = Callable[[http.client.HTTPConnection, str], None]


@dataclass
class Load:
    """Threads that repeat one thing until time is up, each on its own connection."""

    port: int
    token: str
    seconds: float
    done: int = 0
    pending: int = 0
    waits: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self, kind: str, subjects: list[str]) -> dict[str, object]:
        """Run one thread per subject (a table, or a path); returns what was measured."""
        work = {"rounds": self._rounds, "walk": self._walk, "get": self._get, "post": self._post}[kind]
        self._unread = self._ended_rounds(subjects) if kind == "walk" else deque()
        threads = [threading.Thread(target=self._guarded, args=[work, subject]) for subject in subjects]
        self._connected = threading.Barrier(len(threads), action=self._start)
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        elapsed = time.monotonic() - self._until + self.seconds
        tenth = max(1, len(self.waits) // 10)
        first, last = statistics.median(self.waits[:tenth] or [0]), statistics.median(self.waits[-tenth:] or [0])
        waits = sorted(self.waits)
        quantile = {p: waits[min(len(waits) - 1, int(len(waits) * p / 100))] if waits else 0.0 for p in (50, 99)}
        return {
            "rate": self.done / elapsed,
            "median": quantile[50],
            "p99": quantile[99],
            "median_of_first_tenth": first,
            "median_of_last_tenth": last,
            "pending": self.pending,
            "failures": self.failures[:3],
        }

    def _start(self) -> None:
        """Start the clock when the last thread is connected."""
        self._until = time.monotonic() + self.seconds

    def _guarded(self, work: Work, subject: str) -> None:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
            # A server accepts connections one by one; the first answer shows that it has accepted this one.
            connection.request("GET", subject if subject.startswith("/") else f"/v1/tables/{subject}")
            connection.getresponse().read()
            self._connected.wait()
            work(connection, subject)
        except Exception as error:  # noqa: BLE001 -- reported at the end
            self.failures.append(f"{subject}: {type(error).__name__}: {error}")

    def _call(
        self, connection: http.client.HTTPConnection, method: str, path: str, sent: str | None = None
    ) -> tuple[int, bytes]:
        connection.request(method, path, sent, headers={"Authorization": f"Bearer {self.token}"})
        response = connection.getresponse()
        body = response.read()
        if response.status not in (200, 202):
            raise RuntimeError(f"{method} {path}: {response.status} {body.decode()}")
        return response.status, body

    def _get(self, connection: http.client.HTTPConnection, path: str) -> None:
        self._repeat(connection, "GET", path)

    def _post(self, connection: http.client.HTTPConnection, path: str) -> None:
        self._repeat(connection, "POST", path)

    def _repeat(self, connection: http.client.HTTPConnection, method: str, path: str) -> None:
        done = 0
        while time.monotonic() < self._until:
            self._call(connection, method, path)
            done += 1
        with self._lock:
            self.done += done

    def _walk(self, connection: http.client.HTTPConnection, _: str) -> None:
        """Every round that has ended, once, whichever thread gets it."""
        done = 0
        while self._unread:
            try:
                path = self._unread.popleft()
            except IndexError:
                break
            self._call(connection, "GET", path)
            done += 1
        with self._lock:
            self.done += done

    def _ended_rounds(self, tables: list[str]) -> deque[str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        paths: deque[str] = deque()
        for table in tables:
            coming = json.loads(self._call(connection, "GET", f"/v1/tables/{table}")[1])["next_round"]
            paths.extend(f"/v1/tables/{table}/rounds/{number}" for number in range(1, coming))
        return paths

    def _rounds(self, connection: http.client.HTTPConnection, table: str) -> None:
        """Whole rounds: open, lock, reveal."""
        number = json.loads(self._call(connection, "GET", f"/v1/engine/tables/{table}")[1])["next_round"]
        done, pending, waits = 0, 0, []
        while time.monotonic() < self._until:
            path = f"/v1/engine/tables/{table}/rounds/{number}"
            self._call(connection, "POST", f"{path}/open")
            body = json.dumps({"call": token_urlsafe(16)})
            asked = time.perf_counter()
            while self._call(connection, "POST", f"{path}/lock", body)[0] == 202:
                pending += 1
            waits.append(time.perf_counter() - asked)
            self._call(connection, "POST", f"{path}/reveal")
            number += 1
            done += 1
        with self._lock:
            self.done += done
            self.pending += pending
            self.waits += waits


def main() -> None:
    """Read the task from the command line, and the token from standard input."""
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=["rounds", "walk", "get", "post"])
    parser.add_argument("port", type=int)
    parser.add_argument("seconds", type=float)
    parser.add_argument("subjects", nargs="+")
    arguments = parser.parse_args()
    load = Load(arguments.port, sys.stdin.readline().strip(), arguments.seconds)
    print(json.dumps(load.run(arguments.kind, arguments.subjects)))


if __name__ == "__main__":
    main()
