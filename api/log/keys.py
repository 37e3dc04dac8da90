"""The log's keys: the signing key, which only the background program reads, and its public half, for everybody
else.
"""

from __future__ import annotations

import re
from pathlib import Path

from api.findings.states import no_data_folder
from api.settings import Settings, SettingsError
from api.world.clock import entropy
from api.world.durable import write_durably
from api.world.key_files import check_key, read_key, write_key
from api.world.published.log_folder import LogFolder
from fairness.errors import ForedrawError, Malformed
from fairness.log.checkpoints import CHECKPOINT
from fairness.log.notes import Note, SigningKey, VerifierKey

WITHOUT_SIGNING = (
    "this log takes no more records: its rounds that are locked are never revealed, those that are committed never played,"
    " and its tables never closed"
)
"""What is lost with the signing key."""
_PUBLIC_AGAIN = (
    "put it back from your backup of keys, or write the log's key, which you publish, into it as its only line"
)
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
    write_durably(settings.verifier_key, f"{key.verifier_key}\n".encode())
    return key.verifier_key


def load_signing_key(settings: Settings) -> SigningKey:
    """Read the signing key, whose public half must stand beside it.

    Raises `SettingsError`, which names the file and never its content.
    """
    try:
        key = SigningKey.parse(read_key(settings.signing_key, without=WITHOUT_SIGNING))
    except Malformed as error:
        raise SettingsError(_no_signing_key(settings.signing_key)) from error
    check_pair(settings, short(key.verifier_key), load_verifier_key(settings))
    return key


def short(key: VerifierKey) -> str:
    """Name a key as a signature does, by name and id."""
    return f"{key.name}+{key.key_id.hex()}"


def check_pair(settings: Settings, secret: str, public: VerifierKey) -> None:
    """Raise `SettingsError` unless the signing key, whose name and id are ``secret``, and the public key are one
    log's.
    """
    if secret == short(public):
        return
    signers = _signers(settings)
    if secret in signers:
        raise SettingsError(
            f"keys/log.vkey is the key {short(public)} of another log: log/checkpoint is signed by {secret}, whose key is"
            f" keys/log-signing.key. Put log.vkey of {secret} back from your backup of keys, or write that key, which you publish, into"
            " it as its only line"
        )
    signed = f"log/checkpoint is signed by {' and '.join(signers)}, and " if signers else ""
    missing = " and ".join(signers) if signers and short(public) not in signers else short(public)
    raise SettingsError(
        f"keys/log-signing.key is the key {secret} of another log: {signed}keys/log.vkey is {short(public)}. A start is refused,"
        f" and nothing can be signed. Put the key {missing} of this log back from your backup of keys; what is there now may be"
        " the only copy of the other log's key, so keep it"
    )


def _signers(settings: Settings) -> list[str]:
    """Name the keys whose signatures the log's checkpoint has in the log's own name, whether they verify or not."""
    try:
        checkpoint = Note.parse(LogFolder(settings.log).read(CHECKPOINT))
    except ForedrawError:
        return []
    origin = checkpoint.text.partition("\n")[0]
    return [f"{line.name}+{line.key_id.hex()}" for line in checkpoint.lines if line.name == origin]


def name_of_signing_key(settings: Settings) -> str:
    """Name and id of the signing key, ``name+keyid``: they stand before the secret in its file, which is read no
    further.

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
    """Return the log's public key. Raises `SettingsError`, and `OSError` if this account cannot read the file."""
    if settings.elsewhere is not None:
        return settings.elsewhere.key
    path = settings.verifier_key
    try:
        return VerifierKey.parse(path.read_text(encoding="ascii").removesuffix("\n"))
    except FileNotFoundError:
        if settings.signing_key.exists():
            raise SettingsError(f"{path} is missing: {_PUBLIC_AGAIN}") from None
        if settings.has_nothing:
            raise SettingsError(no_data_folder(settings.folder)) from None
        raise SettingsError(
            f"{path} is missing, and so is {settings.signing_key.name}: put both back from your backup of keys; on a machine"
            " that does not publish, log.vkey is enough. `foredraw doctor` says what is lost if there is no copy"
        ) from None
    except (UnicodeDecodeError, Malformed) as error:
        raise SettingsError(f"{path} holds no public key of a log ({error}): {_PUBLIC_AGAIN}") from None


def _no_signing_key(path: Path) -> str:
    return f"{path} holds no signing key: restore the file from your backup of keys"
