"""``foredraw-verify witness`` and ``witness-key`` as programs: keys in files and agents, ends, crashes, alarms."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
import urllib3

from fairness.log.notes import Note, SigningKey
from fairness.policy.cosignatures import WitnessKey
from fairness.policy.policy import Policy
from tests.lies import started
from tests.support.dishonest_operator import KEY
from tests.support.forks import forked
from tests.support.log_server import answering
from tests.support.our_witness import asking, proof_from, request
from tests.support.ran import Ran
from tests.support.ssh_agents import RunningAgent, agent_that_never_signs, ssh_agent
from verifier.commands.command import FAILED, HELD, UNREADABLE, USAGE
from verifier.witness.key_file import make_key_file, read_key_file
from verifier.witness.server import MOST_CONNECTIONS

pytestmark = [pytest.mark.slow]

VKEY = str(KEY.verifier_key)
NAME = "lab.example/witness"
SIZE = len(started().records)


@dataclass
class Running:
    """A witness in a process of its own."""

    process: subprocess.Popen[str]
    url: str
    begun: dict[str, Any]

    def ask(self, body: bytes) -> tuple[int, bytes]:
        """The status and the body of an answer."""
        answer = urllib3.request("POST", f"{self.url}/add-checkpoint", body=body, retries=False, timeout=60)
        return answer.status, answer.data

    def end(self) -> tuple[int, list[dict[str, Any]]]:
        """End it in an orderly way; returns its exit status, and what it said last."""
        self.process.send_signal(signal.SIGTERM)
        assert self.process.stdout is not None
        # communicate() would lose the lines that arrived together with the last one that was read.
        lines = self.process.stdout.readlines()
        return self.process.wait(60), [json.loads(line) for line in lines]


@contextmanager
def running(
    *options: str | Path, environment: dict[str, str] | None = None, open_files: int | None = None
) -> Iterator[Running]:
    """Start a witness of the log's key, and wait until it answers."""
    limited = () if open_files is None else ("sh", "-c", f'ulimit -S -n {open_files}; exec "$@"', "sh")
    command = [
        *limited,
        sys.executable,
        "-m",
        "verifier",
        "witness",
        "--key",
        VKEY,
        "--listen",
        "127.0.0.1:0",
        "--json",
    ]
    with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        lines = []
        for line in iter(process.stdout.readline, ""):
            lines.append(json.loads(line))
            if lines[-1]["what"] == "begun":
                break
        assert lines, "the witness did not begin"
        url = lines[-1]["text"].partition(" at ")[2].partition(";")[0]
        try:
            yield Running(process, url, lines[-1])
        finally:
            process.kill()


def time_of(line: bytes, note: bytes, key: WitnessKey) -> int:
    (time,) = key.times_on(Note.parse(note + line))
    assert time is not None
    return time


@pytest.fixture(name="log")
def _log(tmp_path: Path) -> Path:
    return started().write(tmp_path / "log")


@pytest.fixture(name="options")
def _options(tmp_path: Path, log: Path) -> Sequence[str | Path]:
    make_key_file(tmp_path / "key", NAME)
    return ("--log", log, "--sign-with", tmp_path / "key", "--state", tmp_path / "state")


def test_a_witness_from_its_key_to_its_end(
    tmp_path: Path, log: Path, options: Sequence[str | Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """It cosigns, ends, and goes on where it was."""
    key, note = read_key_file(tmp_path / "key").key, (log / "checkpoint").read_bytes()
    with running(*options, "--begin") as witness:
        assert NAME in witness.begun["text"]
        assert witness.begun["text"].endswith("; nothing was cosigned before")
        status, line = witness.ask(asking(log, 0))
        assert status == 200
        assert time_of(line, note, key)
        status, said = witness.end()
        assert (status, [each["what"] for each in said]) == (HELD, ["grew", "ended"])
        assert {each["command"] for each in said} == {"witness"}
    again = Ran(capsys, "witness", "--key", VKEY, "--listen", "127.0.0.1:0", *options, "--begin")
    assert (again.status, again.output) == (USAGE, "")
    assert "remembers a log already" in again.errors
    started().play("keno-1").write(log)
    with running(*options) as witness:
        assert witness.begun["text"].endswith(f"; {SIZE} records were cosigned before")
        assert witness.ask(asking(log, 0)) == (409, b"%d\n" % SIZE)
        assert witness.ask(asking(log, SIZE))[0] == 200


def test_killed_between_the_memory_and_the_answer(tmp_path: Path, log: Path) -> None:
    """Nobody got the cosignature, and the tree is remembered: another history has no chance."""
    with ssh_agent(tmp_path) as agent, agent_that_never_signs(tmp_path, agent) as (stuck, asked):
        options = ("--log", log, "--agent", agent.fingerprint, "--name", NAME, "--state", tmp_path / "state")
        started().play("keno-1").write(log)
        body = asking(log, 0)
        with running(*options, "--begin", environment={**os.environ, "SSH_AUTH_SOCK": str(stuck)}) as witness:
            Thread(target=_ask_in_vain, args=(witness, body), daemon=True).start()
            assert asked.wait(60)
            witness.process.kill()
            assert witness.process.wait(60) == -signal.SIGKILL
        with running(*options, environment=agent.environment) as witness:
            assert witness.ask(body) == (409, b"%d\n" % (SIZE + 2))
            forked(started(), rounds=0).write(tmp_path / "fork")
            assert witness.ask(asking(tmp_path / "fork", 0)) == (409, b"%d\n" % (SIZE + 2))
            status, _ = witness.ask(asking(log, SIZE + 2))
            assert status == 422  # The log's key signed two histories, and the witness saw both.
            assert witness.end()[0] == FAILED


def test_killed_before_the_memory(tmp_path: Path, log: Path) -> None:
    """Nothing was remembered and nothing signed: the same request is answered after the restart."""
    make_key_file(tmp_path / "key", NAME)
    options = ("--sign-with", tmp_path / "key", "--state", tmp_path / "state")
    body, holding, reading, ended = asking(log, 0), Event(), Event(), Event()

    def hold(_: object) -> None:
        if holding.is_set():
            reading.set()
            ended.wait(60)

    with answering(hold) as slow:
        with running("--log", slow, *options, "--begin") as witness:
            holding.set()
            Thread(target=_ask_in_vain, args=(witness, body), daemon=True).start()
            assert reading.wait(60)
            witness.process.kill()
            witness.process.wait(60)
        ended.set()
    with running("--log", log, *options) as witness:
        assert witness.begun["text"].endswith("; nothing was cosigned before")
        assert witness.ask(body)[0] == 200


def _ask_in_vain(witness: Running, body: bytes) -> None:
    with pytest.raises(urllib3.exceptions.HTTPError):
        witness.ask(body)


def test_the_key_may_be_in_an_ssh_agent(tmp_path: Path, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """OpenSSH's own: the witness finds it by fingerprint or comment, and never has the secret."""
    with ssh_agent(tmp_path) as agent:
        key = key_in(agent, capsys)
        options = ("--log", log, "--name", NAME, "--state", tmp_path / "state")
        note = (log / "checkpoint").read_bytes()
        with running(*options, "--agent", agent.comment, "--begin", environment=agent.environment) as witness:
            status, line = witness.ask(asking(log, 0))
            assert status == 200
            assert time_of(line, note, key)
            agent.command("ssh-add", "-q", "-D")
            started().play("keno-1").write(log)
            status, words = witness.ask(asking(log, SIZE))
            assert (status, b"the ssh-agent refuses" in words) == (503, True)
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("SSH_AUTH_SOCK", str(agent.socket))
            call = ("witness", "--key", VKEY, "--listen", "127.0.0.1:0", *options, "--agent", agent.fingerprint)
            ran = Ran(capsys, *call)
            assert ran.status == UNREADABLE
            assert "0 Ed25519 keys" in ran.output


def key_in(agent: RunningAgent, capsys: pytest.CaptureFixture[str]) -> WitnessKey:
    """The witness's key, as ``witness-key`` prints it."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SSH_AUTH_SOCK", str(agent.socket))
        ran = Ran(capsys, "witness-key", NAME, "--agent", agent.fingerprint, "--json")
    assert ran.status == HELD
    return WitnessKey.parse(ran.json["vkey"])


def test_a_fork_ends_in_an_alarm(tmp_path: Path, log: Path, options: Sequence[str | Path]) -> None:
    """The user's command gets it, the exit status says it, and the next start says it again."""
    told = tmp_path / "told"
    alarm = tmp_path / "alarm.sh"
    alarm.write_text(f'#!/bin/sh\nprintf "%s" "$FOREDRAW_WHAT $FOREDRAW_EVIDENCE" > {told}\n')
    alarm.chmod(0o755)
    started().play("keno-1").write(log)
    with running(*options, "--begin", "--exec", str(alarm)) as witness:
        assert witness.ask(asking(log, 0))[0] == 200
        forked(started()).write(log)
        assert witness.ask(asking(log, SIZE + 2))[0] == 409
        status, said = witness.end()
    assert (status, [each["what"] for each in said]) == (FAILED, ["grew", "fork", "ended"])
    assert told.read_text() == f"fork {said[1]['evidence']}"
    with running(*options) as witness:
        status, said = witness.end()
    assert (status, [each["what"] for each in said]) == (FAILED, ["fork", "ended"])
    assert "two histories" in said[0]["text"]


def test_a_plain_witness_needs_no_log(tmp_path: Path) -> None:
    """It cosigns any log of C2SP's format, with lines of its own below the root and records of whatever kind."""
    make_key_file(tmp_path / "key", NAME)
    options = ("--sign-with", tmp_path / "key", "--state", tmp_path / "state", "--plain")
    note = KEY.sign(f"{KEY.name}\n1\n{'A' * 43}=\nits own line\nanother\n")
    false = KEY.sign(f"{KEY.name}\n1\n{'A' * 43}=\nits own line\n\nanother\n")
    key = read_key_file(tmp_path / "key").key
    with running(*options, "--begin") as witness:
        assert witness.ask(request(false, 0))[0] == 400
        status, line = witness.ask(request(note, 0))
        assert status == 200
        assert time_of(line, note, key)
    with running(*options) as witness:
        assert witness.ask(request(note, 1))[0] == 200
        assert witness.ask(request(KEY.sign(f"{KEY.name}\n1\nB{'A' * 42}=\n"), 1)) == (409, b"1\n")
        assert witness.end()[0] == FAILED


def test_connections_leave_files_to_the_witness(log: Path, options: Sequence[str | Path]) -> None:
    """It needs more open files than the user's shell allows: it raises its own limit, and a burst takes none from
    it.
    """
    with running(*options, "--begin", open_files=128) as witness, ExitStack() as stack:
        host, _, port = witness.url.removeprefix("http://").rpartition(":")
        for _ in range(MOST_CONNECTIONS + 100):
            stack.enter_context(socket.create_connection((host, int(port)), timeout=60))
        assert witness.ask(asking(log, 0))[0] == 200


USES: dict[str, tuple[tuple[str, ...], str]] = {
    "no log": (("--sign-with", "key"), "--log is missing"),
    "no agent": (("--log", "log", "--agent", "x", "--name", NAME), "SSH_AUTH_SOCK"),
    "a name with a file": (("--log", "log", "--sign-with", "key", "--name", NAME), "--name goes with --agent"),
    "no memory": (("--log", "log", "--sign-with", "key"), "no memory in state"),
    "an open key": (("--log", "log", "--sign-with", "open"), "600: nobody else may read it"),
    "a log's key": (("--log", "log", "--sign-with", "logs"), "of type 04"),
    "no program": (("--log", "log", "--sign-with", "key", "--exec", "no-such-program"), "no program to run"),
}


@pytest.mark.parametrize(("options", "words"), USES.values(), ids=USES.keys())
def test_wrong_usage(
    options: tuple[str, ...],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One sentence, and no secret in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    secret = make_key_file(Path("key"), NAME).secret_text()
    Path("open").write_text(secret)
    Path("logs").write_text(SigningKey(NAME, bytes(32)).secret_text())
    Path("logs").chmod(0o600)
    ran = Ran(capsys, "witness", "--key", VKEY, "--listen", "127.0.0.1:0", "--state", "state", *options)
    assert (ran.status, ran.output) == (USAGE, "")
    assert words in ran.errors
    assert secret[-40:] not in ran.errors


@pytest.mark.parametrize(
    "address", ["", "9100", "127.0.0.1", "127.0.0.1:", ":9100", "127.0.0.1:70000", "a b:1", "::1:9"]
)
def test_an_address_that_is_none(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The words say how one is written."""
    ran = Ran(
        capsys, "witness", "--key", VKEY, "--state", "s", "--sign-with", "k", "--log", "l", f"--listen={address}"
    )
    assert ran.status == USAGE
    assert "like 127.0.0.1:9100" in ran.errors


def test_an_address_that_is_taken(
    log: Path, options: Sequence[str | Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second witness there says so and ends."""
    with running(*options, "--begin") as witness:
        address = witness.url.removeprefix("http://")
        other = [tmp_path / "other" if each == tmp_path / "state" else each for each in options]
        ran = Ran(capsys, "witness", "--key", VKEY, "--listen", address, *other, "--begin")
        assert ran.status == UNREADABLE
        assert address in ran.output
        assert "Address already in use" in ran.output
        assert proof_from(log, (log / "checkpoint").read_bytes(), 0) == []


def test_a_new_key_is_told_to_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its public half, and the line of a policy, which a policy takes as it is."""
    file = tmp_path / "key"
    ran = Ran(capsys, "witness-key", NAME, "-o", file, "--url", "https://lab.example/w", "--json")
    assert ran.status == HELD
    line = ran.json["policy_line"]
    assert line == f"witness {NAME} {read_key_file(file).key} https://lab.example/w"
    assert Policy.parse(f"log {VKEY}\n{line}\nquorum {NAME}\n".encode()).quorum is not None
    secret = file.read_text()
    again = Ran(capsys, "witness-key", NAME, "-o", file)
    assert (again.status, file.read_text()) == (USAGE, secret)
    assert "never overwritten" in again.errors
    assert Ran(capsys, "witness-key", "a name", "-o", tmp_path / "new").status == USAGE
    assert not (tmp_path / "new").exists()
    shown = Ran(capsys, "witness-key", NAME, "-o", tmp_path / "third")
    assert shown.output.splitlines()[-1] == f"witness {NAME} {read_key_file(tmp_path / 'third').key}"
