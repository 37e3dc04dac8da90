"""``python -m api.programs.listeners PIPE LISTENERS``: imports the applications, and forks the gunicorns of a
service.

The supervisor starts it, with what each gunicorn is as JSON (`api.programs.supervisor.Forked`). It writes the id of
each to the pipe, a line each, and ends; the system makes them children of the supervisor.
"""

# ruff: noqa: E402 -- as said below
# Modules are patched before anything else is imported, as in `api.server.hooks`.
from __future__ import annotations

import gc

# Nothing that is imported is garbage, and looking for some would cost a fifth of the time.
gc.disable()

from gevent import monkey

monkey.patch_all()

import json
import os
import sys
import time
from collections.abc import Mapping
from contextlib import suppress

from gunicorn.app.wsgiapp import WSGIApplication
from gunicorn.errors import HaltServer

import api.server.app
import api.server.worker  # noqa: F401 -- gunicorn finds it by its name, and each of them would import it again
from api.world.supervision import SUPERVISOR, name_process

_LOOK_SECONDS = 0.01


class _Gunicorn(WSGIApplication):
    """gunicorn, which finds no module in the working directory."""

    def chdir(self) -> None:
        """Stay here. gunicorn's own method also puts this folder first on ``sys.path``, with or without a safe path
        (`-P`).
        """


def main() -> None:
    """Fork all of them. In each of them this returns when gunicorn ends."""
    # What both have in common stays in memory that they share, because nobody looks at it again.
    gc.freeze()
    loader, pipe = os.getpid(), int(sys.argv[1])
    for title, arguments, environment in json.loads(sys.argv[2]):
        pid = os.fork()
        if pid == 0:
            gc.enable()
            os.close(pipe)
            _become_gunicorn(loader, title, arguments, environment)
            return
        # If the supervisor has died, the new process notices that by itself.
        with suppress(BrokenPipeError):
            os.write(pipe, b"%d\n" % pid)
    # Tidying up would only touch the memory that the others share.
    os._exit(0)


def _become_gunicorn(loader: int, title: str, arguments: list[str], environment: Mapping[str, str]) -> None:
    os.setsid()
    name_process(title)
    os.environ.update(environment)
    while os.getppid() == loader:
        # Soon the supervisor is the parent, by whose death gunicorn notices that it is an orphan.
        time.sleep(_LOOK_SECONDS)
    if os.getppid() != int(os.environ[SUPERVISOR]):
        # It has died already. Nothing is bound yet, so the next start finds its addresses free.
        sys.exit(1)
    sys.argv = ["gunicorn", *arguments]
    try:
        _Gunicorn().run()
    except HaltServer as stopped:
        # While it stops, it reports a worker that could not begin by this error, which it does not expect.
        sys.exit(stopped.exit_status)


if __name__ == "__main__":
    main()
