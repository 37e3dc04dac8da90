"""Each kind of file of the published log is cut, emptied or deleted while the service is stopped, and while it runs.

Either the start makes it again, or it refuses in words and signs nothing; the doctor finds whatever a start refuses;
and an audit never accuses an operator of what was repaired.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from api.log import sequencer
from api.programs.doctor.examine import examine
from api.world.storage_failures import STORAGE_FAILURES, in_words
from fairness.log.tiles import WIDTH
from tests.support.damage import refuses_to_start
from tests.support.in_process_service import InProcessService
from verifier.audit.audit import audit_log
from verifier.sources.source import FolderSource

pytestmark = pytest.mark.one_database("files of the folder")

FLIGHT, DRAW = "crash-1", "keno-1"
REPAIRED = {"a partial tile", "the partial bundle", "a commitments file", "a table's aid", "a round's aid"}
NEEDED = {"the checkpoint"}
"""A service that runs makes it again within a second."""
FILES = {
    "the checkpoint": "checkpoint",
    "a full tile": "tile/0/000",
    "a partial tile": "tile/0/001.p/*",
    "the full bundle": "tile/entries/000",
    "the partial bundle": "tile/entries/001.p/*",
    "a commitments file": "commitments/*/*",
    "a table's aid": "find/tables/*/*",
    "a round's aid": "find/rounds/*/*/*",
}


def cut(file: Path) -> None:
    data = file.read_bytes()
    file.unlink()
    file.write_bytes(data[: len(data) // 2])


def empty(file: Path) -> None:
    file.unlink()
    file.touch()


DAMAGES: tuple[Callable[[Path], None], ...] = (cut, empty, Path.unlink)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcessService]:
    """A service with more than a full bundle, stopped."""
    tables = ((FLIGHT, "crash"), (DRAW, "keno-express"))
    made = InProcessService.create(tmp_path_factory.mktemp("torn") / "data", batch_size=60, tables=tables)
    while made.size < WIDTH + 20:
        made.play(FLIGHT)
        made.play(DRAW)
    made.settle()
    made.stop()
    yield made
    made.stop()


@pytest.mark.lattice
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_made_again_or_refused_in_words(
    name: str, damage: Callable[[Path], None], base: InProcessService, tmp_path: Path
) -> None:
    """All files of the kind are damaged; what is repaired passes a whole audit, and rounds go on."""
    running = base.copy(tmp_path / "data")
    before = damage_all(running, name, damage)
    check_start(running, before, is_repaired=name in REPAIRED)


@pytest.mark.lattice
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", FILES)
def test_a_running_service_goes_on_or_refuses_in_words(
    name: str,
    damage: Callable[[Path], None],
    base: InProcessService,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What was signed stays as it is; the next start repairs or refuses, as if the service had not run meanwhile."""
    monkeypatch.setattr(sequencer, "LOOKED_EVERY_SECONDS", 0)
    running = base.copy(tmp_path / "data")
    running.start()
    before = damage_all(running, name, damage)
    try:
        running.turn()
        running.play(DRAW)
    except STORAGE_FAILURES as error:
        assert re.search("not whole.*Put the file back", in_words(error, running.settings))  # noqa: PT017 -- not every damage is noticed here
    running.stop()
    check_start(running, before, is_repaired=name in REPAIRED | NEEDED)


def damage_all(running: InProcessService, name: str, damage: Callable[[Path], None]) -> dict[Path, bytes]:
    """Damage all files of a kind; returns what they were."""
    before = {file: file.read_bytes() for file in sorted(running.settings.log.glob(FILES[name]))}
    assert before
    for file in before:
        damage(file)
    return before


def check_start(running: InProcessService, before: dict[Path, bytes], *, is_repaired: bool) -> None:
    """A start repairs all; or it refuses in words, the doctor finds it, too, and the files of a copy are all that it
    lacks.
    """
    if not is_repaired:
        refuses_to_start(running, "not whole|not ours|is missing")
        problems = {finding.about for finding in examine(running.settings).findings if finding.level == "problem"}
        assert "log" in problems
        for file, data in before.items():
            file.write_bytes(data)
    running.start()
    running.play_on_and_check()
    running.stop()
    audit_log(FolderSource(running.settings.log), running.key)
