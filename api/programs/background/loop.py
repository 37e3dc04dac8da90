"""One loop of the background program, in a thread: it takes turns until somebody stops it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from api.custody.custodian import SeedsUnavailableError
from api.log.recovery import RecoveryError
from api.world.storage_failures import STORAGE_FAILURES, HeldElsewhereError, StorageFailure

RETRY_SECONDS = 1.0
"""Seconds between two attempts of a loop that waits for its storage."""
STANDBY_SECONDS = 0.25
"""Seconds between two attempts while another sequencer leads."""

Turn = Callable[[], object]
Failure = StorageFailure | SeedsUnavailableError
"""What a loop waits for: its storage, or the custodian's."""

_logger = logging.getLogger("foredraw.background")


class Loop:
    """Ends when it is asked to or when a turn raises; waits until a failure of storage is over."""

    def __init__(
        self,
        name: str,
        make: Callable[[], Turn],
        seconds: float,
        stop: threading.Event,
        report: Callable[[Failure | None], None],
        *,
        may_stand_by: bool = False,
    ) -> None:
        """``make`` returns the function of one turn; it is called again after a failure of storage.

        It is called now, so that what is wrong ends the start, unless the loop ``may_stand_by`` while another
        sequencer leads. After each turn that it takes, ``report`` is called with what it waits for.
        """
        self.failure: BaseException | None = None
        self._turn: Turn | None = None if may_stand_by else make()
        self._may_stand_by, self._stands_by = may_stand_by, False
        self._make, self._seconds, self._stop, self._report, self._name = make, seconds, stop, report, name
        self._thread = threading.Thread(target=self._run, name=name)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def join(self) -> None:
        """Wait for the end."""
        self._thread.join()

    def finish(self) -> None:
        """Take more turns, after the end of the thread, until there is nothing left to do, if the loop can still
        work.
        """
        while self._turn is not None and self._turn():
            pass

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                started = time.monotonic()
                failure = self.take_turn()
                pause = self._seconds if failure is None else RETRY_SECONDS
                pause = STANDBY_SECONDS if self._stands_by else pause
                self._stop.wait(max(0.0, pause - (time.monotonic() - started)))
        except Exception as error:  # noqa: BLE001 -- whatever it is, the loop ends: one that failed in an unknown way does not continue
            died = "" if isinstance(error, RecoveryError) else f"the {self._name} died: {type(error).__name__}: "
            _logger.critical("%s%s", died, error)
            self.failure = error
            self._stop.set()

    def take_turn(self) -> Failure | None:
        """Take one turn, and report it. Returns what the loop waits for."""
        failure = self._failure_of_turn()
        if not self._stands_by:
            # While it does, the leader's loop is the one that has something to say.
            self._report(failure)
        return failure

    def _failure_of_turn(self) -> Failure | None:
        stood_by, self._stands_by = self._stands_by, False
        try:
            if self._turn is None:
                self._turn = self._make()
            self._turn()
        except HeldElsewhereError as error:
            if self._may_stand_by and not stood_by:
                _logger.info("the %s stands by, while another sequencer leads", self._name)
            self._turn, self._stands_by = None, self._may_stand_by
            return None if self._may_stand_by else error
        except (*STORAGE_FAILURES, SeedsUnavailableError) as error:
            # The memory of this object may be ahead of what is stored, so a new one starts from what is stored.
            self._turn = None
            return error
        return None
