"""The key that encrypts seeds at rest. Only the custodian reads it."""

from __future__ import annotations

from api.settings import Settings, SettingsError
from api.world.clock import entropy
from api.world.key_files import read_key, write_key

SEEDS_KEY_SIZE = 32


def create_seeds_key(settings: Settings) -> None:
    """Make the key. A folder that has one keeps it: a new key would make its seeds unreadable."""
    write_key(settings.seeds_key, entropy(SEEDS_KEY_SIZE).hex())


def load_seeds_key(settings: Settings) -> bytes:
    """Read the key. Raises `SettingsError`, which names the file and never its content."""
    text = read_key(settings.seeds_key)
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != SEEDS_KEY_SIZE:
        raise SettingsError(
            f"{settings.seeds_key} holds no key of {SEEDS_KEY_SIZE} bytes: restore the file from your backup of keys"
        )
    return key
