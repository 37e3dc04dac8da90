"""Modules of names in use, in a folder where nobody should look for modules."""

from __future__ import annotations

from pathlib import Path

PLANTED = ("flask", "gunicorn", "msgspec", "colorsys", "re", "api", "verifier", "__config__", "gunicorn.conf")


def plant(folder: Path) -> Path:
    """Modules of names in use; whatever imports one of them fails, and leaves a file beside it."""
    folder.mkdir(exist_ok=True)
    for name in PLANTED:
        (folder / f"{name}.py").write_text(
            f"open({str(folder / 'imported')!r}, 'w').close()\nraise ImportError('planted')\n", "ascii"
        )
    return folder
