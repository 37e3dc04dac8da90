"""Runs targets in separate processes, from their seed inputs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from fuzz.targets import TARGETS, TESTING_ONLY

LARGEST_INPUT = 4096
SLOWEST_INPUT = 10
"""Seconds after which an input counts as a hang."""
MOST_MEMORY = 2048
"""Megabytes of memory above which an input counts as a failure."""
_WORD = re.compile(rb"[A-Za-z0-9_.+/=-]{1,40}|[^A-Za-z0-9\s]{2,8}")


@dataclass(frozen=True)
class Run:
    """What a run covered, and which inputs broke a promise."""

    inputs: int
    reached: int
    findings: list[Path]
    output: str


def run_target(name: str, folder: Path, *options: str) -> Run:
    """Run one target until libFuzzer's ``options`` stop it. The corpus stays in ``folder``."""
    return run_targets([name], folder, *options)[name]


def run_targets(names: Sequence[str], folder: Path, *options: str) -> dict[str, Run]:
    """The same for some targets, one after the other, in processes that one prepares for all of them."""
    before = {name: _prepare(name, folder) for name in names}
    limits = [f"-max_len={LARGEST_INPUT}", f"-timeout={SLOWEST_INPUT}", f"-rss_limit_mb={MOST_MEMORY}"]
    ran = subprocess.run(
        [sys.executable, "-m", "fuzz.one", str(folder), ",".join(names), *limits, "-print_final_stats=1", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    if ran.returncode:
        raise RuntimeError(f"the fuzzer did not run:\n{ran.stdout.decode('utf-8', 'replace')}")
    return {name: _result(name, folder, before[name]) for name in names}


def _prepare(name: str, folder: Path) -> set[Path]:
    """Write the corpus and the words of a target; returns the findings of earlier runs."""
    corpus = folder / name
    corpus.mkdir(parents=True, exist_ok=True)
    seeds = (TARGETS | TESTING_ONLY)[name].seeds()
    for seed in seeds:
        (corpus / sha256(seed).hexdigest()[:16]).write_bytes(seed)
    (folder / f"{name}.dict").write_text(_dictionary(seeds), "ascii")
    return set(_findings(name, folder))


def _result(name: str, folder: Path, before: set[Path]) -> Run:
    output = (folder / f"{name}.output").read_bytes().decode("utf-8", "replace")
    inputs, reached = (re.findall(pattern, output) for pattern in (r"number_of_executed_units: (\d+)", r"cov: (\d+)"))
    findings = sorted(set(_findings(name, folder)) - before)
    if not output.endswith("\nexit status 0\n") and not findings:
        raise RuntimeError(f"the fuzzer of {name} did not run:\n{output}")
    return Run(int(inputs[-1]) if inputs else 0, int(reached[-1]) if reached else 0, findings, output)


def _findings(name: str, folder: Path) -> Iterable[Path]:
    kinds = ("crash", "timeout", "oom", "leak", "slow-unit")
    return (path for kind in kinds for path in folder.glob(f"{name}-{kind}-*"))


def _dictionary(seeds: Iterable[bytes]) -> str:
    """The words of valid values, in libFuzzer's form."""
    words = sorted({word for seed in seeds for word in _WORD.findall(seed)})
    return "".join('"' + "".join(f"\\x{byte:02x}" for byte in word) + '"\n' for word in words)
