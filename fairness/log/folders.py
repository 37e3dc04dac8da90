"""Files that are named after a hash stand in folders of two digits, so that no folder gets too many names (SPEC
5).
"""

from __future__ import annotations

FOLDER_DIGITS = 2


def hashed_path(folder: str, name: str) -> str:
    """Return the path of what is named after a hash in hexadecimal: `commitments/48/48045e…`."""
    return f"{folder}/{name[:FOLDER_DIGITS]}/{name}"


def hashed_pattern(folder: str, digits: int) -> str:
    """Return a regular expression of all such paths for names of so many digits; a name in another one's folder is
    none.
    """
    group = folder.replace("/", "_")
    return rf"{folder}/(?P<{group}>[0-9a-f]{{{FOLDER_DIGITS}}})/(?P={group})[0-9a-f]{{{digits - FOLDER_DIGITS}}}"
