"""The commands of docs/install.md, one a line, as a person types them; and how many lines they are."""

from __future__ import annotations

from pathlib import Path

from tests.house import HOUSE
from tests.support.documents import PAGES, fenced

_INSTALL = PAGES[Path("docs/install.md")]


def typed(heading: str) -> list[str]:
    """The lines of the first block below a heading of the page."""
    below = _INSTALL.partition(f"\n## {heading}\n")[2]
    assert below, heading
    return fenced(below, "sh")[0].splitlines()


ONE, SEVERAL, UPGRADE = typed("One machine"), typed("Several machines"), typed("Upgrade")


def packages() -> set[str]:
    """Debian's packages that the page, or a file that it names, asks for."""
    share = HOUSE / "deploy/machine/usr/local/share/foredraw"
    (line,) = [line for line in ONE if line.startswith("apt-get install")]
    found = {word for word in line.split()[2:] if not word.startswith("-")}
    for file in share.glob("*.packages"):
        found |= set(file.read_text("ascii").split())
    return found
