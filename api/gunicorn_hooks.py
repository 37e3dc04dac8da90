"""Hooks of gunicorn: its master ends when the program that started it is gone."""

from __future__ import annotations

import os
import signal
import threading
import time

from api.malformed_requests import answer_with_problems
from api.serve import supervisor

_LOOK_SECONDS = 0.5


def on_starting(_server: object) -> None:
    """Called once in the master, before it starts workers (which look after themselves)."""
    answer_with_problems()
    parent = supervisor()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOK_SECONDS)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="parent", daemon=True).start()
