"""Whether the service can play: its database answers, its log can be read and written, its background program
works.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from api.custody.custodian import Custodian, SeedsUnavailableError
from api.findings.states import log_ended
from api.integrity.integrity import Integrity
from api.log.policy_file import PolicyFile
from api.log.publication import Publication
from api.rounds.reading import has_ended
from api.settings import Settings
from api.sql.database import Database
from api.store import statements as sql
from api.store.contents import LOG_ENDED
from api.store.upgrade import refusal, schema_of
from api.witnesses.gate import Gate
from api.world.published.published_log import PublishedLog
from api.world.published.remote_log import RemoteLog
from api.world.statuses import read_status, trouble_in
from api.world.storage_failures import STORAGE_FAILURES, in_words, sealing_fails, storing_fails, writing_fails
from api.world.timekeeper import Timekeeper

PARTS = ("keeper", "sequencer")
PLAYS_WITHOUT = frozenset({"beacon", "policy", "entropy"})
"""What stops no play by failing: tables without a salt go on, and so do rounds that are salted already; if the
policy's file cannot be used, the last good one stays in force; and without entropy, rounds that are committed are
played.
"""
FRESH_SECONDS = 10.0
"""The background program gives a heartbeat each second; after so many without one it is not at work."""
SALTER_SECONDS = 300.0
"""The same for the salter, which waits for relays: some seconds for each of them and each beacon."""


@dataclass(frozen=True, slots=True)
class Health:
    """The parts of one service, asked whether each of them works."""

    settings: Settings
    database: Database
    log: PublishedLog
    publication: Publication
    custodian: Custodian
    timekeeper: Timekeeper
    gate: Gate
    policy: PolicyFile
    integrity: Integrity

    def failures(self, *parts: str) -> dict[str, str | None]:
        """Return, for each part of the service, what is wrong with it, in a sentence with the remedy; `None` if it is
        well.

        With ``parts`` of these alone, as far as this machine has them.
        """
        return {part: look() for part, look in self._looks().items() if not parts or part in parts}

    def failure(self, part: str) -> str | None:
        """Return what is wrong with one part; `None` if it is well."""
        return self._looks()[part]()

    def _looks(self) -> dict[str, Callable[[], str | None]]:
        if self.settings.elsewhere is not None:
            # The other parts are where the log is written.
            return {
                "database": self._of_database,
                "log": self._of_log_elsewhere,
                "clock": self._of_clock,
                "policy": self._of_policy,
                "software": self.integrity.trouble,
            }
        return {
            "database": self._of_database,
            "custodian": self._of_custodian,
            "log": self._of_log,
            "background": self._of_background,
            "clock": self._of_clock,
            "beacon": self._of_beacon,
            "witnesses": self.gate.trouble,
            "policy": self._of_policy,
            "entropy": lambda: trouble_in(self.settings.entropy_trouble, self.timekeeper),
            "software": self.integrity.trouble,
        }

    def _of_database(self) -> str | None:
        try:
            # Another version may have upgraded it since this one has started.
            if (why := refusal(schema_of(self.database), self.settings)) is not None:
                return why
            with self.database.read() as connection:
                if sql.ONE_HEAD.find(connection) is None:
                    return "foredraw.db is not the database of a log. Stop the service and run `foredraw rebuild`"
            if self.settings.elsewhere is None:
                # A reader changes nothing, so its user of the database may be allowed to read only.
                self.database.check_writable()
        except STORAGE_FAILURES as error:
            return in_words(error, self.settings)
        # Damage that one process has found does not go away, although other pages of the file can be read.
        return trouble_in(self.settings.damage, self.timekeeper) or storing_fails(self.settings)

    def _of_custodian(self) -> str | None:
        try:
            self.custodian.check_readable()
        except SeedsUnavailableError as error:
            return str(error)
        return sealing_fails(self.settings)

    def _of_log(self) -> str | None:
        try:
            if self.log.stamp("checkpoint") == (0, 0):
                return "log/checkpoint is missing. Bring it back from a copy of the log, or wait if the service has just started"
            _ = self.publication.size
            if has_ended(self.database):
                return log_ended(LOG_ENDED)
        except STORAGE_FAILURES as error:
            return in_words(error, self.settings)
        return writing_fails(self.settings)

    def _of_log_elsewhere(self) -> str | None:
        try:
            _ = self.publication.size
        except STORAGE_FAILURES as error:
            return in_words(error, self.settings)
        return self.log.trouble if isinstance(self.log, RemoteLog) else None

    def _of_background(self) -> str | None:
        settings, timekeeper = self.settings, self.timekeeper
        status = read_status(settings.heartbeat, timekeeper)
        if status is None or status.age >= FRESH_SECONDS:
            which = "the background program" if settings.server is None else "the background program that leads"
            return f"{which} gives no sign of life. Look at the service's messages, and start it again"
        for part in (*PARTS, "publisher"):
            if (why := trouble_in(settings.heartbeat_of(part), timekeeper)) is not None:
                return f"the {part}: {why}"
        return None

    def _of_clock(self) -> str | None:
        try:
            jumped = self.timekeeper.jump()
        except STORAGE_FAILURES as error:
            return in_words(error, self.settings)
        return self.timekeeper.trouble() if jumped is None else jumped.detail

    def _of_beacon(self) -> str | None:
        if (why := trouble_in(self.settings.beacon_trouble, self.timekeeper)) is not None:
            return why
        salter = read_status(self.settings.heartbeat_of("salter"), self.timekeeper)
        if salter is None:
            return None
        if salter.age >= SALTER_SECONDS:
            return "the salter gives no sign of life, so tables get no salts. Start the service again"
        return None if salter.trouble is None else f"the salter: {salter.trouble}"

    def _of_policy(self) -> str | None:
        self.policy.trust()
        return self.policy.trouble


def seconds_since(file: Path) -> float | None:
    """Return how long ago a file was written, by the date of the machine; `None` if it never was."""
    try:
        return max(0.0, time.time() - file.stat().st_mtime)
    except OSError:
        return None
