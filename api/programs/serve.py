"""``foredraw serve``: the background program, two gunicorns, and a demo dealer if asked for.

``foredraw sequence`` runs the background program alone, and ``foredraw serve --api-only`` the two gunicorns.

One gunicorn answers the engines and the other one the public, each on its own listener with its own
processes, so that strangers cannot use up the places of engines. When one program ends, all end
(`api.programs.supervisor`).
"""

from __future__ import annotations

import errno
import os
import resource
import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from api.programs.background.run import main
from api.programs.supervisor import Forked, Supervisor
from api.settings import SettingsError
from api.world.supervision import (
    ENGINES,
    ENGINES_API,
    NICENESS,
    PUBLIC_API,
    PUBLIC_SHARE,
    STANDBY,
)

WORKERS = 2
CONNECTIONS = 1000
PATIENCE = 30
_OWN_FILES = 500
"""Open files that a process needs beside its connections: databases, files of the log, pipes."""
_LOOK_SECONDS = 0.1
_IN_USE = os.strerror(errno.EADDRINUSE)
"""The only obstacle that goes away by itself."""
_ADDRESS_PATIENCE_SECONDS = 3.0
_ANSWER_SECONDS = 4.0
"""Longer than a refusal may wait (`api.server.refusals`)."""
PUBLIC_APP, ENGINE_APP = "api.server.app:create_app(for_crowds=True)", "api.server.app:create_engine_app()"
# Addresses that a server listens on, and the address that reaches it from this machine.
_REACHABLE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 -- compared, not listened on


@dataclass(frozen=True, slots=True)
class Listener:
    """The address of one of the two applications, and the number of its processes."""

    app: str
    """The factory of the application, as gunicorn takes it."""
    host: str
    port: int
    socket: Path | None = None
    """A Unix socket instead of host and port."""
    workers: int = WORKERS
    connections: int = CONNECTIONS
    patience: int = PATIENCE
    """Seconds that a caller has for a request's head, for its body, and for each step of taking the answer."""

    @property
    def bind(self) -> str:
        """The address as gunicorn takes it."""
        return f"unix:{self.socket}" if self.socket else f"{_in_brackets(self.host)}:{self.port}"

    @property
    def url(self) -> str:
        """Where it is found from this machine, if it has a port."""
        return f"http://{_in_brackets(self._reachable)}:{self.port}"

    @property
    def _reachable(self) -> str:
        return _REACHABLE.get(self.host, self.host)

    @property
    def behind_colon(self) -> str:
        """The port, as in an address, for an engine that called the other listener; a path of this machine is not
        shown.
        """
        return f":{self.port}" if self.socket is None else ""

    def check_free(self) -> None:
        """Raise `SettingsError` if another program listens there; wait a moment for one that is stopping.

        Without this check only gunicorn would notice, and we would take the other program's answers for our own.
        """
        deadline = time.monotonic() + _ADDRESS_PATIENCE_SECONDS
        while (reason := self._taken()) is not None:
            if reason != _IN_USE or time.monotonic() > deadline:
                raise SettingsError(f"{self.bind} cannot be listened on: {reason}")
            time.sleep(_LOOK_SECONDS)

    def _taken(self) -> str | None:
        try:
            if self.socket is None:
                family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
                socket.create_server((self.host, self.port), family=family).close()
            else:
                _check_socket(self.socket)
        except OSError as error:
            # Numbers below zero are the resolver's, which the system has no words for.
            return os.strerror(number) if (number := error.errno or 0) > 0 else error.strerror or str(error)
        return None

    def answers(self) -> bool:
        """Return whether a process behind it answers HTTP, with whatever status."""
        family = socket.AF_UNIX if self.socket else socket.AF_INET6 if ":" in self.host else socket.AF_INET
        with socket.socket(family) as connection, suppress(OSError):
            connection.settimeout(_ANSWER_SECONDS)
            connection.connect(str(self.socket) if self.socket else (self._reachable, self.port))
            connection.sendall(b"GET /health/live HTTP/1.0\r\n\r\n")
            return connection.recv(5) == b"HTTP/"
        return False


def _in_brackets(host: str) -> str:
    """Return a host as addresses have it: an IPv6 one in brackets."""
    return f"[{host}]" if ":" in host else host


def _check_socket(path: Path) -> None:
    """Raise `OSError` if a program listens on this path, or if no program can. A socket that was left behind is no
    obstacle.
    """
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError as error:
            if not path.is_socket():
                raise OSError("it exists already, and is no socket") from error
            return
        except FileNotFoundError:
            probe.bind(str(path))
            path.unlink()
            return
    raise OSError(errno.EADDRINUSE, "")


def allow_files(connections: int) -> None:
    """Allow this process, and those that it starts, as many open files as they need. Raises `SettingsError`."""
    needed = connections + _OWN_FILES
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY and most < needed:
        raise SettingsError(
            f"--connections {connections} needs {needed} open files in each process, and the system allows {most}: "
            f"raise that limit (`ulimit -Hn`), or choose at most {max(most - _OWN_FILES, 0)} connections"
        )
    if allowed != resource.RLIM_INFINITY and allowed < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, most))


def start_background(supervisor: Supervisor, *, stands_by: bool = False) -> None:
    """Start the background program on an initialised folder."""
    arguments = [STANDBY] if stands_by else []
    supervisor.fork("background program", lambda: main(arguments))


def start_listeners(
    supervisor: Supervisor, *, public: Listener, engines: Listener, engine_url: str | None, niceness: int, share: int
) -> None:
    """Start the two gunicorns on an initialised folder. What engines call is an ``engine_url`` if there is one."""
    place = engines.behind_colon if engine_url is None else engine_url
    for_public = _public(public, niceness=niceness, share=share, engines=place)
    supervisor.start_listeners([Forked("engines' API", ENGINES_API, gunicorn_arguments(engines), {}), for_public])


def start_public(supervisor: Supervisor, public: Listener, *, engine_url: str | None, share: int) -> None:
    """Start the public's gunicorn alone; engines are answered by another machine. ``share`` is in percent."""
    supervisor.start_listeners([_public(public, niceness=0, share=share, engines=engine_url or "")])


def _public(public: Listener, *, niceness: int, share: int, engines: str) -> Forked:
    environment = {ENGINES: engines, NICENESS: str(niceness), PUBLIC_SHARE: str(share)}
    return Forked("public API", PUBLIC_API, gunicorn_arguments(public), environment)


def gunicorn_arguments(listener: Listener) -> list[str]:
    """Return how gunicorn is started. A call that waits for publication holds its connection, and nothing else."""
    return [
        *("--bind", listener.bind),
        *("--workers", str(listener.workers), "--worker-class", "api.server.worker.Worker"),
        *("--worker-connections", str(listener.connections)),
        *(
            "--keep-alive",
            str(listener.patience),
            "--graceful-timeout",
            "5",
            "--log-level",
            "warning",
            "--no-control-socket",
        ),
        *("--umask", "0o007"),
        *("--config", "python:api.server.hooks", listener.app),
    ]
