"""``-o``: a file, standard output, or what a shell has opened; and the words for people, which never come between the
bytes.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import pytest
from msgspec import to_builtins

from fairness.player.bets import digest
from tests.house import HOUSE
from tests.support.codes import code_of
from tests.support.dishonest_operator import KEY, Operator
from tests.support.ran import Ran
from verifier.commands.command import FAILED, HELD, UNREADABLE, USAGE

pytestmark = pytest.mark.nightly("a process for each place", but="test_standard_output_is_for_the_file_alone")

VKEY = str(KEY.verifier_key)
STANDARD_OUTPUT = ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link")


@pytest.fixture(name="call")
def _call(tmp_path: Path) -> list[str]:
    """A proof of a round, without ``-o``."""
    operator = Operator()
    operator.table("keno-1", "keno-express")
    operator.batch("keno-1", 9)
    operator.lock("keno-1", bets=to_builtins(digest([b"a bet"])))
    operator.reveal("keno-1")
    (tmp_path / "link").symlink_to("/dev/stdout")
    log = operator.write(tmp_path / "log")
    return ["prove", str(code_of(operator, "keno-1", 1)), "--log", str(log), "--key", VKEY]


@pytest.fixture(name="proof")
def _proof(call: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> bytes:
    assert Ran(capsys, *call, "-o", tmp_path / "proof").status == HELD
    return (tmp_path / "proof").read_bytes()


def run(
    folder: Path,
    *arguments: str,
    stdout: IO[bytes] | socket.socket | int = subprocess.PIPE,
    pass_fds: Sequence[int] = (),
) -> subprocess.CompletedProcess[bytes]:
    """Run the program in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "verifier", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(HOUSE)},
        stdout=stdout if isinstance(stdout, int) else stdout.fileno(),
        stderr=subprocess.PIPE,
        pass_fds=pass_fds,
        check=False,
    )


@pytest.mark.parametrize("name", STANDARD_OUTPUT)
def test_standard_output_is_for_the_file_alone(name: str, call: list[str], proof: bytes, tmp_path: Path) -> None:
    """By each of its names, in a pipe: the verdict is on standard error, and no file has such a name."""
    before = set(tmp_path.iterdir())
    ran = run(tmp_path, *call, "-o", name)
    assert (ran.returncode, ran.stdout) == (HELD, proof)
    assert b"Written    standard output\nHeld: " in ran.stderr
    assert set(tmp_path.iterdir()) == before
    assert (tmp_path / "link").is_symlink()


@pytest.mark.parametrize("name", STANDARD_OUTPUT)
@pytest.mark.parametrize("mode", ["wb", "ab"])
def test_a_file_behind_standard_output_is_written_as_the_shell_opened_it(
    name: str, mode: str, call: list[str], proof: bytes, tmp_path: Path
) -> None:
    """It is not replaced by another file, and what was there before is not lost where a shell appends."""
    file = tmp_path / "all"
    file.write_bytes(b"before\n")
    with file.open(mode) as opened:
        assert run(tmp_path, *call, "-o", name, stdout=opened).returncode == HELD
    assert file.read_bytes() == (b"before\n" if mode == "ab" else b"") + proof


def test_a_socket_behind_standard_output_is_written(call: list[str], proof: bytes, tmp_path: Path) -> None:
    """The system does not open one again by its name."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert run(tmp_path, *call, "-o", "/dev/stdout", stdout=theirs).returncode == HELD
        theirs.close()
        with ours.makefile("rb") as read:
            assert read.read() == proof


@pytest.mark.parametrize("what", ["pipe", "file"])
def test_what_a_shell_has_opened_is_written(what: str, call: list[str], proof: bytes, tmp_path: Path) -> None:
    """``-o >(…)`` and ``3>file``: the verdict is on standard output, as ever."""
    reading, writing = os.pipe() if what == "pipe" else (-1, os.open(tmp_path / "file", os.O_WRONLY | os.O_CREAT))
    ran = run(tmp_path, *call, "-o", f"/dev/fd/{writing}", pass_fds=[writing])
    os.close(writing)
    assert (ran.returncode, ran.stderr) == (HELD, b"")
    assert f"Written    /dev/fd/{writing}\nHeld: ".encode() in ran.stdout
    with (tmp_path / "file").open("rb") if what == "file" else os.fdopen(reading, "rb") as read:
        assert read.read() == proof


def test_a_shell_substitutes_a_process(call: list[str], proof: bytes, tmp_path: Path) -> None:
    """As bash makes the pipe."""
    script = '"$0" -m verifier "$@" -o >(cat > told); wait $!'
    environment = {**os.environ, "PYTHONPATH": str(HOUSE)}
    command = ["bash", "-c", script, sys.executable, *call]
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert b"Held: " in ran.stdout
    assert (tmp_path / "told").read_bytes() == proof


def test_a_descriptor_that_is_not_open_is_an_error(call: list[str], tmp_path: Path) -> None:
    """The verdict is printed all the same, and status 4 says that the file is missing."""
    ran = run(tmp_path, *call, "-o", "/dev/fd/99")
    assert ran.returncode == UNREADABLE
    assert b"/dev/fd/99: the proof could not be written: Bad file descriptor" in ran.stderr
    assert ran.stdout.splitlines()[-1].startswith(b"Held: ")


def test_a_file_may_be_called_like_standard_output(call: list[str], proof: bytes, tmp_path: Path) -> None:
    """By its path."""
    assert run(tmp_path, *call, "-o", "./-").returncode == HELD
    assert (tmp_path / "-").read_bytes() == proof


@pytest.mark.parametrize("name", STANDARD_OUTPUT)
def test_json_needs_another_place(name: str, call: list[str], tmp_path: Path) -> None:
    """One object and a file do not go into one pipe: the object says so, and nothing else does."""
    ran = run(tmp_path, *call, "--json", "-o", name)
    assert (ran.returncode, json.loads(ran.stdout)["verdict"]) == (USAGE, "wrong-usage")
    assert b"--json needs -o FILE" in ran.stderr


@pytest.mark.parametrize("name", STANDARD_OUTPUT[:2])
def test_every_command_writes_to_standard_output(name: str, call: list[str], tmp_path: Path) -> None:
    """A sample, a report, a key, a completed receipt; and a failed check, which has nothing to write."""
    seed = ("--seed", "07" * 32)
    samples = [run(tmp_path, "collect", "--raw", "9999", *seed, *place).stdout for place in ((), ("-o", name))]
    assert samples[0] == samples[1]
    assert len(samples[0]) == 9999
    found = run(tmp_path, "stats", "log", "--key", VKEY, "-o", name)
    assert (found.stdout[:15], b"Held, and " in found.stderr) == (b"<!doctype html>", True)
    made = run(tmp_path, "witness-key", "lab.example", "-o", name)
    assert made.stdout.startswith(b"PRIVATE+KEY+lab.example+")
    assert made.stdout.count(b"\n") == 1
    assert b"Policy " in made.stderr
    run(tmp_path, *call, "-o", "proof")
    completed = run(tmp_path, "receipt", "proof", "--log", "log", "--key", VKEY, "-o", name)
    assert (completed.returncode, completed.stdout) == (HELD, (tmp_path / "proof").read_bytes())
    compared = run(tmp_path, "compare", "log", "log", "--key", VKEY, "-o", name)
    assert (compared.returncode, compared.stdout, b"Held" in compared.stderr) == (HELD, b"", True)
    (tmp_path / "log" / "checkpoint").write_bytes((tmp_path / "log" / "checkpoint").read_bytes()[:-9] + b"AAAAAA==\n")
    failed = run(tmp_path, *call, "-o", name)
    assert (failed.returncode, failed.stdout, b"FAILED" in failed.stderr) == (FAILED, b"", True)
