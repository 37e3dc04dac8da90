"""``docs/verify.md`` is true: its commands are run, in its order, and print what it shows; its table is the vectors'."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fairness.checks import Check
from tests import dispute
from tests.dishonest_operator import KEY
from tests.recipes import Format
from tests.recipes.catalogue import FORMATS
from tests.test_documents import HOUSE, PAGES, fenced
from verifier.cli import main

TEXT = PAGES[Path("docs/verify.md")]


def commands() -> Iterator[tuple[str, list[str]]]:
    """Each command of the page, and the lines that it shows of what is printed."""
    for block in fenced(TEXT, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *shown = part.splitlines()
            yield command, shown


def printed_in_order(shown: list[str], output: str) -> bool:
    """Whether the lines stand in the output, next to one another but where ``…`` leaves some out."""
    pattern = "".join("(?:.*\n)*?" if line == "…" else re.escape(line) + "\n" for line in shown)
    return re.fullmatch(pattern, output) is not None


def arguments_of(command: str) -> list[str]:
    """The arguments of ``foredraw-verify``, with the key, and with the Python that runs here."""
    program, *arguments = shlex.split(command)
    assert program == "foredraw-verify"
    key = str(KEY.verifier_key)
    return [key if each == "VKEY" else each.replace("python3", sys.executable) for each in arguments]


def test_every_command_prints_what_the_page_shows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The dispute from start to end: before the bet, after the round, and with the log of somebody else."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "tests").symlink_to(HOUSE / "tests")
    (tmp_path / "verifier").symlink_to(HOUSE / "verifier")
    dispute.before().write(tmp_path / "log")
    dispute.false_outcome().write(tmp_path / "false-log")
    dispute.other_face().write(tmp_path / "other-log")
    dispute.write_bets(tmp_path)
    status, ran = 0, 0
    for command, shown in commands():
        if command == "echo $?":
            assert shown == [str(status)]
            continue
        status = main(arguments_of(command))
        output, errors = capsys.readouterr()
        # A sample is all that `collect` writes to the standard output; what it is, it says beside it.
        assert printed_in_order(shown, output + errors), (command, output, errors)
        assert status == (3 if shown[0].startswith("FAILED") else 0)
        if " prove " in command:
            dispute.after().write(tmp_path / "log")
        ran += 1
    assert ran == 13


def test_what_the_page_keeps_is_what_its_commands_use() -> None:
    """The files of the first table are those of the dispute."""
    for file in ("before.proof", "1.bet", "round-4.proof", "fork.txt"):
        assert TEXT.count(f"`{file}`") >= 1
        assert any(file in command for command, _ in commands())
    assert dispute.code_of_round_4() in TEXT


def test_every_check_that_may_be_nobodys_fault_is_explained() -> None:
    """All that are not about records; of these the operator's signature is proof enough."""
    section = TEXT.partition("## What a verdict means")[2].partition("\n## ")[0]
    named = set(re.findall(r"`(?:FAILED: )?([a-z-]+…?)`", section))
    checks = list(Check)[list(Check).index(Check.NOTE_FORM) :]
    unexplained = [check for check in checks if not {check.value, f"{check.value.partition('-')[0]}-…"} & named]
    assert unexplained == [Check.COMMITMENT]


@pytest.mark.parametrize("kind", FORMATS, ids=lambda kind: kind.name)
def test_every_format_is_described(kind: Format) -> None:
    """Its operation, the keys of its inputs and of its results, and where SPEC has it."""
    given = {key for case in kind.cases for key in case.given}
    results = {key for case in kind.cases if case.catches is None for key in case.result or ()}
    row = re.search(rf"^\| `{kind.name}` \| `(.*?)` \| (.*?) \| (.*?) \| (.*?) \|$", TEXT, re.MULTILINE)
    assert row is not None
    assert (row[1], row[4]) == (kind.operation, kind.spec)
    assert set(re.findall(r"`(\w+)`", row[2])) == given
    assert set(re.findall(r"`(\w+)`", row[3])) == results


def test_no_other_format_is_described() -> None:
    """Each named one has its vectors."""
    named = re.findall(r"^\| `([a-z0-9-]+)` \| `[a-z]+` \| ", TEXT, re.MULTILINE)
    assert named == [kind.name for kind in FORMATS]
