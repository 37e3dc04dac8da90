"""Files of ours that a later version wrote: evidence against nobody, and nothing of them is judged (SPEC 4.9)."""

from __future__ import annotations

import re

from fairness.errors import Unknown

_FIRST_LINE = re.compile(rb"foredraw/v([1-9][0-9]*)/([a-z-]{1,32})")


class NewerFile(Unknown):
    """A file whose first line names a version from 2 on."""


def refuse_newer(data: bytes, kind: str) -> None:
    """Raise `NewerFile` if the first line is that of a file of this ``kind``, such as `round-proof`, and of a later
    version.
    """
    found = _FIRST_LINE.fullmatch(data.partition(b"\n")[0])
    if found is not None and found[2] == kind.encode() and found[1] != b"1":
        raise NewerFile([f"foredraw/v{found[1].decode()}/{kind}"])
