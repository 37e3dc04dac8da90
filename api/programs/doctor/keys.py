"""The files of keys: whether they are there, who can read them, and whose they are.

The secret of the log's signing key is not read: its name and its id stand before it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from functools import partial

from api.custody.keys import WITHOUT_SEEDS_KEY, check_not_rotating
from api.findings.finding import Finding, note
from api.journal.chain import entries
from api.journal.entry import Act
from api.log.keys import WITHOUT_SIGNING, check_pair, load_verifier_key, name_of_signing_key
from api.programs.doctor.guarded import guarded
from api.settings import Settings, SettingsError
from api.sql.database import Database
from api.world.key_files import check_key
from api.world.storage_failures import STORAGE_FAILURES
from fairness.log.notes import VerifierKey


def look_at_keys(settings: Settings, *, led_elsewhere: bool) -> Iterator[Finding]:
    """Yield what is wrong with each of the three. A machine whose sequencer is another one's needs no signing key."""
    if led_elsewhere and not settings.signing_key.exists():
        yield note(
            "keys",
            f"{settings.signing_key} is missing, so this machine can answer engines, and cannot publish; another one leads. If"
            " this one is to stand by, copy the key here",
        )
    else:
        yield from guarded("keys", settings, partial(check_key, settings.signing_key, without=WITHOUT_SIGNING))
    yield from guarded("keys", settings, partial(check_key, settings.seeds_key, without=WITHOUT_SEEDS_KEY))
    yield from guarded("keys", settings, partial(check_not_rotating, settings))
    yield from guarded("keys", settings, partial(_check_pair, settings))


def _check_pair(settings: Settings) -> None:
    """Check that signing key and public key are one log's. Raises `SettingsError`."""
    public = load_verifier_key(settings)
    if settings.signing_key.exists():
        check_pair(settings, name_of_signing_key(settings), public)


def noted_key(database: Database) -> VerifierKey | None:
    """Return the key of the database's log, as `init` has noted it in the journal's first entry; `None` if that
    cannot be read.
    """
    with suppress(SettingsError, ValueError, LookupError, TypeError, *STORAGE_FAILURES):
        first = next(entries(database), None)
        if first is not None and first.act == Act.INIT:
            return VerifierKey.parse(str(json.loads(first.after or "{}")["key"]))
    return None
