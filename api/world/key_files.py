"""Files that hold one secret key each, with mode 0600."""

from __future__ import annotations

from pathlib import Path

from api.settings import SettingsError
from api.world.durable import write_durably

WRITTEN_BY_OTHERS = 0o022
"""The bits of a mode that let another account write, by its group or as anybody."""


def write_key(path: Path, text: str) -> None:
    """Put a key into a file of its own."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_durably(path, text.encode() + b"\n", mode=0o600)


def read_key(path: Path, *, without: str | None = None) -> str:
    """Return the text of a key. Raises `SettingsError`, as `check_key` does; it names the file and never its
    content.
    """
    check_key(path, without=without)
    try:
        return path.read_text(encoding="ascii").removesuffix("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}") from None


def check_key(path: Path, *, without: str | None = None) -> None:
    """Check without opening it that a key is there, and that no other account can read it. Raises `SettingsError`.

    Of a key of a log, ``without`` says what can no longer happen if it is lost.
    """
    try:
        if path.stat().st_mode & 0o077:
            raise SettingsError(f"{path} can be read by others: run chmod 600 on it")
    except FileNotFoundError:
        raise SettingsError(f"{path} is missing: {_put_back(without)}") from None
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error}") from None


def _put_back(without: str | None) -> str:
    """Return what to do about a missing key, in this order: what `init` makes is another log, not this one again."""
    if without is None:
        return "put it back from your backup of keys"
    return (
        "put it back from your backup of keys, or from the folder keys/ of a back-up that was made --with-keys. Without it"
        f" {without}. Only if no copy is left anywhere, the log has ended: announce that, keep it public, and run"
        " `foredraw init` in another folder, never in this one. That is another log, with another key and another name, and"
        ' cannot keep what this one has promised (docs/back-up.md, "If a key is lost")'
    )
