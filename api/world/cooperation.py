"""Cooperation: an API process answers all its callers on one thread, so long work yields to them.

In a program with threads these functions work as well, and change nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")

Offload = Callable[[Callable[[], object]], object]
"""Makes a call that blocks without blocking others, and returns when it has returned."""

_BREATH_SECONDS = 1e-6


def inline(call: Callable[[], object]) -> object:
    """Make the call in this thread: for programs in which a thread blocks nobody but itself."""
    return call()


def yielding(items: Iterable[Item]) -> Iterator[Item]:
    """Yield the same items, for a long computation: before each item, other callers are served."""
    for item in items:
        # A sleep of zero would only switch between known callers, and no new connection would be accepted.
        time.sleep(_BREATH_SECONDS)
        yield item
