"""Taking turns: an API process answers all its callers on one thread, so whatever takes long lets others go on.

Each way works in a program with threads, too, where it does no harm.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")

Apart = Callable[[Callable[[], object]], object]
"""Makes a call that blocks, and returns when it has returned; others go on meanwhile."""

_BREATH_SECONDS = 1e-6


def at_once(call: Callable[[], object]) -> object:
    """The plain way to make it, for programs whose threads hold up themselves alone."""
    return call()


def by_turns(items: Iterable[Item]) -> Iterator[Item]:
    """The same items, for a loop that computes for long: before each, others go on."""
    for item in items:
        # With no time at all, those who are here already would go on, and nobody else be heard.
        time.sleep(_BREATH_SECONDS)
        yield item
