"""The background program: sequencer, keeper, salter, monitor and the daily look at installed files, beside the API processes.

One works per folder and database, held by locks that end with it. One that stands by has all its parts wait until it leads, and
again when it has lost that; meanwhile it writes what the leader says of itself into its own folder, for the listeners beside it.
When a part dies, the others stop cleanly, the program reports why and exits with status 1, and its supervisor ends the service.
"""

from __future__ import annotations

import logging
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial

from api.custody.custodian import SeedsUnavailableError
from api.journal.policies import Policies
from api.log.keys import load_signing_key
from api.log.leadership import Leadership
from api.log.mirroring import bring_together
from api.log.publishing import AtOnce, Publisher
from api.log.recovery import RecoveryError
from api.log.sequencer import HeadMovedError, Sequencer
from api.operations.health import PARTS
from api.operations.shared_signs import FOLLOWED_SECONDS, FollowedSigns, SharedSigns
from api.rounds.seeds import check_key
from api.server.messages import wait_for_no_reader, write_messages
from api.service import Service, open_service
from api.settings import Settings, SettingsError
from api.store.sole import hold_service
from api.witnesses.askers import Askers, ThreadedAskers
from api.witnesses.publisher import Publisher as WitnessedPublisher
from api.world.private_memory import keep_memory_private
from api.world.signs import give_sign, note_damage
from api.world.storage_failures import (
    STORAGE_FAILURES,
    ChangedElsewhereError,
    HeldElsewhereError,
    ServerFailure,
    in_words,
    say_once_a_minute,
)
from api.world.supervision import BACKGROUND, PUBLIC_KEY, STANDBY, name_process, when_orphaned
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
RETRY_SECONDS = 1.0
"""Seconds between two attempts of a part that waits for its storage."""
STANDBY_SECONDS = 0.25
"""Seconds between two attempts while another sequencer leads."""

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
        *,
        may_stand_by: bool = False,
    ) -> None:
        """``make`` returns the function of one turn; it is called again after a failure of storage.

        It is called now, so that what is wrong ends the start, unless the part ``may_stand_by`` while another sequencer leads.
        """
        self.failure: BaseException | None = None
        self._turn: Callable[[], object] | None = None if may_stand_by else make()
        self._may_stand_by, self._stands_by = may_stand_by, False
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
                pause = STANDBY_SECONDS if self._stands_by else pause
                self._stop.wait(max(0.0, pause - (time.monotonic() - started)))
        except RecoveryError as error:
            _logger.critical("%s", error)
            self._end(error)
        except Exception as error:  # noqa: BLE001 -- whatever it is, the part ends
            # A part that failed in an unknown way does not continue.
            _logger.critical("the %s died: %s: %s", self._name, type(error).__name__, error)
            self._end(error)

    def _end(self, error: BaseException) -> None:
        self.failure = error
        self._stop.set()

    def _take_turn(self) -> str | None:
        """Take one turn. Returns what is wrong with the storage, if it fails."""
        stood_by, self._stands_by = self._stands_by, False
        try:
            if self._turn is None:
                self._turn = self._make()
            self._turn()
        except HeldElsewhereError as error:
            if self._may_stand_by and not stood_by:
                _logger.info("the %s stands by, while another sequencer leads", self._name)
            self._turn, self._stands_by = None, self._may_stand_by
            return None if self._may_stand_by else str(error)
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
        """A sign of life each second, not each turn. A part that hangs gives none, although the program still does.

        One that stands by gives none, either: that of the leader's part is in its place.
        """
        changed, self._trouble = trouble != self._trouble, trouble
        if changed and trouble is not None:
            _logger.critical("the %s waits: %s", self._name, trouble)
        elif changed and not self._stands_by:
            _logger.warning("the %s is at work again", self._name)
        if self._stands_by:
            return
        if changed or time.monotonic() - self._signed >= HEARTBEAT_SECONDS:
            sign = self._settings.sign_of_life(self._name)
            # If even that cannot be written, the age of the sign shows it.
            with suppress(OSError):
                give_sign(sign, self._timekeeper, trouble)
            self._signed = time.monotonic()


def run(settings: Settings, *, stands_by: bool = False) -> int:
    """Run until a signal, the parent's end, or a part's death. Returns the exit status."""
    with hold_service(settings, stands_by=stands_by) as hold:
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
            service.policy.check_not_forgotten(service.own_log)
            service.policy.keep()
            leadership, followed = None, FollowedSigns(settings, service.database, service.timekeeper)
            if settings.server is not None:
                leadership = Leadership(
                    hold, service.database, service.own_log, partial(begin_term, service, followed)
                )
            return _run(service, key, leadership, followed if stands_by else None)


def _integrity(service: Service, stop: threading.Event) -> Part:
    """Each machine looks after its own files, whichever leads."""
    look, settings = service.integrity.look, service.settings
    return Part("integrity", lambda: look, INTEGRITY_SECONDS, stop, settings, service.timekeeper)


@contextmanager
def beside_listeners(settings: Settings) -> Iterator[None]:
    """Within this context a machine without a background program does what is each machine's own.

    It compares its installed files, at once and once a day; and if it answers engines, it follows the signs of the sequencer.
    """
    stop = threading.Event()
    with closing(open_service(settings)) as service:
        parts = [_integrity(service, stop)]
        if settings.server is not None and settings.elsewhere is None:
            signs = FollowedSigns(settings, service.database, service.timekeeper)
            # Before a listener answers, what an earlier run has left here is gone.
            signs.turn()
            parts.append(Part("follower", lambda: signs.turn, FOLLOWED_SECONDS, stop, settings, service.timekeeper))
        for part in parts:
            part.start()
        try:
            yield
        finally:
            stop.set()
            for part in parts:
                part.join()


def _run(service: Service, key: SigningKey, leadership: Leadership | None, followed: FollowedSigns | None) -> int:
    """Run all parts; one that stands by has signs that are ``followed`` meanwhile."""
    stop, askers = _stop_at_signals(), ThreadedAskers(service.settings.proxy)
    publishers = Publishers(service, askers, leadership)
    if service.settings.policy is None:
        service.settings.witnesses_trouble.unlink(missing_ok=True)
    else:
        for remark in service.policy.remarks():
            _logger.warning("%s", remark)
    sequencer, *others = _parts(service, key, publishers, leadership, stop, stands_by=followed is not None)
    parts = [sequencer, *others, _integrity(service, stop)]
    for part in parts:
        part.start()
    when_orphaned(stop.set)
    heart = Heart(service, leadership, followed)
    heart.beat()
    while not stop.wait(HEARTBEAT_SECONDS):
        heart.beat()
    for part in parts:
        part.join()
    failed = any(part.failure is not None for part in parts)
    if not failed:
        # What is queued is published before the end, so that nobody waits for a restart, which publishes what cannot be now.
        with suppress(RecoveryError, *STORAGE_FAILURES):
            sequencer.finish()
            publishers.drain(DRAIN_SECONDS)
    askers.close()
    return int(failed)


def _parts(
    service: Service,
    key: SigningKey,
    publishers: Publishers,
    leadership: Leadership | None,
    stop: threading.Event,
    *,
    stands_by: bool,
) -> list[Part]:
    """The parts that work while this process leads, the sequencer first."""

    def loop(name: str, make: Callable[[], Callable[[], object]], seconds: float) -> Part:
        chosen = make if leadership is None else _while_leading(make, leadership.name)
        return Part(name, chosen, seconds, stop, service.settings, service.timekeeper, may_stand_by=stands_by)

    is_witnessed = service.settings.policy is not None
    pause = WITNESSED_SECONDS if is_witnessed else SEQUENCER_SECONDS
    parts = [
        loop("sequencer", lambda: begin_sequencing(service, key, publishers, leadership).turn, pause),
        loop("keeper", lambda: service.keeper().turn, KEEPER_SECONDS),
        loop("salter", lambda: service.salter(stop).turn, SALTER_SECONDS),
        loop("monitor", lambda: service.monitor().turn, MONITOR_SECONDS),
    ]
    if is_witnessed:
        # Its turns wait by themselves for what they have to do.
        parts.append(loop("publisher", lambda: publishers.turn, 0.0))
    return parts


def _stop_at_signals() -> threading.Event:
    """An event that SIGTERM and SIGINT set."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    return stop


def _while_leading(
    make: Callable[[], Callable[[], object]], leader: Callable[[], str]
) -> Callable[[], Callable[[], object]]:
    """The same for `Part`; while another sequencer may lead, no turn begins, as if storage failed.

    What a turn remembers is of one term; in the next one the part is made again, from what is stored.
    """

    def make_leading() -> Callable[[], object]:
        term = leader()
        turn = make()

        def take_turn() -> object:
            _check_term(leader, term)
            try:
                return turn()
            except (HeadMovedError, ChangedElsewhereError):
                # Another leader has moved the head, or a second sequencer that is none writes this log.
                _check_term(leader, term)
                raise

        return take_turn

    return make_leading


def _check_term(leader: Callable[[], str], term: str) -> None:
    """Raise `ServerFailure` unless the term lasts."""
    if leader() != term:
        raise ServerFailure("this sequencer was not the leader for a while, and begins again from what is stored")


class Publishers:
    """The publisher of each term: what one remembers of its own term is not what the log is in the next."""

    def __init__(self, service: Service, askers: Askers, leadership: Leadership | None) -> None:
        self._service, self._askers, self._leadership = service, askers, leadership
        self._threads = threading.Lock()
        self._term: str | None = None
        self._publisher: WitnessedPublisher | None = None

    def of_term(self) -> WitnessedPublisher | None:
        """The one publisher of the present term; `None` if no policy is set. Raises `ServerFailure`, like `Leadership.name`."""
        with self._threads:
            term = "" if self._leadership is None else self._leadership.name()
            if term != self._term:
                # After the term has begun, because a publisher reads what is published.
                self._term, self._publisher = term, self._service.publisher(self._askers)
            return self._publisher

    def turn(self) -> None:
        """Take a turn of the present term's publisher, which waits by itself for something to do."""
        publisher = self.of_term()
        if publisher is not None:
            publisher.turn()

    def drain(self, seconds: float) -> None:
        """Publish what the last publisher still has, if it may still do so."""
        publisher = None if self._publisher is None else self.of_term()
        if publisher is not None:
            publisher.drain(seconds)


def begin_term(service: Service, followed: FollowedSigns) -> None:
    """Before any part of this machine works in a term: what another leader has said does not count, and no round is opened."""
    followed.leave()
    service.gate.close_until_cosigned()


def begin_sequencing(
    service: Service, key: SigningKey, publishers: Publishers, leadership: Leadership | None
) -> Sequencer:
    """The sequencer of a term; of the only one there is, without ``leadership``."""
    publisher = publishers.of_term()
    return start_sequencer(service, key, publisher, "" if leadership is None else leadership.name())


def start_sequencer(
    service: Service, key: SigningKey, publisher: Publisher | None = None, leader: str = ""
) -> Sequencer:
    """The sequencer, after everything that a crash left is handed to the publisher and every file of commitments exists.

    Without a ``publisher``, what is signed is published at once.
    """
    bring_together(service.own_log, key.verifier_key)
    known = Known(GAMES, service.settings.beacons)
    chosen = AtOnce(service.own_log, key.verifier_key) if publisher is None else publisher
    sequencer = Sequencer(service.database, service.own_log, known, key, service.custodian.marks(), chosen, leader)
    service.commitments_files.check_all(service.database, service.publication)
    return sequencer


class Heart:
    """What the program says of itself once a second, beside its parts; while it stands by, what the leader says."""

    def __init__(self, service: Service, leadership: Leadership | None, followed: FollowedSigns | None) -> None:
        """A program that stands by has signs that are ``followed`` meanwhile."""
        self._service, self._leadership, self._followed = service, leadership, followed
        self._policies = Policies(service.database, service.timekeeper.shown)
        self._shared = SharedSigns(service.settings, service.database)

    def beat(self) -> None:
        """Do it once."""
        if self._follows():
            return
        with suppress(OSError):
            give_sign(self._service.settings.heartbeat, self._service.timekeeper)
        self._look_whether_held()
        # What cannot be noted now is noted later: the parts report that storage fails.
        with suppress(*STORAGE_FAILURES):
            if self._leadership is not None:
                self._shared.give(self._leadership.name())
            self._policies.look(self._service.policy.digest)

    def _look_whether_held(self) -> None:
        """While nobody plays, only this notices that another program holds a file. Of a server, each process asks when it is asked."""
        try:
            if self._service.settings.server is None:
                self._service.database.look_whether_held()
            if self._service.settings.seeds_server is None:
                self._service.custodian.look_whether_held()
        except STORAGE_FAILURES as error:
            say_once_a_minute(in_words(error, self._service.settings))
        except SeedsUnavailableError as error:
            say_once_a_minute(str(error))

    def _follows(self) -> bool:
        """Follow the leader, if another process leads; if nobody can say who does, this program speaks for itself."""
        if self._leadership is None or self._followed is None:
            return False
        with suppress(ServerFailure):
            return self._leadership.while_another_leads(self._followed.follow)
        return False


def main(arguments: Sequence[str]) -> int:
    """Run in the process that ``foredraw serve`` has forked for it; with ``public-key`` only see to that file."""
    try:
        name_process(BACKGROUND)
        wait_for_no_reader()
        write_messages(logging.INFO, "%(asctime)s %(name)s %(levelname)s %(message)s")
        keep_memory_private()
        settings = Settings.from_environment()
        if PUBLIC_KEY in arguments:
            load_signing_key(settings)
            return 0
        try:
            return run(settings, stands_by=STANDBY in arguments)
        except STORAGE_FAILURES as error:
            _logger.critical("%s", in_words(error, settings))
    except (SettingsError, RecoveryError, SeedsUnavailableError, HeadMovedError, ChangedElsewhereError) as error:
        _logger.critical("%s", error)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
