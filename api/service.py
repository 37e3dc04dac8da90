"""The parts of one service, put together from its folder.

Only programs and the makers of applications see a `Service`; every part is given the few others that it needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from threading import Event

from api import traces
from api.access.sessions import Sessions
from api.beacon.relays import Relays
from api.beacon.waits import Waits
from api.custody.custodian import Custodian
from api.custody.keys import load_seeds_key
from api.integrity.integrity import Integrity
from api.log.keys import load_verifier_key
from api.log.policy_file import PolicyFile
from api.log.publication import Publication
from api.operations.health import Health
from api.operations.monitor import Monitor
from api.operations.overview import Observer
from api.rounds.admission import Admission, Openings
from api.rounds.batches import Batches
from api.rounds.calls import Rounds
from api.rounds.change import TableWriter
from api.rounds.commitments_files import CommitmentsFiles
from api.rounds.keeper import Keeper
from api.rounds.reading import newest_time, published_roots
from api.rounds.salter import Salter
from api.rounds.seeds import Seeds
from api.settings import Settings, SettingsError
from api.sql.database import Database
from api.store.present import check_present
from api.store.schema import open_database
from api.witnesses.askers import Askers
from api.witnesses.gate import Gate
from api.witnesses.presence import Presence
from api.witnesses.publisher import CosignedPublisher
from api.world.clock import Clock
from api.world.cooperation import Offload, inline
from api.world.published.log_folder import LogFolder
from api.world.published.mirrored_log import MirroredLog, open_objects
from api.world.published.published_log import PublishedLog
from api.world.published.remote_log import RemoteLog
from api.world.self_test import check_known_answers
from api.world.timekeeper import Timekeeper
from fairness.log.notes import VerifierKey


@dataclass(frozen=True)
class Service:
    """What touches the world, and the parts that are made of it, each once and when it is first needed."""

    settings: Settings
    database: Database
    log: PublishedLog
    publication: Publication
    custodian: Custodian
    clock: Clock
    timekeeper: Timekeeper
    verifier_key: VerifierKey
    policy: PolicyFile

    @property
    def own_log(self) -> LogFolder:
        """The log's folder, which can be written. Raises `SettingsError` on a machine that only reads the log."""
        if not isinstance(self.log, LogFolder):
            raise SettingsError(
                "with FOREDRAW_LOG this machine only reads the log; it is written where the sequencer runs"
            )
        return self.log

    @cached_property
    def writer(self) -> TableWriter:
        """Changes tables."""
        return TableWriter(self.database, self.timekeeper, self.verifier_key.name, self.settings.beacons)

    @cached_property
    def seeds(self) -> Seeds:
        """Releases seeds."""
        return Seeds(self.custodian, self.publication)

    @cached_property
    def commitments_files(self) -> CommitmentsFiles:
        """Keeps the files of commitments."""
        return CommitmentsFiles(self.own_log, self.seeds)

    @cached_property
    def gate(self) -> Gate:
        """Knows whether the witnesses allow a round to be opened."""
        return Gate(self.settings, self.policy, self.log, self.timekeeper)

    @cached_property
    def integrity(self) -> Integrity:
        """Knows whether the installed software is what was signed."""
        return Integrity(self.settings, self.database, self.timekeeper)

    @cached_property
    def presence(self) -> Presence:
        """Knows whether the quorum of witnesses is there now."""
        return Presence(self.policy, self.clock)

    @cached_property
    def openings(self) -> Openings:
        """Knows what keeps rounds from being opened."""
        return Openings(self.publication, self.gate, self.integrity, self.timekeeper, self.settings.beacons)

    @cached_property
    def rounds(self) -> Rounds:
        """Plays rounds."""
        admission = Admission(self.seeds, self.commitments_files, self.openings)
        return Rounds(self.writer, self.seeds, admission)

    @cached_property
    def batches(self) -> Batches:
        """Commits batches."""
        waits = Waits(self.settings.first_pulse, self.settings.later_pulse)
        files, settings = self.commitments_files, self.settings
        return Batches(self.writer, self.seeds, files, settings.batch_size, waits, settings.entropy_trouble)

    @cached_property
    def sessions(self) -> Sessions:
        """Knows which operators are signed in."""
        return Sessions(self.database, self.timekeeper)

    @cached_property
    def health(self) -> Health:
        """Says whether every part works."""
        return Health(
            self.settings,
            self.database,
            self.log,
            self.publication,
            self.custodian,
            self.timekeeper,
            self.gate,
            self.policy,
            self.integrity,
        )

    @cached_property
    def observer(self) -> Observer:
        """Looks at everything for the operator."""
        return Observer(self.settings, self.database, self.publication, self.clock, self.timekeeper, self.health)

    def keeper(self) -> Keeper:
        """Return a new keeper."""
        return Keeper(self.settings, self.writer, self.seeds, self.rounds, self.batches)

    def salter(self, stop: Event | None = None) -> Salter:
        """Return a new salter, which asks no relay after ``stop``."""
        relays = Relays(self.settings.relays, stop, self.settings.proxy)
        return Salter(self.settings, self.writer, self.batches, relays, self.clock, self.gate, self.presence)

    def publisher(self, askers: Askers) -> CosignedPublisher | None:
        """Return a new publisher, which asks witnesses; `None` if the settings name no policy."""
        if self.settings.policy is None:
            return None
        return CosignedPublisher(
            self.settings, self.own_log, self.policy, self.clock, self.timekeeper, askers, self.presence
        )

    def monitor(self) -> Monitor:
        """Return a new monitor, which starts from its file."""
        return Monitor(self.database, self.settings.drift)

    def close(self) -> None:
        """Close the databases and the files of the log."""
        self.database.dispose()
        self.custodian.close()
        self.log.close()


def open_service(settings: Settings, offload: Offload = inline, *, publishes: bool = False) -> Service:
    """Open an initialised folder, and no secret in it. Raises `SettingsError`.

    Only the one program that ``publishes`` writes to the bucket of the settings, if they name one.
    """
    check_known_answers()
    check_present(settings)
    verifier_key = load_verifier_key(settings)
    log = published_log(settings, verifier_key, publishes=publishes)
    policy = PolicyFile(settings, verifier_key)
    database = open_database(settings, offload)
    database.is_traced = traces.is_traced()
    return put_together(settings, log, policy, database, offload)


def put_together(
    settings: Settings, log: PublishedLog, policy: PolicyFile, database: Database, offload: Offload = inline
) -> Service:
    """Return a service of these parts. Nothing is read, and no secret opened."""
    clock = Clock()
    publication = Publication(log, policy.key, policy.trust)
    if isinstance(log, RemoteLog):
        log.roots_of = partial(published_roots, database, publication)
    return Service(
        settings=settings,
        database=database,
        log=log,
        publication=publication,
        custodian=Custodian(settings.seeds, lambda: load_seeds_key(settings), policy.key, offload),
        clock=clock,
        timekeeper=Timekeeper(clock, settings.clock, lambda: newest_time(database)),
        verifier_key=policy.key,
        policy=policy,
    )


def published_log(settings: Settings, key: VerifierKey, *, publishes: bool = False) -> PublishedLog:
    """Return the log of a service, whose key this is: its folder, also written to a bucket or not, or an address far
    away.
    """
    if settings.elsewhere is not None:
        return RemoteLog(settings.elsewhere.address, settings.folder, key, settings.proxy)
    if publishes and settings.publish is not None:
        return MirroredLog(settings.log, open_objects(settings.publish, settings.proxy))
    return LogFolder(settings.log)
