"""Where the tests' files are, which of them run and begin, and how they end."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

_DATABASES = ("sqlite", "postgresql")
_API = Path(__file__).parent / "api"
_MEMORY = Path("/dev/shm")
_LEAST_BYTES = 4 * 10**9
_MOST_OPEN_FILES = 200
"""The limit at the end; the process, browsers and connection pools use about 50."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The database of services whose tests do not say where it is."""
    parser.addoption(
        "--database",
        choices=_DATABASES,
        default=_DATABASES[0],
        help="of the services in tests/api: a file, or on a server",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Files that take long begin first, so that in the end no process waits for another's last file."""
    if config.getoption("database") != _DATABASES[0]:
        # What runs on both databases anyway needs no second run. The database of other folders' services is always a file.
        left_out = [item for item in items if not _runs_on_a_server(item)]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def _runs_on_a_server(item: pytest.Item) -> bool:
    """Whether it runs on the database that the option names, and does not do so without the option, too."""
    on_both = isinstance(item, pytest.Function) and not {"server", "postgres"}.isdisjoint(item.fixturenames)
    return _API in item.path.parents and not on_both and item.get_closest_marker("one_database") is None


def pytest_configure() -> None:
    """Before any test."""
    _keep_files_in_memory()
    # SIGTERM, as sent by `timeout`, would otherwise leave the services running that the tests started.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # Programs that a shell starts in the background ignore interrupts, and those that we start would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _keep_files_in_memory() -> None:
    """If there is enough memory: the services sync every few records, and no test has to survive a power cut.

    Programs are also built and started there, which containers often forbid.
    """
    if _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK):
        found = os.statvfs(_MEMORY)
        if not found.f_flag & os.ST_NOEXEC and found.f_bavail * found.f_frsize >= _LEAST_BYTES:
            os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))


@pytest.fixture(scope="session", autouse=True)
def _files_are_closed() -> Iterator[None]:
    """Tests close what they open: a process may have 1,024 open files, and runs thousands of tests."""
    yield
    still_open = [str(path.readlink()) for path in Path("/proc/self/fd").iterdir() if path.is_symlink()]
    assert len(still_open) <= _MOST_OPEN_FILES, sorted(still_open)
