"""A blocking call, made outside the one thread on which an API process answers all its callers."""

from __future__ import annotations

from collections.abc import Callable

from gevent import get_hub


def in_a_thread(call: Callable[[], object]) -> object:
    """Make a blocking call in another thread; other connections are answered meanwhile."""

    def caught() -> tuple[object, BaseException | None]:
        # gevent would print the traceback of an exception there, although it is raised again here.
        try:
            return call(), None
        except BaseException as error:  # noqa: BLE001 -- raised again below
            return None, error

    result, error = get_hub().threadpool.apply(caught)
    if error is not None:
        raise error
    return result
