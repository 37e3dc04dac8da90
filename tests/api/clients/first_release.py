"""The descriptions of the first release, in ``first/``: clients that are made of them meet later answers.

Until it is made, they are those of the day on which ``python -m tests.api.clients.first_release`` was run last. The
first release runs it once more, and then nobody does: the files never change again.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.house import HOUSE
from tests.support.descriptions import BOTH

NAMES = ("public", "engines")
_FOLDER = Path(__file__).parent / "first"


def descriptions() -> dict[str, bytes]:
    """The files, by the names of clients of them."""
    return {name: (_FOLDER / f"{name}.json").read_bytes() for name in NAMES}


def documents() -> list[Any]:
    """The same as values."""
    return [json.loads(data) for data in descriptions().values()]


if __name__ == "__main__":
    _FOLDER.mkdir(exist_ok=True)
    for name, document in zip(NAMES, BOTH, strict=True):
        (_FOLDER / f"{name}.json").write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", "utf-8")
    sys.stdout.write(f"{_FOLDER.relative_to(HOUSE)} has the descriptions of today\n")
