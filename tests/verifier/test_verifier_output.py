"""What ``foredraw-verify`` prints on, whatever the environment says of it: a verdict is never lost for it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
from msgspec import to_builtins

from fairness.player.bets import digest
from tests.support.codes import code_of
from tests.support.dishonest_operator import KEY, Operator
from tests.support.witnesses import LAB, REGULATOR, cosigned, policy_text
from verifier.cli import main, parser
from verifier.commands.command import HELD, USAGE

ENCODINGS = ("latin-1", "koi8-r", "cp437", "cp850", "cp1252", "ascii")
NAME = "Լաբորատորիա-№1"


@pytest.fixture(name="operator", scope="module")
def _operator() -> Operator:
    operator = Operator()
    operator.table("keno-1", "keno-express")
    operator.batch("keno-1", 9)
    operator.play("keno-1", 2)
    operator.lock("keno-1", bets=to_builtins(digest([b"a bet"])))
    operator.reveal("keno-1")
    return operator


@pytest.fixture(name="folder")
def _folder(operator: Operator, tmp_path: Path) -> Path:
    """A log, and a policy that names a witness in Armenian."""
    operator.write(tmp_path / "log")
    head = tmp_path / "log" / "checkpoint"
    head.write_bytes(cosigned(head.read_bytes(), LAB, REGULATOR))
    text = policy_text(KEY.verifier_key).decode().replace("lab ", f"{NAME} ")
    (tmp_path / "policy").write_text(text, encoding="utf-8")
    (tmp_path / "game").write_text('{"draw":[["order","race"]],"rules":{"runners":[2,16],"w*runners":[1,1000]}}')
    return tmp_path


def printed(encoding: str, arguments: Sequence[str | Path]) -> tuple[int, bytes, bytes]:
    """The status of a run, and what it wrote on streams of such an encoding, which are as Python makes them."""
    before, streams = (sys.stdout, sys.stderr), (BytesIO(), BytesIO())
    sys.stdout, sys.stderr = (TextIOWrapper(stream, encoding=encoding, write_through=True) for stream in streams)
    try:
        try:
            status = main(list(map(str, arguments)))
        except SystemExit as stopped:
            status = int(stopped.code or 0)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        return status, streams[0].getvalue(), streams[1].getvalue()
    finally:
        sys.stdout, sys.stderr = before


def calls(operator: Operator, folder: Path) -> list[list[str | Path]]:
    """A call of every command that prints something of a log, of a policy or of the user's, and one that is
    refused.
    """
    log, proof, code = folder / "log", folder / "proof", str(code_of(operator, "keno-1", 3))
    trust: list[str | Path] = ["--policy", folder / "policy"]
    return [
        ["audit", log, "--jobs", "1", *trust],
        ["code", code, "--log", log, *trust],
        ["prove", code, "--log", log, "-o", proof, *trust],
        ["proof", proof, *trust],
        ["receipt", proof, "--log", log, *trust],
        ["policy", folder / "policy"],
        ["policy", folder / "policy", "--json"],
        ["game", folder / "game", "--rules", '{"runners":2,"version":1,"w1":1,"w2":3}'],
        ["compare", log, folder / "żaden", *trust],
        ["audit", folder / "żaden", *trust],
        ["bets", folder / "żaden"],
        ["collect", "--outcomes", "żaden", "1"],
    ]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_what_cannot_be_encoded_is_escaped(encoding: str, operator: Operator, folder: Path) -> None:
    """In every command: the same status and the same words, and nothing is left out."""
    for call in calls(operator, folder):
        whole = printed("utf-8", call)
        assert printed(encoding, call) == (
            whole[0],
            *(text.decode().encode(encoding, "backslashreplace") for text in whole[1:]),
        ), call
        assert whole[0] == HELD or "żaden" in str(call[1:]), whole


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_help_that_cannot_be_encoded_is_escaped(encoding: str) -> None:
    """Of the program, of each command, and of each command's commands."""
    for words in _commands(parser()):
        status, output, errors = printed(encoding, [*words, "--help"])
        assert (status, errors, output.startswith(b"usage: ")) == (HELD, b"", True), words
    assert printed(encoding, ["żaden"])[0] == USAGE


@pytest.mark.parametrize("columns", ["0", "-1", "abc", "", "1", "2", "²", "٨٠", "9" * 5000, " 80"])
def test_a_terminal_of_any_size_gets_the_verdict(
    columns: str, operator: Operator, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A terminal may not know its size, and an environment may have any text: the words are the same, however they
    are wrapped.
    """
    for call in calls(operator, folder):
        status, *texts = printed("utf-8", call)
        for name in ("COLUMNS", "LINES"):
            monkeypatch.setenv(name, columns)
        found, *given = printed("utf-8", call)
        assert (found, *(text.split() for text in given)) == (status, *(text.split() for text in texts)), call
        for name in ("COLUMNS", "LINES"):
            monkeypatch.delenv(name)
    for words in _commands(parser()):
        monkeypatch.setenv("COLUMNS", columns)
        assert printed("utf-8", [*words, "--help"])[0] == HELD


def _commands(program: argparse.ArgumentParser, words: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    below = [each for each in program._actions if isinstance(each, argparse._SubParsersAction)]
    return [
        words,
        *(found for each in below for name, one in each.choices.items() for found in _commands(one, (*words, name))),
    ]
