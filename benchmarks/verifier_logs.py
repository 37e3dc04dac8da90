"""Logs on which the verifier's figures are measured: made once per run, and removed after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.made_log import LogMaker, make_log
from benchmarks.salted_log import SaltedLogMaker, policy_for
from fairness.hashing import sha256
from fairness.log.notes import SigningKey
from games import GAMES

KEY = SigningKey("bench.example/log", sha256(b"the benchmarks' key"))


@dataclass(frozen=True, slots=True)
class BenchLog:
    """A log's folder, and codes of some of its rounds."""

    folder: Path
    records: int
    codes: list[str]
    trust: str
    """The log's key; of a salted log, the text of a policy."""
    options: list[str]
    """The key, or the policy's file, as options of a command."""


@cache
def _place() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="foredraw-bench-")


@cache
def log_of(rounds: int) -> BenchLog:
    """A log of ``rounds`` rounds of six tables."""
    key = str(KEY.verifier_key)
    return _made(LogMaker, str(rounds), rounds, key, ["--key", key])


@cache
def log_of_game(game: str, rounds: int) -> BenchLog:
    """A log of ``rounds`` rounds of one table."""
    key = str(KEY.verifier_key)
    return _made(LogMaker, f"{game}-{rounds}", rounds, key, ["--key", key], [game])


@cache
def salted_log_of(rounds: int) -> BenchLog:
    """The same with salts, witnesses and a policy."""
    name, text = f"salted-{rounds}", policy_for(KEY)
    policy = Path(_place().name) / f"{name}.policy"
    policy.write_text(text)
    return _made(SaltedLogMaker, name, rounds, text, ["--policy", str(policy)])


def _made(
    kind: type[LogMaker], name: str, rounds: int, trust: str, options: list[str], games: Sequence[str] = tuple(GAMES)
) -> BenchLog:
    folder = Path(_place().name) / name
    maker = make_log(folder, rounds, KEY, kind=kind, games=games)
    return BenchLog(folder, maker.edge.size, list(maker.codes.values()), trust, options)
