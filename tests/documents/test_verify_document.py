"""The tables of ``docs/verify.md``, ``docs/dispute.md`` and ``docs/conformance.md`` match the checks, the dispute and
the vectors.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fairness.checks import Check
from tests.house import HOUSE
from tests.oracles.second_verifier import BROWSER, node
from tests.recipes import Format
from tests.recipes.catalogue import FORMATS
from tests.support import dispute
from tests.support.codes import code_of, three_tables
from tests.support.documents import PAGES, commands, fenced
from tests.support.log_server import serving
from tests.support.verdicts import VKEY
from verifier.cli import main
from verifier.commands.command import HELD
from verifier.conformance.driver import Vectors, conform, load_vectors
from verifier.sentences import Line

DISPUTE = PAGES[Path("docs/dispute.md")]
CONFORMANCE = PAGES[Path("docs/conformance.md")]


def test_what_the_page_keeps_is_what_its_commands_use() -> None:
    """The files of the first table are those of the dispute."""
    for file in ("before.proof", "1.bet", "round-4.proof", "fork.txt"):
        assert DISPUTE.count(f"`{file}`") >= 1
        assert any(file in command for command, _ in commands("docs/dispute.md"))
    assert dispute.code_of_round_4() in PAGES[Path("docs/verify.md")]


def test_every_check_that_may_be_nobodys_fault_is_explained() -> None:
    """All checks that are not about records; for those the operator's signature is proof enough."""
    section = PAGES[Path("docs/verify.md")].partition("## What a verdict means")[2].partition("\n## ")[0]
    named = set(re.findall(r"`(?:FAILED: )?([a-z-]+…?)`", section))
    checks = list(Check)[list(Check).index(Check.NOTE_FORM) :]
    unexplained = [check for check in checks if not {check.value, f"{check.value.partition('-')[0]}-…"} & named]
    assert unexplained == [Check.COMMITMENT]


def test_every_last_line_of_a_verdict_is_explained() -> None:
    """By how it begins, with its exit status."""
    section = PAGES[Path("docs/verify.md")].partition("## What a verdict means")[2].partition("\n## ")[0]
    for line in Line:
        assert re.search(
            rf"^\| `{re.escape(line.partition('%')[0].strip())}.*` \| [0-8] \|", section, re.MULTILINE
        ), line


@pytest.mark.parametrize("kind", FORMATS, ids=lambda kind: kind.name)
def test_every_format_is_described(kind: Format) -> None:
    """With its operation, the keys of its inputs and results, and the section of SPEC."""
    given = {key for case in kind.cases for key in case.given}
    results = {key for case in kind.cases if case.is_valid for key in case.result or ()}
    row = re.search(rf"^\| `{kind.name}` \| `(.*?)` \| (.*?) \| (.*?) \| (.*?) \|$", CONFORMANCE, re.MULTILINE)
    assert row is not None
    assert (row[1], row[4]) == (kind.operation, kind.spec)
    assert set(re.findall(r"`(\w+)`", row[2])) == given
    assert set(re.findall(r"`(\w+)`", row[3])) == results


def test_no_other_format_is_described() -> None:
    """Each format that is named has vectors."""
    named = re.findall(r"^\| `([a-z0-9-]+)` \| `[a-z]+` \| ", CONFORMANCE, re.MULTILINE)
    assert named == [kind.name for kind in FORMATS]


def _around_commands(folder: Path) -> str:
    """The program of docs/conformance.md that has our own commands answer for verdicts, as a command."""
    (text,) = fenced(CONFORMANCE, "python")
    program = folder / "program.py"
    program.write_text(text, "utf-8")
    return f"{sys.executable} {program}"


def test_the_program_around_commands_is_short() -> None:
    """Twenty lines, none of which is several."""
    (text,) = fenced(CONFORMANCE, "python")
    lines = list(filter(None, text.splitlines()))
    assert len(lines) <= 20
    assert not any(";" in line or len(line) > 100 for line in lines)


def test_the_program_around_commands_answers(tmp_path: Path) -> None:
    """The first case of each command with its options, as any program is asked."""
    (vectors,) = (each for each in load_vectors() if each.format == "verdict")
    first = {
        (given["command"], *given["options"]): case for case in reversed(vectors.cases) for given in [case["input"]]
    }
    asked = Vectors(vectors.format, vectors.operation, list(first.values()))
    (report,) = conform(_around_commands(tmp_path).split(), [asked], limit=600)
    assert (report.failures, report.passed) == ([], len(first))


@pytest.mark.nightly("answers all verdicts")
def test_the_program_around_commands_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every case of the format, with nothing declined."""
    assert main(["conform", _around_commands(tmp_path), "--format", "verdict", "--json"]) == HELD
    (told,) = json.loads(capsys.readouterr().out)["formats"]
    assert (told["failed"], told["declined"]) == (0, {})


def test_the_example_in_javascript_runs(tmp_path: Path) -> None:
    """As it is, on a code of a served log; only the module, the log, the key and the code are given to it."""
    operator = three_tables()
    (example,) = fenced(PAGES[Path("docs/verify.md")], "js")
    given = (
        f"const [code, vkey, show] = {json.dumps([str(code_of(operator, 'dice', 2)), VKEY])}.concat(() => {{}});\n"
    )
    example = example.replace("./verifier.js", (BROWSER / "verifier.js").as_uri())
    with serving(operator.write(tmp_path)) as address:
        script = given + example.replace("https://casino.example/log", address) + "console.log(report.verdict);\n"
        command = [node(), "--input-type=module", "--eval", script]
        ran = subprocess.run(command, cwd=HOUSE, capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr) == ("held\n", "")
