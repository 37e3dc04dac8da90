"""Cooperation: an API process answers all its callers on one thread, so whatever takes long lets others go on.

Each way works in a program with threads, too, where it does no harm.
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
    """Make the call right here, for programs in which a thread blocks nobody but itself."""
    return call()


def yielding(items: Iterable[Item]) -> Iterator[Item]:
    """The same items, for a loop that computes for long: before each, others go on."""
    for item in items:
        # With no time at all, those who are here already would go on, and nobody else be heard.
        time.sleep(_BREATH_SECONDS)
        yield item
