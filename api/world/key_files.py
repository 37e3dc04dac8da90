"""Files that hold one secret key each, with mode 0600."""

from __future__ import annotations

from pathlib import Path

from api.settings import SettingsError
from api.world.durable import write_durably


def write_key(path: Path, text: str) -> None:
    """Put a key into a file of its own."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_durably(path, text.encode() + b"\n", mode=0o600)


def read_key(path: Path) -> str:
    """The text of a key. Raises `SettingsError`, which names the file and never its content."""
    check_key(path)
    try:
        return path.read_text(encoding="ascii").removesuffix("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}") from None


def check_key(path: Path) -> None:
    """Without opening it: a key is there, and no other account can read it. Raises `SettingsError`."""
    try:
        if path.stat().st_mode & 0o077:
            raise SettingsError(f"{path} can be read by others: run chmod 600 on it")
    except FileNotFoundError:
        raise SettingsError(
            f"{path} is missing: run `foredraw init` for a new log, or restore the file from your backup of keys"
        ) from None
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error}") from None
