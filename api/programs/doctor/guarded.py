"""Looks that may fail, or that the service itself takes: whatever is wrong is a finding, in the same words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from api.findings.finding import Finding, problem
from api.refusal import RefusalError
from api.service import Service
from api.settings import Settings
from api.world.storage_failures import STORAGE_FAILURES, in_words
from fairness.errors import Unknown


def guarded(about: str, settings: Settings, look: Callable[[], Iterable[Finding] | None]) -> Iterator[Finding]:
    """Yield what ``look`` finds, nothing if it is a check that holds. What it raises is a finding, too, in the words
    of the error.
    """
    try:
        yield from look() or ()
    except (RefusalError, Unknown) as error:
        yield problem(about, str(error))
    except STORAGE_FAILURES as error:
        yield problem(about, in_words(error, settings))


def failure_of(service: Service, part: str) -> Iterator[Finding]:
    """Yield what `/health/ready` says of a part."""
    if (why := service.health.failure(part)) is not None:
        yield problem(part, why)
