"""README and ``docs/`` show what the programs print: the commands in their consoles are run in order, like SPEC's."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import scenes
from tests.support.dishonest_operator import KEY
from tests.support.documents import PAGES, commands, fenced
from tests.support.ran import apart
from verifier.cli import main

SCENES: dict[str, Callable[[Path, str], None]] = {
    "README.md": scenes.readme,
    "docs/auditing.md": scenes.auditing,
    "docs/conformance.md": scenes.sources,
    "docs/dispute.md": scenes.disputed,
    "docs/http.md": scenes.bets,
    "docs/lab.md": scenes.sources,
    "docs/trust.md": scenes.policies,
    "docs/verify.md": scenes.disputed,
}


def printed_in_order(shown: list[str], output: str) -> bool:
    """Whether the lines are in the output, consecutive except where ``…`` leaves some out."""
    pattern = "".join("(?:.*\n)*?" if line == "…" else re.escape(line) + "\n" for line in shown)
    return re.fullmatch(pattern, output) is not None


def arguments_of(command: str) -> list[str]:
    """The arguments of ``foredraw-verify``, with the real key, folder of the log, and Python."""
    program, *arguments = shlex.split(command)
    assert program in {"foredraw-verify", ".venv/bin/foredraw-verify"}
    known = {"VKEY": str(KEY.verifier_key), "http://127.0.0.1:8000/log": "log"}
    return [known.get(each, each.replace("python3", sys.executable)) for each in arguments]


def test_every_page_with_a_console_has_its_scene() -> None:
    """No example output is left out; `test_spec` runs SPEC's."""
    assert {str(page) for page, text in PAGES.items() if fenced(text, "console")} == {*SCENES, "SPEC.md"}


@pytest.mark.lattice
@pytest.mark.parametrize("page", SCENES)
def test_every_command_prints_what_the_page_shows(
    page: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Line by line, in the page's order; a command without output is illustrated by a picture, and must succeed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    status = None
    for command, shown in commands(page):
        if command == "echo $?":
            assert shown == [str(status)]
            continue
        SCENES[page](tmp_path, command)
        if command.startswith("cat "):
            assert Path(command.removeprefix("cat ")).read_text("utf-8").splitlines() == shown
            continue
        status = main(arguments_of(command))
        output, errors = capsys.readouterr()
        # With each change of the source, another manifest is named: pages leave that line out.
        _, output = apart(output)
        # `collect` writes its sample to the standard output, and a description of it to the standard error.
        assert not shown or printed_in_order(shown, output + errors), (command, output, errors)
        assert status == (3 if shown and shown[0].startswith("FAILED") else 0)
    assert status is not None
