"""The request that is being answered: the id that it was given here, and the one that its caller gave it."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PresentRequest:
    """A request, by name."""

    identifier: str
    """Ours: in the header ``X-Request-Id`` of the answer, in problems and in messages."""
    caller: str | None = None
    """The caller's own: for messages alone."""


present_request: ContextVar[PresentRequest | None] = ContextVar("present_request", default=None)
"""`None` where no request is being answered."""


def request_id() -> str | None:
    """Return our id of the request that is being answered; `None` if there is none."""
    present = present_request.get()
    return None if present is None else present.identifier
