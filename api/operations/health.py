"""Whether the service can play: its database answers, its log can be read and written, its background program works."""

from __future__ import annotations

import time
from pathlib import Path

from api.custody.custodian import SeedsUnavailableError
from api.service import Service
from api.store import statements as sql
from api.world.signs import read_sign
from api.world.storage_failures import STORAGE_FAILURES, in_words, writing_fails

PARTS = ("keeper", "sequencer")
FRESH_SECONDS = 10.0
"""The background program gives a sign of life each second; after so many without one it is not at work."""


def failures(service: Service) -> dict[str, str | None]:
    """For each part of the service what is wrong with it, in a sentence with the remedy; `None` if it is well."""
    return {
        "database": _of_database(service),
        "custodian": _of_custodian(service),
        "log": _of_log(service),
        "background": _of_background(service),
        "clock": _of_clock(service),
    }


def _of_database(service: Service) -> str | None:
    try:
        with service.database.read() as connection:
            if sql.ONE_HEAD.find(connection) is None:
                return "foredraw.db is no log's database. Stop the service and run `foredraw rebuild`"
    except STORAGE_FAILURES as error:
        return in_words(error, service.settings)
    # Damage that one process has found does not go away, although other pages of the file can be read.
    sign = read_sign(service.settings.damage, service.timekeeper)
    return None if sign is None else sign.trouble


def _of_custodian(service: Service) -> str | None:
    try:
        service.custodian.check_readable()
    except SeedsUnavailableError as error:
        return str(error)
    return None


def _of_log(service: Service) -> str | None:
    try:
        if service.log.stamp("checkpoint") == (0, 0):
            return "log/checkpoint is missing. Bring it back from a copy of the log, or wait if the service has just started"
        _ = service.publication.size
    except STORAGE_FAILURES as error:
        return in_words(error, service.settings)
    return writing_fails(service.settings)


def _of_background(service: Service) -> str | None:
    settings, timekeeper = service.settings, service.timekeeper
    sign = read_sign(settings.heartbeat, timekeeper)
    if sign is None or sign.age >= FRESH_SECONDS:
        return "the background program gives no sign of life. Look at the service's messages, and start it again"
    for part in PARTS:
        sign = read_sign(settings.sign_of_life(part), timekeeper)
        if sign is not None and sign.trouble is not None:
            return f"the {part}: {sign.trouble}"
    return None


def _of_clock(service: Service) -> str | None:
    try:
        jumped = service.timekeeper.jump()
    except STORAGE_FAILURES as error:
        return in_words(error, service.settings)
    return None if jumped is None else jumped.detail


def seconds_since(file: Path) -> float | None:
    """How long ago a file was written, by the date of the machine; `None` if it never was."""
    try:
        return max(0.0, time.time() - file.stat().st_mtime)
    except OSError:
        return None
