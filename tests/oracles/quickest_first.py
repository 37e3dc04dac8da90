"""Only for `make mutants`: the quickest tests run first, so that most mutants die soon, and endless ones are
stopped.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import Phase, settings

# All mutants get the same examples, and one that kills a mutant need not be shrunk.
settings.register_profile(
    "mutants", derandomize=True, database=None, deadline=None, phases=(Phase.explicit, Phase.generate)
)
settings.load_profile("mutants")

_STATS = Path("mutmut-stats.json")
"""How long each test took without a mutant: mutmut's own file, in the folder where it runs the tests."""
_SECONDS: dict[str, float] = json.loads(_STATS.read_bytes())["duration_by_test"] if _STATS.exists() else {}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort them in steps, so that tests that share a fixture mostly stay together."""
    items.sort(key=lambda item: int(_SECONDS.get(item.nodeid, 0) * 10))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """Stop a test that computes for much longer than it did without a mutant."""
    if item.nodeid not in _SECONDS:
        return (yield)
    signal.signal(signal.SIGPROF, lambda *_: pytest.fail("it computes for too long"))
    signal.setitimer(signal.ITIMER_PROF, 5 + 20 * _SECONDS[item.nodeid])
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
