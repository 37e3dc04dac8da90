"""Whether the service can play: its database answers, its log is readable, its background program works."""

from __future__ import annotations

import time
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from api import statements as sql
from api.service import Service
from fairness.errors import ForedrawError

FRESH_SECONDS = 10.0
"""The background program gives a sign of life each second; after so many without one it is not at work."""


def database_answers(service: Service) -> bool:
    """Whether the database can be read, and is a log's."""
    try:
        with service.database.read() as connection:
            return connection.execute(sql.ONE_HEAD).one_or_none() is not None
    except SQLAlchemyError:
        return False


def log_is_readable(service: Service) -> bool:
    """Whether there is a checkpoint of ours."""
    try:
        return service.log.stamp("checkpoint") != (0, 0) and service.publication.size >= 0
    except ForedrawError:
        return False


def background_works(service: Service) -> bool:
    """Whether the background program gave a sign of life a moment ago."""
    age = seconds_since(service.settings.heartbeat)
    return age is not None and age < FRESH_SECONDS


def seconds_since(sign: Path) -> float | None:
    """How long ago a file was written; `None` where it never was."""
    try:
        return max(0.0, time.time() - sign.stat().st_mtime)
    except FileNotFoundError:
        return None
