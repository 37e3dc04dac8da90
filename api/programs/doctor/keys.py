"""The files of keys: whether they are there, who can read them, and whose they are.

The secret of the log's signing key is not read: its name and its id stand before it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from api.custody.keys import WITHOUT_SEEDS_KEY, check_not_rotating
from api.journal.chain import entries
from api.journal.entry import Act
from api.log.keys import WITHOUT_SIGNING, load_verifier_key, name_of_signing_key
from api.programs.doctor.finding import Finding, guarded, note, problem
from api.settings import Settings, SettingsError
from api.sql.database import Database
from api.world.key_files import check_key
from api.world.published.log_folder import LogFolder
from api.world.storage_failures import STORAGE_FAILURES
from fairness.errors import ForedrawError
from fairness.log.checkpoints import CHECKPOINT
from fairness.log.notes import Note, VerifierKey


def look_at_keys(settings: Settings, *, led_elsewhere: bool) -> Iterator[Finding]:
    """What is wrong with each of the three. A machine whose sequencer is another one's needs no signing key."""
    if led_elsewhere and not settings.signing_key.exists():
        yield note(
            "keys",
            f"{settings.signing_key} is missing, so this machine can answer engines, and cannot publish; another one leads. If"
            " this one is to stand by, copy the key here",
        )
    else:
        yield from guarded("keys", settings, partial(_check, settings.signing_key, WITHOUT_SIGNING))
    yield from guarded("keys", settings, partial(_check, settings.seeds_key, WITHOUT_SEEDS_KEY))
    yield from guarded("keys", settings, partial(_rotation, settings))
    yield from guarded("keys", settings, partial(_pair, settings))


def _check(path: Path, without: str) -> list[Finding]:
    check_key(path, without=without)
    return []


def _rotation(settings: Settings) -> list[Finding]:
    check_not_rotating(settings)
    return []


def _pair(settings: Settings) -> Iterator[Finding]:
    """Whether signing key and public key are one log's, and which log's is the one that is not."""
    public = short(load_verifier_key(settings))
    if not settings.signing_key.exists() or (secret := name_of_signing_key(settings)) == public:
        return
    signers = _signers(settings)
    if secret in signers:
        yield problem(
            "keys",
            f"keys/log.vkey is the key {public} of another log: log/checkpoint is signed by {secret}, whose key is"
            " keys/log-signing.key. Delete log.vkey, and run `foredraw serve`, which writes it again",
        )
        return
    signed = f"log/checkpoint is signed by {' and '.join(signers)}, and " if signers else ""
    missing = public if public in signers or not signers else " and ".join(signers)
    yield problem(
        "keys",
        f"keys/log-signing.key is the key {secret} of another log: {signed}keys/log.vkey is {public}. A start is refused, and"
        f" nothing can be signed. Put the key {missing} of this log back from your backup of keys; what is there now may be the"
        " only copy of the other log's key, so keep it",
    )


def short(key: VerifierKey) -> str:
    """A key by its name and id, as a signature names it."""
    return f"{key.name}+{key.key_id.hex()}"


def _signers(settings: Settings) -> list[str]:
    """Whose signatures the log's checkpoint has in the log's own name, whether they verify or not."""
    try:
        checkpoint = Note.parse(LogFolder(settings.log).read(CHECKPOINT))
    except ForedrawError:
        return []
    origin = checkpoint.text.partition("\n")[0]
    return [f"{line.name}+{line.key_id.hex()}" for line in checkpoint.lines if line.name == origin]


def noted_key(database: Database) -> VerifierKey | None:
    """The key of the database's log, as `init` has noted it in the journal's first entry; `None` if that cannot be read."""
    with suppress(SettingsError, ValueError, LookupError, TypeError, *STORAGE_FAILURES):
        first = next(entries(database), None)
        if first is not None and first.act == Act.INIT:
            return VerifierKey.parse(str(json.loads(first.after or "{}")["key"]))
    return None
