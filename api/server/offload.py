"""A call that blocks, made beside the one thread on which an API process answers all its callers."""

from __future__ import annotations

from collections.abc import Callable

from gevent import get_hub


def in_a_thread(call: Callable[[], object]) -> object:
    """Make a call that blocks, in a thread beside this one; the other connections are answered meanwhile."""

    def caught() -> tuple[object, BaseException | None]:
        # gevent would print the traceback of what is raised there, though it is raised again here.
        try:
            return call(), None
        except BaseException as error:  # noqa: BLE001
            return None, error

    result, error = get_hub().threadpool.apply(caught)
    if error is not None:
        raise error
    return result
