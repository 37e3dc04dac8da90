"""``make test`` and ``make nightly``: ``python -m tests.tiers test`` or ``nightly --only crashes``.

It begins before anything is installed, so what it imports at once needs the standard library alone.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from tests.house import HOUSE
from tests.tiers.parts import MOST_FAILURES, ON_POSTGRESQL, PARTS, tests
from tests.tiers.record import History, Record, Result, Unrelated
from tests.tiers.stages import Stage, run

PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
_COUNT = re.compile(r"(\d+) (passed|failed|error)")


def main() -> int:
    """Run a tier."""
    # Without bytecode, each process would compile all tests again: pytest rewrites their assertions.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    parser = argparse.ArgumentParser(prog="make", description="The tests of every change, or all others.")
    parser.add_argument("tier", choices=("test", "nightly"))
    parser.add_argument("--only", default="", help=f"parts of nightly: {' '.join(PARTS)}")
    parser.add_argument("--seconds", type=int, default=600, help="how long the soak of nightly plays")
    chosen = parser.parse_args()
    if chosen.tier == "test":
        return test()
    only = chosen.only.split() or list(PARTS)
    if unknown := set(only) - PARTS.keys():
        parser.error(f"there is no part {', '.join(sorted(unknown))}; the parts are {', '.join(PARTS)}")
    if PYTHON not in _supported():
        parser.error(f"pyproject.toml does not name Python {PYTHON}, but {', '.join(_supported())}")
    return nightly(only, chosen.seconds)


def test() -> int:
    """Install what is missing, check and test; in the end say how long each took."""
    begun = time.monotonic()
    try:
        for line in Record.read().age(frozenset(PARTS)):
            print(line, flush=True)
    except Unrelated as error:
        print(error, flush=True)
        return 1
    install, tools = _installing(".venv")
    if not run(install, tools):
        return 1
    python = _python_of(".venv")
    checks = Stage("checks", _make("check"))
    on_files = Stage("tests", [python, *tests(*MOST_FAILURES)], shown=True)
    on_server = Stage("tests on PostgreSQL", [python, *tests(*ON_POSTGRESQL, *MOST_FAILURES)], shown=True)
    # All of these run, whichever fails: whoever mends one wants to know of the others.
    passed = run(checks, on_files)
    passed = run(on_server) and passed
    stages = (install, tools, checks, on_files, on_server)
    seconds = ", ".join(f"{stage.name} {stage.seconds:.0f}" for stage in stages)
    print(f"Seconds: {seconds}; together {time.monotonic() - begun:.0f}", flush=True)
    return 0 if passed else 1


def nightly(only: Sequence[str], soak_seconds: int) -> int:
    """Run parts one after the other, and put the result of each on record."""
    begun, venv, ended = time.monotonic(), _venv(), list[str]()
    # Where `make test` does not run, its tests are part of the night.
    tier = "nightly" if venv == ".venv" else "all"
    if not run(*_installing(venv, "nightly")):
        return 1
    commit = History(HOUSE).clean_commit()
    if commit is None:
        print("No commit has these files, so nothing is put on record", flush=True)
    passed = True
    for name in only:
        result = _run_part(name, _python_of(venv), tier, soak_seconds, commit or "")
        passed = passed and result.result == "passed"
        counted = ", ".join(f"{count} {what}" for what, count in result.counts.items())
        ended.append(f"{name}: {result.result} in {result.seconds} s; {counted or 'it counts nothing'}")
        # Whoever changes a file meanwhile, or commits, has tested something between two commits.
        if commit is not None and commit == History(HOUSE).clean_commit():
            Record.read().keep(PYTHON, name, result)
    print("\n".join(ended))
    print(f"Seconds: {time.monotonic() - begun:.0f} on Python {PYTHON}", flush=True)
    return 0 if passed else 1


def _run_part(name: str, python: str, tier: str, soak_seconds: int, commit: str) -> Result:
    """Run everything of a part; its counts are those that pytest prints at its end."""
    commands = PARTS[name].commands(tier)
    stages = [
        Stage(name, [python, *(word.format(seconds=soak_seconds) for word in each)], shown=True) for each in commands
    ]
    passed = run(*stages)
    counts: Counter[str] = Counter()
    for stage in stages:
        counts.update({what: int(count) for count, what in _COUNT.findall(stage.output[-1] if stage.output else "")})
    at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    seconds = round(max(stage.seconds for stage in stages))
    return Result(commit, at, seconds, dict(counts), "passed" if passed else "failed")


def _installing(venv: str, tier: str = "") -> tuple[Stage, Stage]:
    """What has to be installed, mostly waits for the network."""
    tools = [*_make("tools", venv), f"TIER={tier}"]
    return Stage("install", _make("ready", venv), shown=True), Stage("tools", tools, shown=True)


def _make(target: str, venv: str = ".venv") -> list[str]:
    return ["make", "--no-print-directory", f"VENV={venv}", f"PYTHON={sys.executable}", target]


def _venv() -> str:
    """This Python's environment: `.venv` if that has it, or if there is none yet."""
    python = _python_of(".venv")
    if not Path(python).exists():
        return ".venv"
    asked = [python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    found = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    return ".venv" if found == PYTHON else f".venv-{PYTHON}"


def _python_of(venv: str) -> str:
    return os.fspath(HOUSE / venv / "bin" / "python")


def _supported() -> list[str]:
    """The Pythons that pyproject.toml names."""
    text = (HOUSE / "pyproject.toml").read_text("utf-8")
    return re.findall(r'"Programming Language :: Python :: (\d+\.\d+)"', text)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
