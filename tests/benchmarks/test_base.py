"""``python -m benchmarks --base``: two commits of a small repository, run as real programs."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

import pytest

from benchmarks.side import Side
from tests.house import HOUSE

pytestmark = pytest.mark.nightly(
    "two commits of a small repository, measured as real programs",
    but="test_what_cannot_be_compared_is_refused_in_a_sentence",
)

ROOT = HOUSE

# A small repository with our programs and its own measure. `fairness` is also installed in this environment: the
# measure starts a program that imports it, and must get the one of its commit.
MEASURES = """
import os, signal, subprocess, sys
from pathlib import Path
from benchmarks.figure import Figure, lower

def measure_fake():
    turn = Path(os.environ["TURNS"])
    with turn.open("a") as file:
        print(Path.cwd(), file=file)
    late = len(turn.read_text().splitlines())
    value = int(subprocess.run([sys.executable, "-m", "fairness"], capture_output=True, check=True).stdout) + late
    yield Figure("wait", [lower("median", value, "ms", 1)], "under 15 ms", met=value < 15)

def measure_endless():
    try:
        print("started", Path.cwd(), file=sys.stderr, flush=True)
        while True:
            input()
    finally:
        # In one piece: the program above this one writes to the same pipe at the same moment.
        sys.stderr.write("stopped" + chr(10))
    yield

def measure_broken():
    yield Figure("first step", [lower("", 1, "ms")], "-", None)
    raise RuntimeError("broken")

def measure_stubborn():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield from measure_endless()

MEASURES = [measure_broken, measure_fake, measure_endless, measure_stubborn]
"""
# Benchmarks from before `--json`: they ignore arguments that are no known names.
OLDER = """
import sys
from benchmarks.measures import MEASURES
for measure in MEASURES:
    if measure.__name__ in sys.argv[1:]:
        for figure in measure():
            value = figure.quantities[0].value
            print(f"met     {figure.name}\\n        measured  2 tables: median {value:.1f} ms of waiting\\n        target    -")
"""
# It prints whether it runs in a separate environment.
WITH_LOCK = """
import sys
from pathlib import Path
def measure_fake():
    own = Path(sys.prefix) == Path.cwd() / ".venv"
    print(f"-       wait\\n        measured  median {7 if own else 3} ms\\n        target    -")
measure_fake()
"""
INTERRUPTED = "Interrupted: this run stops what it started and removes its files; Ctrl-C again kills it\n"
MAKEFILE = ".venv/installed-dev:\n\t@$(PYTHON) -m venv --without-pip .venv\n"


class Repository:
    """A repository with our programs, in which `fairness` is one number."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.turns = folder.with_name("turns")
        self.temporary = folder.with_name("temporary")
        self.temporary.mkdir()
        (folder / "benchmarks").mkdir(parents=True)
        self.git("init", "--quiet")

    def git(self, *arguments: str) -> str:
        """Run git; returns what it prints."""
        author = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
        return subprocess.run(
            ["git", *author, *arguments], cwd=self.folder, check=True, capture_output=True, text=True
        ).stdout.strip()

    def write(self, path: str, text: str) -> None:
        """Write one file."""
        file = self.folder / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)

    def write_benchmarks(self, number: int) -> None:
        """Write the current benchmarks, and a `fairness` that takes this many milliseconds."""
        for file in (ROOT / "benchmarks").glob("*.py"):
            shutil.copy(file, self.folder / "benchmarks")
        self.write("benchmarks/measures.py", MEASURES)
        self.write("fairness/__init__.py", f"NUMBER = {number}\n")
        self.write("fairness/__main__.py", "from fairness import NUMBER\nprint(NUMBER)\n")

    def commit(self) -> str:
        """Commit everything; returns the commit."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "x")
        return self.git("rev-parse", "HEAD")

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Measure in a separate process, with its own folder for temporary files."""
        environment = {**os.environ, "TURNS": str(self.turns), "TMPDIR": str(self.temporary)}
        return subprocess.Popen(
            [sys.executable, "-m", "benchmarks", *arguments],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def measure(self, *arguments: str) -> tuple[int, str, str]:
        """Measure; returns status, output and errors, and checks that no temporary file is left."""
        with self.start(*arguments) as process:
            output, errors = process.communicate()
        assert list(self.temporary.iterdir()) == []
        return process.returncode, output, errors

    def compare(self, *arguments: str) -> dict[str, Any]:
        """The JSON that a comparison writes."""
        file = self.folder.with_name("figures.json")
        status, _, errors = self.measure("--json", str(file), *arguments)
        assert (status, errors) == (0, "")
        written: dict[str, Any] = json.loads(file.read_text())
        return written


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


def test_two_commits_are_measured_in_turn(repository: Repository) -> None:
    """The base from its own files, the new ones as they are, committed or not; they take turns to go first."""
    repository.write_benchmarks(10)
    base = repository.commit()
    repository.write_benchmarks(20)
    status, output, errors = repository.measure("--base", base, "measure_fake")
    assert (status, errors) == (0, "")
    bases = [folder != str(repository.folder) for folder in repository.turns.read_text().splitlines()]
    assert bases == [True, False, False, True, True, False]
    new = f"{base[:7]} with changes"
    turns = [f"base, {base[:7]}" if each else f"new, {new}" for each in bases]
    assert output.splitlines() == [
        *(f"run {number} of 6: {side}" for number, side in enumerate(turns, 1)),
        "",
        "wait",
        "    target under 15 ms; base met it in 2 of 3 runs; new met it in 0 of 3 runs",
        "    worse   ratio 1.64   median: base 14.0 ms (11.0 to 15.0), new 23.0 ms (22.0 to 26.0)",
    ]


def test_a_comparison_is_written_as_json(repository: Repository) -> None:
    """The value of every run, and what is computed from them."""
    repository.write_benchmarks(10)
    base = repository.commit()
    repository.write_benchmarks(9)
    written = repository.compare("--base", "HEAD", "--rounds", "2", "measure_fake")
    assert written == {
        "base": base[:7],
        "new": f"{base[:7]} with changes",
        "rounds": 2,
        "figures": [
            {
                "name": "wait",
                "target": "under 15 ms",
                "base_met": [True, True],
                "new_met": [True, True],
                "base_remarks": ["", ""],
                "new_remarks": ["", ""],
                "quantities": [
                    {
                        "what": "median",
                        "unit": "ms",
                        "digits": 1,
                        "better": "lower",
                        "base": {"values": [11, 14], "median": 12.5, "lowest": 11, "highest": 14},
                        "new": {"values": [11, 12], "median": 11.5, "lowest": 11, "highest": 12},
                        "ratio": 0.92,
                        "verdict": "same",
                    }
                ],
                "failed": False,
            }
        ],
    }


def test_a_commit_that_only_prints_is_read(repository: Repository) -> None:
    """Its numbers are matched by their units; other words do not matter."""
    repository.write_benchmarks(10)
    repository.write("benchmarks/__main__.py", OLDER)
    base = repository.commit()
    repository.write_benchmarks(10)
    (figure,) = repository.compare("--base", base, "--rounds", "1", "measure_fake")["figures"]
    (quantity,) = figure["quantities"]
    assert quantity["base"]["values"] == [11]
    assert quantity["new"]["values"] == [12]


@pytest.mark.parametrize(("lock", "value"), [("the same", 3), ("another", 7)])
def test_a_commit_that_locks_other_packages_gets_its_own_environment(
    repository: Repository, lock: str, value: int
) -> None:
    """By its own Makefile; with the same lock, this environment is used."""
    repository.write("benchmarks/__main__.py", WITH_LOCK)
    repository.write("Makefile", MAKEFILE)
    repository.write("requirements/dev.txt", lock)
    repository.commit()
    repository.write_benchmarks(10)
    repository.write("requirements/dev.txt", "the same")
    (figure,) = repository.compare("--base", "HEAD", "--rounds", "1", "measure_fake")["figures"]
    assert figure["quantities"][0]["base"]["values"] == [value]


def test_what_cannot_be_compared_is_refused_in_a_sentence(repository: Repository) -> None:
    """No commit, one without benchmarks, and one whose benchmarks end with the first failure before they print a
    figure.
    """
    repository.write("README", "x")
    empty = repository.commit()
    repository.write_benchmarks(10)
    for unknown in ("nonsense", "--all"):
        status, output, errors = repository.measure(f"--base={unknown}", "measure_fake")
        assert (status, output) == (2, "")
        assert errors.startswith(f"python -m benchmarks: {unknown!r} is not a commit of {repository.folder} (git: ")
    assert repository.measure("--base", empty) == (
        2,
        "",
        f"python -m benchmarks: commit {empty[:7]} has no benchmarks: choose a later one\n",
    )
    repository.write("benchmarks/__main__.py", "raise RuntimeError('broken')\n")
    full = repository.commit()
    repository.write_benchmarks(10)
    status, _, errors = repository.measure("--base", full, "measure_fake")
    assert status == 2
    assert "RuntimeError: broken" in errors
    assert errors.endswith(f"python -m benchmarks: the benchmarks of base, {full[:7]} ended with status 1\n")


def test_a_measure_that_fails_is_reported_and_the_others_go_on(repository: Repository) -> None:
    """What it had measured by then counts; in the end the status is not 0."""
    repository.write_benchmarks(10)
    file = repository.folder.with_name("figures.json")
    status, output, errors = repository.measure("measure_broken", "measure_fake", "--json", str(file))
    assert status == 1
    assert [line for line in output.splitlines() if line[0] != " "] == [
        "-       first step",
        "FAILED  measure_broken: RuntimeError: broken",
        "met     wait",
    ]
    assert "in measure_broken" in errors
    assert errors.endswith("\npython -m benchmarks: failed: measure_broken\n")
    assert [(each["name"], each["failed"]) for each in json.loads(file.read_text())] == [
        ("first step", False),
        ("measure_broken", True),
        ("wait", False),
    ]


def test_a_measure_that_fails_on_one_side_is_reported_and_the_others_are_compared(repository: Repository) -> None:
    """With the error; here the base's measure does not fail."""
    repository.write_benchmarks(10)
    repository.write("benchmarks/measures.py", MEASURES.replace("raise", "return"))
    base = repository.commit()
    repository.write_benchmarks(10)
    status, output, errors = repository.measure("--base", base, "--rounds", "1", "measure_broken", "measure_fake")
    assert status == 1
    assert errors.endswith("\npython -m benchmarks: failed: measure_broken\n")
    assert "\nFAILED  measure_broken\n    new: RuntimeError: broken\n" in output
    assert "\nwait\n    target under 15 ms; base met it in 1 of 1 runs; new met it in 1 of 1 runs\n" in output


def test_an_older_commit_that_ends_with_a_failure_is_compared_as_far_as_it_came(repository: Repository) -> None:
    """Its later measures are reported as failed."""
    repository.write_benchmarks(10)
    repository.write("benchmarks/__main__.py", OLDER)
    repository.write(
        "benchmarks/measures.py", MEASURES.replace("[measure_broken, measure_fake", "[measure_fake, measure_broken")
    )
    base = repository.commit()
    repository.write_benchmarks(10)
    repository.write("benchmarks/measures.py", MEASURES.replace("raise", "return"))
    status, output, _ = repository.measure("--base", base, "--rounds", "1", "measure_broken", "measure_fake")
    assert status == 1
    assert "ratio 1.09   median: base 11.0 ms (11.0 to 11.0), new 12.0 ms (12.0 to 12.0)\n" in output
    assert output.endswith(
        f"\nFAILED  the measures after these\n    base: the benchmarks of base, {base[:7]} ended with status 1\n"
    )


@pytest.mark.parametrize("names", [["measure_new"], ["measure_new", "measure_fake"]])
def test_a_measure_that_the_base_does_not_have_is_reported_as_new(repository: Repository, names: list[str]) -> None:
    """The others are compared."""
    repository.write_benchmarks(10)
    base = repository.commit()
    repository.write(
        "benchmarks/measures.py", MEASURES.replace("measure_broken", "measure_new").replace("raise", "return")
    )
    status, output, errors = repository.measure("--base", base, "--rounds", "1", *names)
    assert (status, errors) == (0, "")
    assert output.startswith(f"measure_new is new: base, {base[:7]} does not have it\nrun 1 of 2: base, {base[:7]}\n")
    assert "\nfirst step\n    target -; base does not have this figure\n" in output
    assert ("base met it in 1 of 1 runs" in output) == ("measure_fake" in names)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_comparison_leaves_nothing(repository: Repository, number: int) -> None:
    """The run is stopped as by Ctrl-C, so that it stops what it started; then its files are removed."""
    repository.write_benchmarks(10)
    base = repository.commit()
    with repository.start("--base", base, "measure_endless") as process:
        errors = _stream(process.stderr)
        word, _, folder = errors.readline().strip().partition(" ")
        assert (word, Path(folder).parent) == ("started", repository.temporary)
        process.send_signal(number)
        assert sorted(errors) == [INTERRUPTED, "stopped\n"]
        assert process.wait() == 130
    assert list(repository.temporary.iterdir()) == []


def test_a_run_that_is_just_being_started_is_stopped_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The interruption comes when the process exists, and nobody else knows of it yet."""
    started: list[subprocess.Popen[str]] = []

    class Interrupted(subprocess.Popen[str]):
        def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 -- as the library declares them
            super().__init__(*arguments, **options)
            started.append(self)
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    side = Side("new", "x", tmp_path, Path(sys.executable))
    with pytest.raises(KeyboardInterrupt):
        side._output("-c", "import time; time.sleep(3600)")
    try:
        assert started[0].poll() is not None
    finally:
        started[0].kill()
        started[0].wait()


def test_a_second_interruption_kills_the_run(repository: Repository) -> None:
    """The run may hang, or be busy removing a million files."""
    repository.write_benchmarks(10)
    base = repository.commit()
    with repository.start("--base", base, "measure_stubborn") as process:
        errors = _stream(process.stderr)
        assert errors.readline().startswith("started ")
        process.send_signal(signal.SIGINT)
        assert errors.readline() == INTERRUPTED
        process.send_signal(signal.SIGINT)
        assert errors.read() == ""
        assert process.wait() == 130


def _stream(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream
