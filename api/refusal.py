"""What a program of the service says in one sentence before it ends: never with a traceback."""

from __future__ import annotations


class RefusalError(Exception):
    """The message says what was expected, what was found, and what to do."""
