"""The documents and their blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.house import HOUSE

NAMES = ("README.md", "SPEC.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md", "verifier/browser/README.md")
LIFE = "api/rounds/life-of-a-lock.md"
PAGES = {
    path.relative_to(HOUSE): path.read_text("utf-8")
    for path in (*map(HOUSE.joinpath, (*NAMES, LIFE)), *(HOUSE / "docs").glob("*.md"))
}

OPERATOR = "\n".join(
    PAGES[Path(f"docs/{name}.md")]
    for name in ("incidents", "install", "operating", "watching", "back-up", "machines")
)
"""What the operator reads."""


def fenced(text: str, *languages: str) -> list[str]:
    """The fenced blocks of a page in one of these languages."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [block for language, block in found if language in languages]


def commands(page: str) -> Iterator[tuple[str, list[str]]]:
    """Each command of a page except calls of the service, with the lines of its output on the page."""
    for block in fenced(PAGES[Path(page)], "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *shown = part.splitlines()
            if not command.startswith("curl "):
                yield command, shown
