"""The published log of a source, as the checks of single rounds read it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from fairness.policy.policy import Trust
from fairness.round.authentic_log import AuthenticLog
from fairness.round.whole_log import WholeLog
from verifier.audit.bundles import Progress, authentic_bundles
from verifier.sentences import NotChecked
from verifier.sources.source import Source

_CACHED_FILES = 64


def open_log(source: Source, trust: Trust, whole: Progress | None = None) -> AuthenticLog:
    """Return the log at the source's current checkpoint. Raises `CheckFailed` or `Unreadable`.

    With ``whole``, rounds are found by reading every record, and not by finding aids; it is told how far that is.
    """
    # Neighbouring records share a bundle, and neighbouring rounds a file of positions.
    log = AuthenticLog.open(lru_cache(maxsize=_CACHED_FILES)(source.read), trust)
    if whole is not None:
        log.positions = WholeLog(lambda: authentic_bundles(source, log.checkpoint, progress=whole))
    return log


def limits_of(log: AuthenticLog, sentences: Iterable[str]) -> tuple[str, ...]:
    """Return what a check of one round in this ``log`` left open, if ``sentences`` say what it is when no more than
    the round was read.
    """
    if not log.is_whole:
        return tuple(sentences)
    return tuple(NotChecked.NOT_REPLAYED if each == NotChecked.ONE_ROUND_ONLY else each for each in sentences)
