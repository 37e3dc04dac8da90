"""What is made anew in each term of a leader, from what is stored: its sequencer, its publisher, the turns of its
loops.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from api.log.leadership import Leadership
from api.log.mirroring import bring_together
from api.log.publishing import CheckpointSink, UnwitnessedPublisher
from api.log.sequencer import HeadMovedError, Sequencer
from api.operations.shared_statuses import FollowedStatuses
from api.programs.background.loop import Turn
from api.service import Service
from api.witnesses.askers import Askers
from api.witnesses.publisher import CosignedPublisher
from api.world.storage_failures import ChangedElsewhereError, ServerFailure
from fairness.log.notes import SigningKey
from fairness.records.replay import Known
from games import GAMES


def while_leading(make: Callable[[], Turn], leader: Callable[[], str]) -> Callable[[], Turn]:
    """Make turns for a `Loop` of which none begins while another sequencer may lead, as if storage failed.

    What a turn remembers is of one term; in the next one the part is made again, from what is stored.
    """

    def make_leading() -> Turn:
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


class PublisherByTerm:
    """The publisher of each term: what one remembers of its own term is not what the log is in the next."""

    def __init__(self, service: Service, askers: Askers, leadership: Leadership | None) -> None:
        self._service, self._askers, self._leadership = service, askers, leadership
        self._threads = threading.Lock()
        self._term: str | None = None
        self._publisher: CosignedPublisher | None = None

    def of_term(self) -> CosignedPublisher | None:
        """Give the one publisher of the present term; `None` if no policy is set. Raises `ServerFailure`, like
        `Leadership.name`.
        """
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


def begin_term(service: Service, followed: FollowedStatuses) -> None:
    """Prepare a term, before any part of this machine works in it: what another leader has said does not count, and
    no round is opened.
    """
    followed.leave()
    service.gate.close_until_cosigned()


def begin_sequencing(
    service: Service, key: SigningKey, publishers: PublisherByTerm, leadership: Leadership | None
) -> Sequencer:
    """Start the sequencer of a term; of the only one there is, without ``leadership``."""
    publisher = publishers.of_term()
    return start_sequencer(service, key, publisher, "" if leadership is None else leadership.name())


def start_sequencer(
    service: Service, key: SigningKey, publisher: CheckpointSink | None = None, leader: str = ""
) -> Sequencer:
    """Start the sequencer, after everything that a crash left is handed to the publisher and every file of
    commitments exists.

    Without a ``publisher``, what is signed is published at once.
    """
    bring_together(service.own_log, key.verifier_key)
    known = Known(GAMES, service.settings.beacons)
    chosen = UnwitnessedPublisher(service.own_log, key.verifier_key) if publisher is None else publisher
    sequencer = Sequencer(service.database, service.own_log, known, key, service.custodian.marks(), chosen, leader)
    service.commitments_files.check_all(service.database, service.publication)
    return sequencer
