"""What the background program and its loops say of themselves, once a second; while it stands by, what the leader
says.
"""

from __future__ import annotations

import logging
import time
from contextlib import suppress

from api.custody.custodian import SeedsUnavailableError
from api.journal.policies import Policies
from api.log.leadership import Leadership
from api.operations.shared_statuses import FollowedStatuses, SharedStatuses
from api.programs.background.loop import Failure
from api.service import Service
from api.settings import Settings
from api.world.statuses import note_damage, write_status
from api.world.storage_failures import STORAGE_FAILURES, ServerFailure, in_words, say_once_a_minute
from api.world.timekeeper import Timekeeper

HEARTBEAT_SECONDS = 1.0

_logger = logging.getLogger("foredraw.background")


def _words(failure: Failure, settings: Settings) -> str:
    return str(failure) if isinstance(failure, SeedsUnavailableError) else in_words(failure, settings)


class Heartbeat:
    """What one loop says of itself: a heartbeat each second, not each turn, and a message when its trouble changes.

    A loop that hangs gives none, although the program still does.
    """

    def __init__(self, name: str, settings: Settings, timekeeper: Timekeeper) -> None:
        self._name, self._settings, self._timekeeper = name, settings, timekeeper
        self._trouble: str | None = None
        self._given = 0.0

    def report(self, failure: Failure | None) -> None:
        """Say after a turn what it waits for, or that it works."""
        trouble = None if failure is None else _words(failure, self._settings)
        changed, self._trouble = trouble != self._trouble, trouble
        if failure is not None and not isinstance(failure, SeedsUnavailableError):
            note_damage(failure, self._settings, self._timekeeper)
        if changed and trouble is not None:
            _logger.critical("the %s waits: %s", self._name, trouble)
        elif changed:
            _logger.warning("the %s is at work again", self._name)
        if changed or time.monotonic() - self._given >= HEARTBEAT_SECONDS:
            # If even that cannot be written, the age of the status shows it.
            with suppress(OSError):
                write_status(self._settings.heartbeat_of(self._name), self._timekeeper, trouble)
            self._given = time.monotonic()


class Heart:
    """What the program says of itself beside its loops."""

    def __init__(self, service: Service, leadership: Leadership | None, followed: FollowedStatuses | None) -> None:
        """A program that stands by has statuses that are ``followed`` meanwhile."""
        self._service, self._leadership, self._followed = service, leadership, followed
        self._policies = Policies(service.database, service.timekeeper.shown)
        self._shared = SharedStatuses(service.settings, service.database)

    def beat(self) -> None:
        """Do it once."""
        if self._follows():
            return
        with suppress(OSError):
            write_status(self._service.settings.heartbeat, self._service.timekeeper)
        self._look_whether_held()
        # What cannot be noted now is noted later: the loops report that storage fails.
        with suppress(*STORAGE_FAILURES):
            if self._leadership is not None:
                self._shared.give(self._leadership.name())
            self._policies.look(self._service.policy.digest)

    def _look_whether_held(self) -> None:
        """Notice that another program holds a file, which nothing else does while nobody plays. Of a server, each
        process asks when it is asked.
        """
        settings = self._service.settings
        try:
            if settings.server is None:
                self._service.database.look_whether_held()
            if settings.seeds_server is None:
                self._service.custodian.look_whether_held()
        except (*STORAGE_FAILURES, SeedsUnavailableError) as error:
            say_once_a_minute(_words(error, settings))

    def _follows(self) -> bool:
        """Follow the leader, if another process leads; if nobody can say who does, this program speaks for itself."""
        if self._leadership is None or self._followed is None:
            return False
        with suppress(ServerFailure):
            return self._leadership.while_another_leads(self._followed.follow)
        return False
