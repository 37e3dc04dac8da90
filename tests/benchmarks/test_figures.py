"""``python -m benchmarks``: what is printed, and what is written as JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.figure import Figure, higher, lower, neutral
from tests.house import HOUSE

ROOT = HOUSE


def benchmarks(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_figure_is_one_line() -> None:
    """Each quantity with its words and its unit, then the remark."""
    quantities = [higher("", 1234.4, "/s"), lower("median", 5.25, "ms", 1), neutral("ratio", 0.5, "", 2)]
    assert (
        Figure("play", quantities, "-", None, "on 2 cores").measured
        == "1,234/s; median 5.2 ms; ratio 0.50; on 2 cores"
    )
    assert Figure("play", quantities[:1], "-", None).measured == "1,234/s"


@pytest.mark.nightly("makes a measure")
def test_a_named_measure_is_printed_and_written_as_json(tmp_path: Path) -> None:
    """The file has the measured value, the lines have it rounded."""
    file = tmp_path / "figures.json"
    done = benchmarks("measure_batches", "--json", str(file))
    (figure,) = json.loads(file.read_text())
    (quantity,) = figure["quantities"]
    value = quantity.pop("value")
    assert quantity == {"what": "CPU time", "unit": "ms", "digits": 1, "better": "lower"}
    assert figure["name"] == "making and committing a batch of 1000"
    assert (figure["target"], figure["met"]) == ("under 20 ms", value < 20)
    assert f"measured  CPU time {value:,.1f} ms\n" in done.stdout
    assert done.returncode == 0


@pytest.mark.nightly("starts the program for each mistake")
def test_wrong_usage_is_refused_before_anything_is_measured(tmp_path: Path) -> None:
    """A measure that does not exist, or a file that cannot be written."""
    done = benchmarks("measure_bathces")
    assert done.returncode == 2
    assert "there is no measure_bathces; there are measure_audit, " in done.stderr
    done = benchmarks("--json", str(tmp_path / "missing" / "figures.json"))
    assert done.returncode == 2
    assert f"{tmp_path / 'missing'} is not a folder" in done.stderr


def test_make_bench_installs_what_it_needs_and_passes_its_words_on() -> None:
    """Also Chromium, by the same step as `make test`."""
    words = ["ONLY=measure_play measure_proof", "BASE=HEAD~1", "ROUNDS=5", "JSON=figures.json"]
    steps = subprocess.run(
        ["make", "--no-print-directory", "-n", "bench", *words], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert "tests/tools.sh\n" in steps
    assert steps.endswith(
        "python -m benchmarks --json 'figures.json' --base 'HEAD~1' --rounds 5 measure_play measure_proof\n"
    )
