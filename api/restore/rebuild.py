"""``foredraw rebuild``: the database from the published log, which is the truth.

The log has every record, but neither tokens nor the journal nor the tables' settings: these are taken from the old
database. Rounds that were only open, and records that waited in the queue, are
lost; nobody has received an outcome of theirs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree

from api.custody.mark import Mark
from api.custody.seed_store import SeedStore, SeedsUnavailableError
from api.findings.states import lost_paytable
from api.journal.chain import note
from api.journal.entry import SERVICE, Act, Deed, Values, hash_of
from api.log.finding_aids import AidsWriter
from api.log.keys import load_verifier_key
from api.log.paytable_files import is_whole
from api.restore.known_log import KnownLog
from api.restore.projection import Projection
from api.restore.salvage import Salvage, salvage
from api.settings import Settings, SettingsError
from api.sql.connection import Connection
from api.sql.database import Database
from api.store import statements as sql
from api.store.models import JournalHeadRow, PaytableRow
from api.store.replacement import Replacement, replacement
from api.store.schema import disposed
from api.store.sole import hold_service
from api.world.clock import Clock
from api.world.published.log_folder import LogFolder
from api.world.storage_failures import STORAGE_FAILURES
from fairness.beacon.chain import Beacons
from fairness.errors import CheckFailed, ForedrawError
from fairness.log.checkpoints import Checkpoint
from fairness.log.tiles import WIDTH, AuthenticTiles
from fairness.records.replay import Replay
from games import GAMES
from games.bets.paytable.read import paytable_path


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """The result of a rebuild."""

    size: int
    """How many records the database has now."""
    published: int
    """How many of them the log's checkpoint has; the others are published at the next start."""
    lost: list[str]
    """What the old database had, or may have had, and the new one lacks: a line each."""
    unknown: list[str]
    """What the log could not be compared with: a line each."""
    kept: str | None
    """The name under which the old database was kept; `None` if there was none."""


def rebuild(settings: Settings, *, discard: int = 0, by: str = SERVICE) -> Rebuilt:
    """Make the database again; an old one is kept beside it. ``by`` says who does it.

    ``discard`` forks the log on purpose: so many records, which the old database or the custodian knows of and
    the log lacks, are given up. Raises `SettingsError` if the log is not whole, does not replay, or lacks
    another number of records: then nothing is replaced.
    """
    with hold_service(settings):
        return rebuild_held(settings, discard=discard, by=by)


def rebuild_held(settings: Settings, *, discard: int = 0, by: str) -> Rebuilt:
    """Make it again, for whoever holds the service already."""
    key = load_verifier_key(settings)
    log = LogFolder(settings.log)
    replaced = replacement(settings)
    old, marks = salvage(replaced), _marks(settings)
    aids = settings.folder / "rebuilding-aids"
    try:
        with _fresh(replaced, key.name, aids) as database:
            checkpoint = Checkpoint.open(log.read("checkpoint"), key)
            known = KnownLog(log, AuthenticTiles(checkpoint, log.read), old, marks)
            lost = database.write_at_length(
                lambda connection: _fill(connection, known, AidsWriter(LogFolder(aids)), settings.beacons, discard)
            )
            made: Values = {"discarded": discard, "lost": lost, "records": known.edge.size}
            note(database, Clock().now(), Deed(by, Act.REBUILD, settings.database.name, after=made))
    except ForedrawError as error:
        raise SettingsError(f"the log does not prove itself, so nothing was rebuilt: {error}") from error
    # The old aids may point at records of another history, whose positions other records will take.
    log.replace_aids(aids)
    rmtree(aids, ignore_errors=True)
    kept = replaced.take_place()
    if discard:
        _give_up(settings, known.missing)
    return Rebuilt(known.edge.size, checkpoint.size, lost, _not_compared(settings, old), kept)


@contextmanager
def _fresh(replaced: Replacement, origin: str, aids: Path) -> Iterator[Database]:
    """Make the fresh database, which is closed in the end. If it is not finished, it is removed, and so are its
    finding aids.
    """
    rmtree(aids, ignore_errors=True)
    try:
        with disposed(replaced.begin(origin)) as database:
            yield database
    except BaseException:
        # A crash, or a server that is away, leaves it to the next attempt.
        with suppress(*STORAGE_FAILURES):
            replaced.discard()
        rmtree(aids, ignore_errors=True)
        raise


def _fill(connection: Connection, known: KnownLog, aids: AidsWriter, beacons: Beacons, discard: int) -> list[str]:
    """Write all rows. Returns what the old database could not give."""
    published = known.tiles.checkpoint.size
    replay = Replay(known.tiles.checkpoint.origin, GAMES, beacons=beacons)
    projection = Projection(connection, replay, aids, kept_from=published // WIDTH * WIDTH)
    for position, data in enumerate(known.records()):
        try:
            projection.take(data, position)
        except CheckFailed as error:
            raise error.at(index=position) from error
    known.check_complete(discard)
    lost = projection.finish(known.old.tables, known.edge.size, known.edge.root)
    lost += _paytables(connection, known, replay)
    sql.INSERT_TOKEN.run_many(connection, known.old.tokens)
    return lost + _lost_rows(known.old, replay) + _journal(connection, known.old)


def _paytables(connection: Connection, known: KnownLog, replay: Replay) -> list[str]:
    """Store the files that the tables' records name, from the log's folder or the old database; returns what neither
    has.
    """
    lost = list[str]()
    tables = {state.paytable: state.name for state in replay.tables.values() if state.paytable}
    for paytable, table in sorted(tables.items()):
        path, data = paytable_path(paytable), known.old.paytables.get(paytable)
        if is_whole(known.log, paytable):
            data = known.log.read(path)
        if data is not None:
            sql.INSERT_PAYTABLE.run(connection, PaytableRow(paytable, data))
        else:
            lost.append(lost_paytable(path, [table]))
    return lost


def _journal(connection: Connection, old: Salvage) -> list[str]:
    """Store the entries of the journal as they are; returns what is lost. The chain shows where entries are
    missing.
    """
    rows = old.journal
    sql.INSERT_JOURNAL.run_many(connection, rows)
    head = old.journal_head
    if head is None and rows:
        head = JournalHeadRow(1, rows[-1].number, hash_of(rows[-1]))
    if head is not None:
        sql.INSERT_JOURNAL_HEAD.run(connection, head)
    missing = max([0 if head is None else head.number, *(row.number for row in rows)]) - len(rows)
    if old.unreadable:
        return ["the journal: all of it, if there was one"]
    return [f"entries of the journal: {missing}, of {missing + len(rows)}"] if missing else []


def _lost_rows(old: Salvage, replay: Replay) -> list[str]:
    unpublished = sorted(old.tables.keys() - replay.tables)
    lost = [f"the table {name}, which was not published: add it again" for name in unpublished]
    if old.lost_tokens or old.unreadable:
        lost.append(f"tokens: {', '.join(old.lost_tokens) or 'all of them'}")
    if old.waiting:
        lost.append(f"records that waited for a position in the log: {old.waiting}. Engines repeat their calls")
    return lost


def _marks(settings: Settings) -> list[Mark]:
    """Return what the custodian has released; nothing, if its store is gone."""
    if not settings.has_seeds:
        return []
    try:
        with closing(SeedStore(settings.seeds)) as store:
            return store.marks()
    except SeedsUnavailableError as error:
        raise SettingsError(f"nothing was rebuilt: {error}") from error


def _give_up(settings: Settings, marks: list[Mark]) -> None:
    """Give up tables with rounds whose outcomes are known, and whose records are discarded: they are not played
    again.

    A crash before this leaves a start that refuses; the same command, with the number that is named then, goes on.
    """
    if marks:
        with closing(SeedStore(settings.seeds)) as store:
            store.abandon(marks)
    # Its sums include rounds that no longer exist.
    settings.drift.unlink(missing_ok=True)


def _not_compared(settings: Settings, old: Salvage) -> list[str]:
    unknown = []
    if old.size is None:
        unknown.append(f"the old database: {old.unreadable or 'the row of its head is missing or damaged'}")
    if not settings.has_seeds:
        unknown.append("the custodian's store: it is missing")
    return unknown
