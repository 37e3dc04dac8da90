"""What the last `make nightly` found, part by part, in `tests/nightly.json`, which is committed.

`make test` says how old it is. It fails if a commit that is named there is no ancestor of this one: then somebody
else's record was copied, or history was rewritten, and what it says is not about this code.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from tests.house import HOUSE

FILE = "tests/nightly.json"
SECONDS_FILE = "tests/seconds.json"
_SHORT = 8


@dataclass(frozen=True, slots=True)
class Result:
    """How one part ended: ``counts`` are pytest's (passed, failed), or of what the part counts itself."""

    commit: str
    at: str
    seconds: int
    counts: Mapping[str, int]
    result: str


class Unrelated(Exception):
    """A commit of the record is no ancestor of the commit that is being tested."""


@dataclass(frozen=True, slots=True)
class Record:
    """The newest result of each part, for each Python (``3.11``)."""

    pythons: dict[str, dict[str, Result]]

    @classmethod
    def read(cls, house: Path = HOUSE) -> Record:
        """Read the committed record."""
        file = house / FILE
        found = json.loads(file.read_text("utf-8")) if file.exists() else {}
        return cls({python: {name: Result(**one) for name, one in parts.items()} for python, parts in found.items()})

    def keep(self, python: str, part: str, result: Result, house: Path = HOUSE) -> None:
        """Put a part's result in place of its last one."""
        self.pythons.setdefault(python, {})[part] = result
        found = {each: {name: asdict(one) for name, one in parts.items()} for each, parts in self.pythons.items()}
        (house / FILE).write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", "utf-8")

    def results(self) -> Iterator[tuple[str, str, Result]]:
        """Each with its Python and its part."""
        for python, parts in self.pythons.items():
            for part, result in parts.items():
                yield python, part, result

    def age(self, parts: frozenset[str], house: Path = HOUSE) -> list[str]:
        """Say how old it is, and what failed or is missing, a line each; raises `Unrelated`."""
        if not self.pythons:
            return ["Nightly: no run is on record yet"]
        history = History(house)
        said = [_line_of(python, results, history) for python, results in sorted(self.pythons.items())]
        for python, results in sorted(self.pythons.items()):
            said += [f"Nightly: {name} has not run on Python {python}" for name in sorted(parts - results.keys())]
        said += [
            f"Nightly: {part} {one.result} on Python {python} at {one.commit[:_SHORT]}"
            for python, part, one in self.results()
            if one.result != "passed"
        ]
        if history.why_unknown:
            said.append(
                f"Nightly: whether its commits are ancestors of this one cannot be seen here: {history.why_unknown}"
            )
        return said


def _line_of(python: str, results: Mapping[str, Result], history: History) -> str:
    oldest = min(results.values(), key=lambda one: one.at)
    ago = max((history.commits_since(each) for each in {one.commit for one in results.values()}), default=0)
    days = (datetime.now(UTC) - datetime.fromisoformat(oldest.at)).days
    passed = sum(one.result == "passed" for one in results.values())
    since = "" if history.why_unknown else f" and {ago} commits"
    return f"Nightly on Python {python}: {passed} of {len(results)} parts passed, the oldest {days} days{since} ago"


class History:
    """The commits before this one, as far as git can tell."""

    def __init__(self, house: Path) -> None:
        self._house = house
        self.why_unknown = self._why_unknown()

    def _why_unknown(self) -> str:
        inside = self._git("rev-parse", "--show-toplevel")
        if inside is None or Path(inside).resolve() != self._house.resolve():
            return "this is no checkout of git"
        return "this is a shallow clone" if self._git("rev-parse", "--is-shallow-repository") == "true" else ""

    def commits_since(self, commit: str) -> int:
        """How many commits were made since an ancestor; 0 if git cannot tell; raises `Unrelated`."""
        if self.why_unknown:
            return 0
        if self._git("merge-base", "--is-ancestor", commit, "HEAD") is None:
            raise Unrelated(
                f"{FILE} names the commit {commit[:_SHORT]}, which is no ancestor of this one: run `make nightly` and commit its record"
            )
        return int(self._git("rev-list", "--count", f"{commit}..HEAD") or 0)

    def clean_commit(self) -> str | None:
        """This commit, if the working tree is as it has it, but for the files that runs write."""
        changed = self._git("status", "--porcelain", "--", ".", f":!{FILE}", f":!{SECONDS_FILE}")
        return self._git("rev-parse", "HEAD") if changed == "" else None

    def _git(self, *arguments: str) -> str | None:
        """What git answers, or nothing if it fails or is not there."""
        try:
            done = subprocess.run(["git", "-C", self._house, *arguments], capture_output=True, text=True, check=False)
        except FileNotFoundError:
            return None
        return done.stdout.strip() if done.returncode == 0 else None
