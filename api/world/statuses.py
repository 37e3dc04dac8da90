"""Heartbeats: what each part of the background program writes once a second, for those who ask whether it works.

A status is a small file with a tick of the monotonic clock, so that setting the date cannot make a dead part look
alive, and with the part's trouble, if it has one. It is written over in place: that works on a full disk, too.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import msgspec
from msgspec import Struct

from api.settings import Settings
from api.world.durable import naming, write_over
from api.world.storage_failures import StorageFailure, in_words, is_damage
from api.world.timekeeper import Timekeeper

_SIZE = 1024
"""The size of every status, so that a short one leaves no end of a longer one behind it."""
_LONGEST_TROUBLE = 700
_LOOKS = 3


class _Written(Struct):
    tick: str
    trouble: str | None = None


_DECODER = msgspec.json.Decoder(_Written)


@dataclass(frozen=True, slots=True)
class Status:
    """The last status of a part."""

    age: float
    """In seconds."""
    trouble: str | None
    """A sentence, with the remedy, if the part cannot do its work."""


def write_status(path: Path, timekeeper: Timekeeper, trouble: str | None = None) -> None:
    """Write that a part is working, or what prevents it. Raises `OSError` unless all of it is written."""
    short = None if trouble is None else trouble.encode("ascii", "replace").decode()[:_LONGEST_TROUBLE]
    data = msgspec.json.encode(_Written(timekeeper.tick(), short)).ljust(_SIZE)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
    try:
        with naming(path):
            write_over(descriptor, data)
    finally:
        os.close(descriptor)


def read_status(path: Path, timekeeper: Timekeeper) -> Status | None:
    """Return the last status of a part; `None` if there is none."""
    for _ in range(_LOOKS):
        try:
            written = _DECODER.decode(path.read_bytes())
        except OSError:
            return None
        except (msgspec.DecodeError, UnicodeDecodeError):
            # It was being written over; the next look finds it whole.
            continue
        return Status(timekeeper.age(written.tick) / timedelta(seconds=1), written.trouble)
    return None


def trouble_in(path: Path, timekeeper: Timekeeper) -> str | None:
    """Read the trouble in the last status of a part; `None` if there is none."""
    status = read_status(path, timekeeper)
    return None if status is None else status.trouble


def status_of(data: bytes) -> str | None:
    """Return the trouble in a status of another machine, whose tick means nothing here. Raises `OSError` if it is
    none.
    """
    try:
        return _DECODER.decode(data).trouble
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise OSError(errno.EIO, "a status of another machine cannot be read") from error


def note_damage(error: StorageFailure, settings: Settings, timekeeper: Timekeeper) -> None:
    """Leave a status that the database is damaged, whichever process has found it, until the next start."""
    if is_damage(error):
        with suppress(OSError):
            write_status(settings.damage, timekeeper, in_words(error, settings))
