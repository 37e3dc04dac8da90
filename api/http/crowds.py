"""What a process spends on crowds of strangers: a share of its time for what is expensive, and each page once a
second.

A process answers all its callers on one thread. Callers that ask for expensive answers faster than they can be made
would leave no time for anybody else; beyond the share they are refused, which costs next to nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import ParamSpec, TypeVar

from flask import current_app

from api.problems import Code, Problem
from api.sharing.bounded import BoundedCache
from api.world.processor import ProcessorTime, processor_time

PAGE_SECONDS = 1.0
"""How long a page is reused."""
SHARE = 20
"""The share of a process's time that expensive answers may take, in percent, where engines need the rest."""
SHARE_OF_A_READER = 90
"""That of a machine that has nothing else to do; so callers of what is cheap are answered at any time."""
MOST_WAITING = 3
"""An expensive answer is charged for its time and for its waiting for a processor, up to so many times its time.

When processors are busy, with engines for instance, the public computes less; but never less than a quarter of its
share.
"""
STARTING_SECONDS = 5.0
"""What a new process may spend besides: it makes for the first time what all pages share."""
SAVED_SECONDS = 1.0
"""How much of that time can be saved up, and how much can be owed."""
PAGES_KEPT = 128

_Arguments = ParamSpec("_Arguments")
_Answer = TypeVar("_Answer")


class Share:
    """The time that is left for expensive answers."""

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        spent: Callable[[], ProcessorTime] = processor_time,
        starting: float = STARTING_SECONDS,
        percent: int = SHARE,
    ) -> None:
        """``spent`` is what this thread has used; ``starting``, in seconds, is there from the beginning."""
        self._clock, self._spent, self._share = clock, spent, percent / 100
        self._left = starting
        self._as_of = clock()

    @contextmanager
    def spending(self) -> Iterator[None]:
        """Make an expensive answer. Raises `Problem` if there is no time for it now."""
        now = self._clock()
        if self._left < SAVED_SECONDS:
            self._left = min(SAVED_SECONDS, self._left + self._share * (now - self._as_of))
        self._as_of = now
        if self._left <= 0:
            raise Problem(Code.BUSY, "more is asked than there is time for: ask again in a second")
        begun = self._spent()
        try:
            yield
        finally:
            # If an answer yields, the time of the others counts as well; so a debt has its limit.
            self._left = max(self._left - _charge(begun, self._spent()), -SAVED_SECONDS)


def _charge(begun: ProcessorTime, ended: ProcessorTime) -> float:
    computed, waited = ended.computed - begun.computed, ended.waited - begun.waited
    return computed + min(waited, MOST_WAITING * computed)


@dataclass(frozen=True, slots=True)
class KeptPage:
    """A page as it was made."""

    made: float
    status: int
    data: bytes
    headers: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Crowds:
    """The limits of an application for the public; an application for tests or for a single reader has none."""

    share: Share = field(default_factory=Share)
    pages: BoundedCache[object, KeptPage] = field(default_factory=lambda: BoundedCache(PAGES_KEPT))
    clock: Callable[[], float] = time.monotonic


def crowds() -> Crowds | None:
    """Return the limits of the present application; `None` if it has none."""
    found: Crowds | None = current_app.extensions.get("crowds")
    return found


def expensive(view: Callable[_Arguments, _Answer]) -> Callable[_Arguments, _Answer]:
    """Return a view that takes milliseconds, for everybody who asks: within the share."""

    @wraps(view)
    def answer(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Answer:
        of_crowds = crowds()
        if of_crowds is None:
            return view(*args, **kwargs)
        with of_crowds.share.spending():
            return view(*args, **kwargs)

    return answer
