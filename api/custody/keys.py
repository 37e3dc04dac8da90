"""The keys of the service, each in a file of its own with mode 0600."""

from __future__ import annotations

from pathlib import Path

from api.settings import Settings, SettingsError
from api.world.clock import entropy
from api.world.durable import write_durably
from fairness.errors import Malformed
from fairness.log.notes import SigningKey, VerifierKey

SEEDS_KEY_SIZE = 32


def create_keys(settings: Settings, origin: str) -> VerifierKey:
    """Make both keys. A folder that has them keeps them: a new key would orphan the log or its seeds."""
    signing_key = SigningKey(origin, entropy(32))
    for path, data in (
        (settings.signing_key, signing_key.secret_text().encode() + b"\n"),
        (settings.seeds_key, entropy(SEEDS_KEY_SIZE).hex().encode() + b"\n"),
    ):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_durably(path, data, mode=0o600)
    return signing_key.verifier_key


def load_signing_key(settings: Settings) -> SigningKey:
    """The log's key. Raises `SettingsError`, which names the file and never its content."""
    try:
        return SigningKey.parse(_read(settings.signing_key))
    except Malformed as error:
        raise SettingsError(
            f"{settings.signing_key} holds no signing key: restore the file from your backup of keys"
        ) from error


def load_seeds_key(settings: Settings) -> bytes:
    """The key that encrypts seeds at rest."""
    text = _read(settings.seeds_key)
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != SEEDS_KEY_SIZE:
        msg = (
            f"{settings.seeds_key} holds no key of {SEEDS_KEY_SIZE} bytes: restore the file from your backup of keys"
        )
        raise SettingsError(msg)
    return key


def _read(path: Path) -> str:
    try:
        if path.stat().st_mode & 0o077:
            raise SettingsError(f"{path} can be read by others: run chmod 600 on it")
        return path.read_text(encoding="ascii").removesuffix("\n")
    except FileNotFoundError:
        raise SettingsError(
            f"{path} is missing: run `foredraw init` for a new log, or restore the file from your backup of keys"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}") from None
