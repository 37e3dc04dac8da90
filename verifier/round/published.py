"""The published log of a source, as the checks of single rounds read it."""

from __future__ import annotations

from functools import lru_cache

from fairness.policy.policy import Trust
from fairness.round.authentic_log import AuthenticLog
from verifier.sources.source import Source

_CACHED_FILES = 64


def open_log(source: Source, trust: Trust) -> AuthenticLog:
    """The log at the source's current checkpoint. Raises `CheckFailed` or `Unreadable`."""
    # Neighbouring records share a bundle, and neighbouring rounds a file of positions.
    return AuthenticLog.open(lru_cache(maxsize=_CACHED_FILES)(source.read), trust)
