"""The page about the life of a lock names steps, files and functions that there are."""

from __future__ import annotations

import re
from pathlib import Path

from tests.house import HOUSE
from tests.support.documents import LIFE, PAGES
from tests.support.durable_steps import POINTS, play

PAGE = PAGES[Path(LIFE)]


def test_it_names_every_durable_step_of_a_round() -> None:
    """What playing a round makes durable, by the names under which a process is killed there."""
    named = {name for name in re.findall(r"\*\*([^*]+?)\.?\*\*", PAGE) if name in POINTS}
    of_a_round = {name for name, point in POINTS.items() if point.act is play}
    assert of_a_round - named == set()


def test_what_it_names_is_there() -> None:
    """Each file of `api`, and each method, where it says."""
    files = {path for path in re.findall(r"`(\w+/[\w/]+\.py)`", PAGE) if path != "tests/support/durable_steps.py"}
    assert len(files) > 8
    assert [path for path in files if not (HOUSE / "api" / path).is_file()] == []
    named = re.findall(r"`(\w+)\.(\w+)` in `(\w+/[\w/]+\.py)`", PAGE)
    assert len(named) > 6
    for kind, method, path in named:
        text = (HOUSE / "api" / path).read_text("utf-8")
        assert re.search(rf"^class {kind}\b.*?^    def {method}\(", text, re.MULTILINE | re.DOTALL), (kind, method)
