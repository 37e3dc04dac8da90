"""Hooks of gunicorn: its master ends when the program that started it is gone."""

from __future__ import annotations

import os
import signal

from api.malformed_requests import answer_with_problems
from api.serve import when_orphaned


def on_starting(_server: object) -> None:
    """Called once in the master, before it starts workers (which look after themselves)."""
    answer_with_problems()
    when_orphaned(lambda: os.kill(os.getpid(), signal.SIGTERM))
