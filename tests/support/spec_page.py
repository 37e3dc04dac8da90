"""The parts of SPEC.md, and a shell in which its commands run."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.house import HOUSE

SPEC = (HOUSE / "SPEC.md").read_text("utf-8")
HEADINGS = re.findall(r"^#{2,3} ([0-9.]+?)\.? (.+)$", SPEC, re.MULTILINE)

# Of the commands that the page uses, not every machine has these two.
_STAND_INS = {
    "xxd": (
        "if '-r' in sys.argv: sys.stdout.buffer.write(bytes.fromhex(sys.stdin.read()))\n"
        "else: print(sys.stdin.buffer.read().hex())\n"
    ),
    "sha256sum": "print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest() + '  -')\n",
}
_PROGRAMS = ("cat", "cut", "openssl")
_END = "— the end of a command —"


def section(number: str) -> str:
    """The text under a heading, up to the next heading of any level."""
    found = re.search(rf"^#{{2,3}} {re.escape(number)}\.? .*?$(.*?)(?=^#{{2,3}} |\Z)", SPEC, re.MULTILINE | re.DOTALL)
    assert found is not None, number
    return found[1]


def blocks(number: str, language: str = "") -> list[str]:
    """The fenced blocks of one section."""
    return [text for tongue, text in _fenced(section(number)) if tongue == language]


def _fenced(text: str) -> list[tuple[str, str]]:
    return re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def rows(text: str) -> list[list[str]]:
    """The rows of all tables in a text, without their heads."""
    tables = re.findall(r"^\|(?:---\|)+\n((?:\|.*\|\n)+)", text, re.MULTILINE)
    return [[cell.strip() for cell in row[1:-1].split(" | ")] for table in tables for row in table.splitlines()]


def session() -> list[tuple[str, str]]:
    """Every command of the page in order, and its output by the page."""
    found: list[tuple[str, str]] = []
    for line in "".join(text for tongue, text in _fenced(SPEC) if tongue == "console").splitlines():
        if line.startswith("$ "):
            found.append((line[2:], ""))
        else:
            command, output = found[-1]
            found[-1] = (command, f"{output}{line}\n")
    return found


def run(commands: list[str], folder: Path) -> list[str]:
    """What each command prints in one shell that has only the page's tools, and writes files in ``folder`` alone."""
    tools = folder / "tools"
    tools.mkdir(exist_ok=True)
    for name, code in _STAND_INS.items():
        tool = tools / name
        tool.write_text(f"#!{sys.executable} -ISs\nimport hashlib, sys\n{code}")
        tool.chmod(0o755)
    for name in _PROGRAMS:
        program = shutil.which(name)
        assert program is not None, name
        (tools / name).unlink(missing_ok=True)
        (tools / name).symlink_to(program)
    script = "\n".join(f"{command}\necho '{_END}'" for command in commands)
    done = subprocess.run(
        ["/bin/sh", "-c", script],
        env={"PATH": str(tools), "LC_ALL": "C"},
        capture_output=True,
        check=True,
        timeout=60,
        cwd=folder,
    )
    assert done.stderr == b""
    return done.stdout.decode().split(f"{_END}\n")[:-1]
