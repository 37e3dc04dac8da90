"""Where the tests' files are, which of them run and begin, and how they end."""

from __future__ import annotations

import gc
import json
import os
import signal
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.browser.fonts import FONTS
from tests.support.same_everywhere import be_the_same_everywhere
from tests.tiers import seconds, selection
from tests.tiers.names import Collected
from verifier.commands.command import Output
from verifier.output.as_json import without_nulls
from verifier.output.printing import Console

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.scheduler import LoadScopeScheduling

_MEMORY = Path("/dev/shm")
_LEAST_BYTES = 4 * 10**9
_MOST_OPEN_FILES = 200
"""The limit at the end; the process, browsers and connection pools use about 50."""


COLLECTED = pytest.StashKey[Collected]()
"""Every test that this run found, before those of another tier were left out."""
_seconds = defaultdict[str, float](float)
"""How long each file of this run took so far."""
_SLOWEST = 10


@pytest.fixture(autouse=True, scope="session")
def _answers_are_as_described() -> Iterator[None]:
    """Whatever ``foredraw-verify … --json`` prints in a process of tests is as docs/verdict.schema.json says."""
    printed = Output._print

    def checked(
        output: Output,
        as_json: Callable[[], Mapping[str, object]],
        show: Callable[[Console], None],
        *,
        is_verdict: bool,
    ) -> None:
        def described() -> Mapping[str, object]:
            from tests.verdict_schema import check  # noqa: PLC0415 -- slow to import, and few tests need it

            answer = as_json()
            check(json.loads(json.dumps(without_nulls(answer))))
            return answer

        printed(output, described, show, is_verdict=is_verdict)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Output, "_print", checked)
        yield


def pytest_addoption(parser: pytest.Parser) -> None:
    """The tier; the database of services, and the fonts of browsers, whose tests do not name them."""
    selection.add_options(parser)
    parser.addoption("--fonts", choices=FONTS, default=FONTS[0], help="of the browser in tests/browser")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None, object, object]:
    """Without the collector of garbage: almost a million objects are made that stay, and it would search them time
    and again.

    They are then exempt for good, because each full search during the tests would go through them, too.
    """
    thresholds = gc.get_threshold()
    # Not gc.disable(), because programs that are imported meanwhile end theirs with gc.enable().
    gc.set_threshold(0)
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(*thresholds)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is of the other tier, and begin with what takes longest, so that no process waits for another's
    last file.
    """
    config.stash[COLLECTED] = Collected.of(items)
    chosen = selection.selected(items, config.getoption("tier"), config.getoption("database"))
    left_out = set(items).difference(chosen)
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = seconds.longest_first(chosen, _kind(config), lambda item: item.nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    """Divide the tests by `selection.TOGETHER`."""
    from tests.tiers.scheduler import ByUnit  # noqa: PLC0415 -- only a run in several processes needs pytest-xdist

    return ByUnit(config, log)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Count the time of each file, with what it sets up; the process that divides the tests sees all of them."""
    _seconds[report.nodeid.partition("::")[0]] += report.duration


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the files that took longest."""
    if len(_seconds) > _SLOWEST:
        terminalreporter.section("seconds of the slowest files")
        for file in sorted(_seconds, key=_seconds.__getitem__, reverse=True)[:_SLOWEST]:
            terminalreporter.write_line(f"{_seconds[file]:7.1f} {file}")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Keep the time of each file, if whole folders ran: among a few files, shares say nothing."""
    config = session.config
    chosen = any(config.getoption(name, None) for name in ("keyword", "markexpr", "lf", "deselect"))
    in_part = (
        chosen or not all(Path(each).is_dir() for each in config.args) or session.shouldstop or session.shouldfail
    )
    if _seconds and not in_part and not hasattr(config, "workerinput"):
        seconds.keep(_kind(config), _seconds)


def _kind(config: pytest.Config) -> str:
    return f"{config.getoption('tier')} on {config.getoption('database')}"


def pytest_configure() -> None:
    """Before any test."""
    _keep_files_in_memory()
    # SIGTERM, as sent by `timeout`, would otherwise leave the services running that the tests started.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # Programs that a shell starts in the background ignore interrupts, and those that we start would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_sessionstart() -> None:
    """Before the module of any test is imported, and after pytest has read how wide and colourful it may be."""
    be_the_same_everywhere()


def _keep_files_in_memory() -> None:
    """If there is enough memory: the services sync every few records, and no test has to survive a power cut.

    Programs are also built and started there, which containers often forbid.
    """
    if _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK):
        found = os.statvfs(_MEMORY)
        if not found.f_flag & os.ST_NOEXEC and found.f_bavail * found.f_frsize >= _LEAST_BYTES:
            os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))


@pytest.fixture
def lattice(request: pytest.FixtureRequest) -> selection.Lattice:
    """For a test that walks through the points of a lattice by itself: a sixth of them in `make test`, and all in the
    night.
    """
    in_make_test = request.config.getoption("tier") == "test"
    return lambda points: selection.a_sixth(points, str) if in_make_test else points


@pytest.fixture(scope="session", autouse=True)
def _files_are_closed() -> Iterator[None]:
    """Tests close what they open: a process may have 1,024 open files, and runs thousands of tests."""
    yield
    still_open = [str(path.readlink()) for path in Path("/proc/self/fd").iterdir() if path.is_symlink()]
    assert len(still_open) <= _MOST_OPEN_FILES, sorted(still_open)
