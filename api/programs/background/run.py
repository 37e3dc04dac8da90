"""The background program, from its start to its end; and what a machine without one does beside its listeners."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial

from api.custody.custodian import SeedsUnavailableError
from api.log.keys import load_signing_key
from api.log.leadership import Leadership
from api.log.recovery import RecoveryError
from api.log.sequencer import HeadMovedError
from api.operations.health import PARTS
from api.operations.shared_statuses import FOLLOWED_SECONDS, FollowedStatuses
from api.programs.background.heart import HEARTBEAT_SECONDS, Heart, Heartbeat
from api.programs.background.loop import Loop, Turn
from api.programs.background.terms import PublisherByTerm, begin_sequencing, begin_term, while_leading
from api.rounds.seeds import check_key
from api.server.messages import wait_for_no_reader, write_messages
from api.service import Service, open_service
from api.settings import Settings, SettingsError
from api.store.sole import hold_service
from api.witnesses.askers import ThreadedAskers
from api.world.private_memory import keep_memory_private
from api.world.storage_failures import STORAGE_FAILURES, ChangedElsewhereError, in_words
from api.world.supervision import BACKGROUND, STANDBY, name_process, when_orphaned
from fairness.log.notes import SigningKey

SEQUENCER_SECONDS = 0.02
WITNESSED_SECONDS = 0.03
"""Between two heads of the log if witnesses have to cosign them. A head of many records costs them and us hardly more
than one of few, and while one is being cosigned the next has to wait anyway.
"""
KEEPER_SECONDS = 0.2
SALTER_SECONDS = 0.5
MONITOR_SECONDS = 0.5
INTEGRITY_SECONDS = 86_400.0
DRAIN_SECONDS = 2.0
"""How long the end waits for witnesses to cosign what was signed last. The next start has it cosigned otherwise."""

_logger = logging.getLogger("foredraw.background")


def run(settings: Settings, *, stands_by: bool = False) -> int:
    """Run until a signal, the parent's end, or a loop's death. Returns the exit status."""
    with hold_service(settings, stands_by=stands_by) as hold:
        for status in (
            settings.heartbeat,
            settings.damage,
            settings.beacon_trouble,
            settings.entropy_trouble,
            settings.witnesses,
            *map(settings.heartbeat_of, (*PARTS, "salter", "publisher", "integrity")),
        ):
            # The status of an earlier run says nothing about this one.
            status.unlink(missing_ok=True)
        key = load_signing_key(settings)
        with closing(open_service(settings, publishes=True)) as service:
            service.custodian.open()
            check_key(service.custodian, service.database)
            service.policy.check_not_forgotten(service.own_log)
            service.policy.keep()
            leadership, followed = None, FollowedStatuses(settings, service.database, service.timekeeper)
            if settings.server is not None:
                leadership = Leadership(
                    hold, service.database, service.own_log, partial(begin_term, service, followed)
                )
            return _run(service, key, leadership, followed if stands_by else None)


def _loop(
    service: Service,
    stop: threading.Event,
    name: str,
    make: Callable[[], Turn],
    seconds: float,
    *,
    may_stand_by: bool = False,
) -> Loop:
    report = Heartbeat(name, service.settings, service.timekeeper).report
    return Loop(name, make, seconds, stop, report, may_stand_by=may_stand_by)


def _integrity(service: Service, stop: threading.Event) -> Loop:
    """Make the loop in which each machine looks after its own files, whichever leads."""
    return _loop(service, stop, "integrity", lambda: service.integrity.look, INTEGRITY_SECONDS)


@contextmanager
def beside_listeners(settings: Settings) -> Iterator[None]:
    """Do, within this context, what is each machine's own on one without a background program.

    It compares its installed files, at once and once a day; and if it answers engines, it follows the statuses of the
    sequencer.
    """
    stop = threading.Event()
    with closing(open_service(settings)) as service:
        loops = [_integrity(service, stop)]
        if settings.server is not None and settings.elsewhere is None:
            statuses = FollowedStatuses(settings, service.database, service.timekeeper)
            # Before a listener answers, what an earlier run has left here is gone.
            statuses.turn()
            loops.append(_loop(service, stop, "follower", lambda: statuses.turn, FOLLOWED_SECONDS))
        for loop in loops:
            loop.start()
        try:
            yield
        finally:
            stop.set()
            for loop in loops:
                loop.join()


def _run(service: Service, key: SigningKey, leadership: Leadership | None, followed: FollowedStatuses | None) -> int:
    """Run all loops; a program that stands by has statuses that are ``followed`` meanwhile."""
    stop, askers = _stop_at_signals(), ThreadedAskers(service.settings.proxy)
    publishers = PublisherByTerm(service, askers, leadership)
    if service.settings.policy is None:
        service.settings.witnesses_trouble.unlink(missing_ok=True)
    else:
        for remark in service.policy.remarks():
            _logger.warning("%s", remark)
    sequencer, *others = _loops(service, key, publishers, leadership, stop, stands_by=followed is not None)
    loops = [sequencer, *others, _integrity(service, stop)]
    for loop in loops:
        loop.start()
    when_orphaned(stop.set)
    heart = Heart(service, leadership, followed)
    heart.beat()
    while not stop.wait(HEARTBEAT_SECONDS):
        heart.beat()
    for loop in loops:
        loop.join()
    failed = any(loop.failure is not None for loop in loops)
    if not failed:
        # What is queued is published before the end, so that nobody waits for a restart, which publishes what cannot
        # be now.
        with suppress(RecoveryError, *STORAGE_FAILURES):
            sequencer.finish()
            publishers.drain(DRAIN_SECONDS)
    askers.close()
    return int(failed)


def _loops(
    service: Service,
    key: SigningKey,
    publishers: PublisherByTerm,
    leadership: Leadership | None,
    stop: threading.Event,
    *,
    stands_by: bool,
) -> list[Loop]:
    """Make the loops that work while this process leads, the sequencer first."""

    def loop(name: str, make: Callable[[], Turn], seconds: float) -> Loop:
        chosen = make if leadership is None else while_leading(make, leadership.name)
        return _loop(service, stop, name, chosen, seconds, may_stand_by=stands_by)

    is_witnessed = service.settings.policy is not None
    pause = WITNESSED_SECONDS if is_witnessed else SEQUENCER_SECONDS
    loops = [
        loop("sequencer", lambda: begin_sequencing(service, key, publishers, leadership).turn, pause),
        loop("keeper", lambda: service.keeper().turn, KEEPER_SECONDS),
        loop("salter", lambda: service.salter(stop).turn, SALTER_SECONDS),
        loop("monitor", lambda: service.monitor().turn, MONITOR_SECONDS),
    ]
    if is_witnessed:
        # Its turns wait by themselves for what they have to do.
        loops.append(loop("publisher", lambda: publishers.turn, 0.0))
    return loops


def _stop_at_signals() -> threading.Event:
    """Make an event that SIGTERM and SIGINT set."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    return stop


def main(arguments: Sequence[str]) -> int:
    """Run in the process that ``foredraw serve`` has forked for it."""
    try:
        name_process(BACKGROUND)
        wait_for_no_reader()
        write_messages(logging.INFO, "%(asctime)s %(name)s %(levelname)s %(message)s")
        keep_memory_private()
        settings = Settings.from_environment()
        try:
            return run(settings, stands_by=STANDBY in arguments)
        except STORAGE_FAILURES as error:
            _logger.critical("%s", in_words(error, settings))
    except (SettingsError, RecoveryError, SeedsUnavailableError, HeadMovedError, ChangedElsewhereError) as error:
        _logger.critical("%s", error)
    return 1
