"""The files of keys. The secret ones stay closed: only that they are there, and who can read them, is looked at."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from api.custody.keys import WITHOUT_SEEDS_KEY, check_not_rotating
from api.log.keys import WITHOUT_SIGNING, load_verifier_key
from api.programs.doctor.finding import Finding, guarded
from api.settings import Settings
from api.world.key_files import check_key


def look_at_keys(settings: Settings) -> Iterator[Finding]:
    """What is wrong with each of the three."""
    yield from guarded("keys", settings, partial(_secret, settings.signing_key, WITHOUT_SIGNING))
    yield from guarded("keys", settings, partial(_secret, settings.seeds_key, WITHOUT_SEEDS_KEY))
    yield from guarded("keys", settings, partial(_rotation, settings))
    yield from guarded("keys", settings, partial(_public, settings))


def _secret(path: Path, without: str) -> list[Finding]:
    check_key(path, without=without)
    return []


def _rotation(settings: Settings) -> list[Finding]:
    check_not_rotating(settings)
    return []


def _public(settings: Settings) -> list[Finding]:
    load_verifier_key(settings)
    return []
