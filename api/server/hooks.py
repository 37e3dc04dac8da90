"""gunicorn's settings that no command line has, and its hooks: its master hides its memory, and ends when its supervisor has died."""

from __future__ import annotations

import os
import signal

from api.server.priority import give_way
from api.world.private_memory import keep_memory_private
from api.world.supervision import NICENESS, when_orphaned

# By default gunicorn takes a SCRIPT_NAME, and a scheme in three spellings, from every sender on this machine. That is
# everybody behind a web server that passes these headers on. `api.server.proxies` reads what the service needs.
forwarder_headers = ""
secure_scheme_headers: dict[str, str] = {}


def on_starting(_server: object) -> None:
    """Called once in the master, before it starts workers (which look after themselves)."""
    if niceness := os.environ.get(NICENESS):
        # First, for a process that hides its memory may write its own files in /proc only as root.
        give_way(int(niceness))
    keep_memory_private()
    when_orphaned(lambda: os.kill(os.getpid(), signal.SIGTERM))
