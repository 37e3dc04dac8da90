"""The background program: sequencer, keeper and monitor, beside the API processes.

One runs per folder, held by a lock that ends with it. When either part dies, the other stops
cleanly, the program says why, and exits with status 1; its supervisor ends the service.
"""

from __future__ import annotations

import logging
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from api.keeper import Keeper
from api.keys import load_signing_key
from api.monitor import Monitor
from api.private_memory import keep_memory_private
from api.recovery import RecoveryError
from api.sequencer import Sequencer
from api.serve import when_orphaned
from api.service import open_service
from api.settings import Settings, SettingsError
from api.world import FileLock

SEQUENCER_SECONDS = 0.02
KEEPER_SECONDS = 0.2
MONITOR_SECONDS = 0.5
HEARTBEAT_SECONDS = 1.0
_LOCK_PATIENCE_SECONDS = 15.0

_logger = logging.getLogger("foredraw.background")


class Part:
    """A loop in a thread, which ends when it is told to, or when a turn raises."""

    def __init__(
        self, name: str, turn: Callable[[], object], seconds: float, stop: threading.Event, sign: Path
    ) -> None:
        self.failure: BaseException | None = None
        self._turn, self._seconds, self._stop, self._name = turn, seconds, stop, name
        self._sign, self._signed = sign, 0.0
        self._thread = threading.Thread(target=self._run, name=name)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def join(self) -> None:
        """Wait for the end."""
        self._thread.join()

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                started = time.monotonic()
                self._turn()
                self._give_sign_of_life()
                self._stop.wait(max(0.0, self._seconds - (time.monotonic() - started)))
        except Exception as error:  # noqa: BLE001
            # Whatever it is: a part that failed once in an unknown way does not go on.
            _logger.critical("the %s died: %s: %s", self._name, type(error).__name__, error)
            self.failure = error
            self._stop.set()

    def _give_sign_of_life(self) -> None:
        """Each second, not each turn: a part that hangs gives none, though the program does."""
        if time.monotonic() - self._signed >= HEARTBEAT_SECONDS:
            self._sign.touch()
            self._signed = time.monotonic()


def run(settings: Settings) -> int:
    """Run until a signal, the parent's end, or a part's death. Returns the exit status."""
    hold_lock(settings)
    keeping, sequencing = settings.sign_of_life("keeper"), settings.sign_of_life("sequencer")
    for sign in (settings.heartbeat, keeping, sequencing):
        # That of an earlier run says nothing about this one.
        sign.unlink(missing_ok=True)
    service = open_service(settings)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    sequencer = Sequencer(service, load_signing_key(settings))
    parts = [
        Part("sequencer", sequencer.turn, SEQUENCER_SECONDS, stop, sequencing),
        Part("keeper", Keeper(service).turn, KEEPER_SECONDS, stop, keeping),
        Part("monitor", Monitor(service).turn, MONITOR_SECONDS, stop, settings.sign_of_life("monitor")),
    ]
    for part in parts:
        part.start()
    settings.heartbeat.touch()
    when_orphaned(stop.set)
    while not stop.wait(HEARTBEAT_SECONDS):
        settings.heartbeat.touch()
    for part in parts:
        part.join()
    failed = any(part.failure is not None for part in parts)
    if not failed:
        # What is queued is published before the end, so that nobody waits for a restart.
        while sequencer.turn():
            pass
    service.close()
    return int(failed)


def hold_lock(settings: Settings) -> FileLock:
    """Take the folder for this process, after a moment's patience with one that is still stopping."""
    lock = FileLock(settings.background_lock)
    deadline = time.monotonic() + _LOCK_PATIENCE_SECONDS
    while not lock.try_to_hold():
        if time.monotonic() > deadline:
            raise SettingsError(f"another service runs on {settings.folder}: stop it first")
        time.sleep(0.1)
    return lock


def main() -> int:
    """``python -m api.background``: started by ``foredraw serve``."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    try:
        keep_memory_private()
        return run(Settings.from_environment())
    except (SettingsError, RecoveryError) as error:
        _logger.critical("%s", error)
        return 1


if __name__ == "__main__":
    sys.exit(main())
