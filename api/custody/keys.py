"""The key that encrypts seeds at rest. Only the custodian reads it."""

from __future__ import annotations

from pathlib import Path

from api.custody.source import Source
from api.settings import Settings, SettingsError
from api.world.durable import sync_folder
from api.world.key_files import read_key, write_key

SEEDS_KEY_SIZE = 32
WITHOUT_SEEDS_KEY = (
    "no seed of a committed round can be read: rounds that are locked are never revealed, those that are committed never"
    " played, and their tables never closed"
)
"""What is lost with it."""


def create_seeds_key(settings: Settings) -> None:
    """Make the key. A folder that has one keeps it: a new key would make its seeds unreadable. Raises
    `EntropyFailsError`.
    """
    write_key(settings.seeds_key, Source().take(SEEDS_KEY_SIZE).hex())


def load_seeds_key(settings: Settings) -> bytes:
    """Read the key. Raises `SettingsError`, which names the file and never its content."""
    check_not_rotating(settings)
    return _load(settings.seeds_key)


def check_not_rotating(settings: Settings) -> None:
    """Raise `SettingsError` if a rotation was not finished: which of its two keys opens the seeds is not known
    then.
    """
    if _next(settings).exists():
        raise SettingsError(
            f"a change of the seeds' key was not finished: run `foredraw key rotate` again, and delete neither"
            f" {settings.seeds_key} nor {_next(settings)}"
        )


def begin_rotation(settings: Settings) -> None:
    """Make the new key, in a file beside the old one; if a rotation was not finished, it has one."""
    _load(settings.seeds_key)
    if not _next(settings).exists():
        write_key(_next(settings), Source().take(SEEDS_KEY_SIZE).hex())


def keys_of_rotation(settings: Settings) -> tuple[bytes, bytes]:
    """Return the old key and the new one."""
    return _load(settings.seeds_key), _load(_next(settings))


def finish_rotation(settings: Settings, *, keep_old: bool) -> Path | None:
    """Put the new key in the old one's place. A crash leaves both files, or the new key in place.

    With ``keep_old`` the old one is kept under the first free name, which is returned.
    """
    kept = _kept(settings) if keep_old else None
    if kept is not None:
        write_key(kept, read_key(settings.seeds_key))
    _next(settings).rename(settings.seeds_key)
    sync_folder(settings.seeds_key.parent)
    return kept


def _kept(settings: Settings) -> Path:
    number = 1
    while (path := settings.seeds_key.with_name(f"seed-encryption.old-{number}")).exists():
        number += 1
    return path


def _next(settings: Settings) -> Path:
    return settings.seeds_key.with_name("seed-encryption.next")


def _load(path: Path) -> bytes:
    text = read_key(path, without=WITHOUT_SEEDS_KEY)
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != SEEDS_KEY_SIZE:
        raise SettingsError(
            f"{path} holds no key of {SEEDS_KEY_SIZE} bytes: restore the file from your backup of keys"
        )
    return key
