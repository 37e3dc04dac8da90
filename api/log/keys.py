"""The log's keys: the signing key, which only the background program reads, and its public half, for everybody else."""

from __future__ import annotations

import re
from pathlib import Path

from api.settings import Settings, SettingsError
from api.world.clock import entropy
from api.world.durable import write_durably
from api.world.key_files import check_key, read_key, write_key
from fairness.errors import Malformed
from fairness.log.notes import SigningKey, VerifierKey

WITHOUT_SIGNING = (
    "this log takes no more records: its rounds that are locked are never revealed, those that are committed never played,"
    " and its tables never closed"
)
"""What is lost with the signing key."""
_BEGINNING = b"PRIVATE+KEY+"
"""Of its file. What follows are its name, its id and the secret, each but the last with a plus behind it."""
_PARTS = 2
_LONGEST_NAME = 1024
_NAME_AND_ID = re.compile(r"[^+]+\+[0-9a-f]{8}\+")
"""In a file without them, the secret stands in their place: it may have pluses of its own, and is not to be shown."""


def create_log_keys(settings: Settings, origin: str) -> VerifierKey:
    """Make the keys of a new log. A folder that has them keeps them: a new key would orphan the log."""
    key = SigningKey(origin, entropy(32))
    write_key(settings.signing_key, key.secret_text())
    _write_public(settings.verifier_key, key.verifier_key)
    return key.verifier_key


def load_signing_key(settings: Settings) -> SigningKey:
    """The signing key, with its public half beside it: a folder of an older version lacks that file, and gets it now.

    Raises `SettingsError`, which names the file and never its content.
    """
    try:
        key = SigningKey.parse(read_key(settings.signing_key, without=WITHOUT_SIGNING))
    except Malformed as error:
        raise SettingsError(_no_signing_key(settings.signing_key)) from error
    if not settings.verifier_key.exists():
        _write_public(settings.verifier_key, key.verifier_key)
    if (public := load_verifier_key(settings)) != key.verifier_key:
        raise SettingsError(
            f"{settings.signing_key} is the key {key.verifier_key}, but {settings.verifier_key} holds {public}: "
            "restore the two files of this log from your backup of keys"
        )
    return key


def name_of_signing_key(settings: Settings) -> str:
    """Name and id of the signing key, ``name+keyid``: they stand before the secret in its file, which is read no further.

    Raises `SettingsError`, which names the file.
    """
    path, found = settings.signing_key, b""
    check_key(path, without=WITHOUT_SIGNING)
    try:
        # Without a buffer, which would be filled with the secret.
        with path.open("rb", buffering=0) as file:
            if file.read(len(_BEGINNING)) == _BEGINNING:
                while found.count(b"+") < _PARTS and len(found) < _LONGEST_NAME and (byte := file.read(1)):
                    found += byte
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror or error}") from None
    text = found.decode("ascii", "replace")
    if _NAME_AND_ID.fullmatch(text) is None:
        raise SettingsError(_no_signing_key(path))
    return text.removesuffix("+")


def load_verifier_key(settings: Settings) -> VerifierKey:
    """The log's public key. Raises `SettingsError`, and `OSError` if this account cannot read the file."""
    if settings.elsewhere is not None:
        return settings.elsewhere.key
    path = settings.verifier_key
    try:
        return VerifierKey.parse(path.read_text(encoding="ascii").removesuffix("\n"))
    except FileNotFoundError:
        if settings.signing_key.exists():
            raise SettingsError(f"{path} is missing: run `foredraw serve` once, which writes it") from None
        if settings.has_nothing:
            raise SettingsError(
                f"{settings.folder} holds no keys: name the service's folder (`--data`, FOREDRAW_DATA), or run `foredraw init`"
                " for a new log"
            ) from None
        raise SettingsError(
            f"{path} is missing, and so is {settings.signing_key.name}: put both back from your backup of keys; on a machine"
            " that does not publish, log.vkey is enough. `foredraw doctor` says what is lost if there is no copy"
        ) from None
    except (UnicodeDecodeError, Malformed) as error:
        raise SettingsError(
            f"{path} holds no public key of a log ({error}): delete it and run `foredraw serve`, which writes it again"
        ) from None


def _no_signing_key(path: Path) -> str:
    return f"{path} holds no signing key: restore the file from your backup of keys"


def _write_public(path: Path, key: VerifierKey) -> None:
    write_durably(path, f"{key}\n".encode())
