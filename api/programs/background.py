"""The background program: sequencer, keeper, salter, monitor and the daily look at installed files, beside the API processes.

One runs per folder and database, held by locks that end with it. When a part dies, the others stop
cleanly, the program reports why and exits with status 1, and its supervisor ends the service.
"""

from __future__ import annotations

import logging
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress

from api.custody.custodian import SeedsUnavailableError
from api.journal.policies import Policies
from api.log.keys import load_signing_key
from api.log.mirroring import bring_together
from api.log.publishing import AtOnce, Publisher
from api.log.recovery import RecoveryError
from api.log.sequencer import Sequencer
from api.operations.health import PARTS
from api.rounds.seeds import check_key
from api.server.messages import write_messages
from api.service import Service, open_service
from api.settings import Settings, SettingsError
from api.store.sole import hold_service
from api.witnesses.askers import ThreadedAskers
from api.world.private_memory import keep_memory_private
from api.world.signs import give_sign, note_damage
from api.world.storage_failures import STORAGE_FAILURES, in_words
from api.world.supervision import PUBLIC_KEY, when_orphaned
from api.world.timekeeper import Timekeeper
from fairness.log.notes import SigningKey
from fairness.records.replay import Known
from games import GAMES

SEQUENCER_SECONDS = 0.02
WITNESSED_SECONDS = 0.03
"""Between two heads of the log if witnesses have to cosign them. A head of many records costs them and us hardly more than one
of few, and while one is being cosigned the next has to wait anyway."""
KEEPER_SECONDS = 0.2
SALTER_SECONDS = 0.5
MONITOR_SECONDS = 0.5
INTEGRITY_SECONDS = 86_400.0
HEARTBEAT_SECONDS = 1.0
DRAIN_SECONDS = 2.0
"""How long the end waits for witnesses to cosign what was signed last. The next start has it cosigned otherwise."""
RETRY_SECONDS = 2.0
"""Between two attempts of a part that waits for its storage."""

_logger = logging.getLogger("foredraw.background")


class Part:
    """A loop in a thread. It ends when it is asked to or when a turn raises; it waits until a failure of storage is over."""

    def __init__(
        self,
        name: str,
        make: Callable[[], Callable[[], object]],
        seconds: float,
        stop: threading.Event,
        settings: Settings,
        timekeeper: Timekeeper,
    ) -> None:
        """``make`` returns the function of one turn; it is called again after a failure of storage."""
        self.failure: BaseException | None = None
        self._turn: Callable[[], object] | None = make()
        self._make, self._seconds, self._stop, self._name = make, seconds, stop, name
        self._settings, self._timekeeper, self._signed = settings, timekeeper, 0.0
        self._trouble: str | None = None
        self._thread = threading.Thread(target=self._run, name=name)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def join(self) -> None:
        """Wait for the end."""
        self._thread.join()

    def finish(self) -> None:
        """After the end of the thread: more turns, until there is nothing left to do, if the part can still work."""
        while self._turn is not None and self._turn():
            pass

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                started = time.monotonic()
                trouble = self._take_turn()
                self._report(trouble)
                pause = self._seconds if trouble is None else RETRY_SECONDS
                self._stop.wait(max(0.0, pause - (time.monotonic() - started)))
        except RecoveryError as error:
            _logger.critical("%s", error)
            self._end(error)
        except Exception as error:  # noqa: BLE001
            # A part that failed in an unknown way does not continue.
            _logger.critical("the %s died: %s: %s", self._name, type(error).__name__, error)
            self._end(error)

    def _end(self, error: BaseException) -> None:
        self.failure = error
        self._stop.set()

    def _take_turn(self) -> str | None:
        """Take one turn. Returns what is wrong with the storage, if it fails."""
        try:
            if self._turn is None:
                self._turn = self._make()
            self._turn()
        except STORAGE_FAILURES as error:
            # The memory of this object may be ahead of what is stored, so a new one starts from what is stored.
            self._turn = None
            note_damage(error, self._settings, self._timekeeper)
            return in_words(error, self._settings)
        except SeedsUnavailableError as error:
            self._turn = None
            return str(error)
        return None

    def _report(self, trouble: str | None) -> None:
        """A sign of life each second, not each turn. A part that hangs gives none, although the program still does."""
        changed, self._trouble = trouble != self._trouble, trouble
        if changed and trouble is not None:
            _logger.critical("the %s waits: %s", self._name, trouble)
        elif changed:
            _logger.warning("the %s is at work again", self._name)
        if changed or time.monotonic() - self._signed >= HEARTBEAT_SECONDS:
            sign = self._settings.sign_of_life(self._name)
            # If even that cannot be written, the age of the sign shows it.
            with suppress(OSError):
                give_sign(sign, self._timekeeper, trouble)
            self._signed = time.monotonic()


def run(settings: Settings) -> int:
    """Run until a signal, the parent's end, or a part's death. Returns the exit status."""
    with hold_service(settings) as check_held:
        for sign in (
            settings.heartbeat,
            settings.damage,
            settings.beacon_trouble,
            settings.entropy_trouble,
            settings.witnesses,
            *map(settings.sign_of_life, (*PARTS, "salter", "publisher", "integrity")),
        ):
            # The sign of an earlier run says nothing about this one.
            sign.unlink(missing_ok=True)
        key = load_signing_key(settings)
        with closing(open_service(settings, publishes=True)) as service:
            service.custodian.open()
            check_key(service.custodian, service.database)
            service.policy.check_not_forgotten(service.log)
            service.policy.keep()
            return _run(service, key, check_held)


def _run(service: Service, key: SigningKey, check_held: Callable[[], None]) -> int:
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())

    def loop(name: str, make: Callable[[], Callable[[], object]], seconds: float) -> Part:
        return Part(name, _while_held(make, check_held), seconds, stop, service.settings, service.timekeeper)

    askers = ThreadedAskers()
    publisher = service.publisher(askers)
    pause = SEQUENCER_SECONDS if publisher is None else WITNESSED_SECONDS
    sequencer = loop("sequencer", lambda: start_sequencer(service, key, publisher).turn, pause)
    keeper = loop("keeper", lambda: service.keeper().turn, KEEPER_SECONDS)
    salter = loop("salter", lambda: service.salter(stop).turn, SALTER_SECONDS)
    monitor = loop("monitor", lambda: service.monitor().turn, MONITOR_SECONDS)
    integrity = loop("integrity", lambda: service.integrity.look, INTEGRITY_SECONDS)
    parts = [sequencer, keeper, salter, monitor, integrity]
    if publisher is None:
        service.settings.witnesses_trouble.unlink(missing_ok=True)
    else:
        for remark in service.policy.remarks():
            _logger.warning("%s", remark)
        # Its turns wait by themselves for what they have to do.
        parts.append(loop("publisher", lambda: publisher.turn, 0.0))
    for part in parts:
        part.start()
    when_orphaned(stop.set)
    policies = Policies(service.database, service.timekeeper.shown)
    _beat(service, policies, check_held)
    while not stop.wait(HEARTBEAT_SECONDS):
        _beat(service, policies, check_held)
    for part in parts:
        part.join()
    failed = any(part.failure is not None for part in parts)
    if not failed:
        # What is queued is published before the end, so that nobody waits for a restart.
        sequencer.finish()
        if publisher is not None:
            # What cannot be published now is published at the next start.
            with suppress(RecoveryError, *STORAGE_FAILURES):
                publisher.drain(DRAIN_SECONDS)
    askers.close()
    return int(failed)


def _while_held(
    make: Callable[[], Callable[[], object]], check_held: Callable[[], None]
) -> Callable[[], Callable[[], object]]:
    """The same for `Part`; while another service may have the database, no turn begins, as if storage failed."""

    def make_held() -> Callable[[], object]:
        check_held()
        turn = make()

        def take_turn() -> object:
            check_held()
            return turn()

        return take_turn

    return make_held


def start_sequencer(service: Service, key: SigningKey, publisher: Publisher | None = None) -> Sequencer:
    """The sequencer, after everything that a crash left is handed to the publisher and every file of commitments exists.

    Without a ``publisher``, what is signed is published at once.
    """
    bring_together(service.log, key.verifier_key)
    known = Known(GAMES, service.settings.beacons)
    chosen = AtOnce(service.log, key.verifier_key) if publisher is None else publisher
    sequencer = Sequencer(service.database, service.log, known, key, service.custodian.marks(), chosen)
    service.commitments_files.check_all(service.database, service.publication)
    return sequencer


def _beat(service: Service, policies: Policies, check_held: Callable[[], None]) -> None:
    with suppress(OSError):
        give_sign(service.settings.heartbeat, service.timekeeper)
    # What cannot be noted now is noted later: the parts report that storage fails.
    with suppress(*STORAGE_FAILURES):
        check_held()
        policies.look(service.policy.digest)


def main() -> int:
    """``python -m api.programs.background``: started by ``foredraw serve``; with ``public-key`` it only sees to that file."""
    try:
        write_messages(logging.INFO, "%(asctime)s %(name)s %(levelname)s %(message)s")
        keep_memory_private()
        settings = Settings.from_environment()
        if PUBLIC_KEY in sys.argv[1:]:
            load_signing_key(settings)
            return 0
        try:
            return run(settings)
        except STORAGE_FAILURES as error:
            _logger.critical("%s", in_words(error, settings))
    except (SettingsError, RecoveryError, SeedsUnavailableError) as error:
        _logger.critical("%s", error)
    return 1


if __name__ == "__main__":
    sys.exit(main())
