"""How long each file takes, in `tests/seconds.json`: every whole run of a tier writes it, and the next begins with
the longest.

Only the share of a file in its run counts for the order, so a figure stays until that share has doubled or halved: a
run on another machine, or on a busy one, changes nothing in the working tree.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from tests.house import HOUSE
from tests.tiers.selection import unit_of

FILE = Path(__file__).parent.parent / "seconds.json"
_NEGLIGIBLE_SECONDS = 2
_CHANGED = 2.0
"""How many times larger or smaller a share has to be."""

Seconds = Mapping[str, float]
Test = TypeVar("Test")


def known(run: str) -> dict[str, int]:
    """Seconds per file in a kind of run (its tier and database); files that take less than two seconds are left
    out.
    """
    if not FILE.exists():
        return {}
    found: dict[str, int] = json.loads(FILE.read_text("utf-8")).get(run, {})
    return found


def longest_first(tests: Iterable[Test], run: str, nodeid: Callable[[Test], str]) -> list[Test]:
    """Order tests by the seconds of their unit of work, which is never divided between processes."""
    of_unit: Counter[str] = Counter()
    for file, seconds in known(run).items():
        of_unit[unit_of(file)] += seconds
    return sorted(tests, key=lambda test: -of_unit[unit_of(nodeid(test))])


def keep(run: str, measured: Seconds) -> None:
    """Write what has changed by much."""
    runs = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    runs[run] = updated(runs.get(run, {}), measured)
    text = json.dumps(runs, indent=1, sort_keys=True) + "\n"
    if not FILE.exists() or FILE.read_text("utf-8") != text:
        # Runs beside each other write it at the same time, and none may read half of it.
        new = FILE.with_suffix(f".{os.getpid()}")
        new.write_text(text, "utf-8")
        new.replace(FILE)


def updated(before: Mapping[str, int], measured: Seconds) -> dict[str, int]:
    """The figures of before where shares are alike; new ones, at the pace of the machine that wrote the others; no
    lost files.
    """
    both = [file for file in before if file in measured]
    pace = sum(measured[file] for file in both) / sum(before[file] for file in both) if both else 0.0
    found = {file: seconds for file, seconds in before.items() if file not in measured and (HOUSE / file).exists()}
    for file, seconds in measured.items():
        new = round(seconds / (pace or 1.0))
        old = before.get(file, 0)
        alike = max(old, new) < _NEGLIGIBLE_SECONDS * _CHANGED or old / _CHANGED < new < old * _CHANGED
        if (kept := old if alike else new) >= _NEGLIGIBLE_SECONDS:
            found[file] = kept
    return found
