"""``foredraw restore``: the parts that a data folder lacks, from a back-up.

A part that is there stays, because it may be newer: the newest log, wherever it was, and the newest store of the
custodian show whether the back-up is too old. So a folder with a part that knows more records than the back-up is
refused or rolled forward as a start would do it. If no part does, nothing shows it, and the operator has to say so: a
part that is as old as the back-up, or older, may have come from a copy itself.

How each is put in place, and what a crash leaves, is in `pieces`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from api.journal.chain import note
from api.journal.entry import SERVICE, Act, Deed
from api.log.keys import load_verifier_key
from api.log.recovery import RecoveryError
from api.restore.backup import (
    check_opens,
    check_startable,
    new_locks,
    opened_database,
    opened_store,
    remove_locks,
)
from api.restore.pieces import Piece, file_piece, pieces_of, put_all
from api.restore.rebuild import Rebuilt, rebuild_held
from api.settings import Settings, SettingsError
from api.store import statements as sql
from api.store.sole import hold_service
from api.store.upgrade import check_schema, upgrade
from api.world.clock import Clock
from api.world.published.log_folder import LogFolder
from api.world.storage_failures import DatabaseFailure
from fairness.errors import ForedrawError
from fairness.log.checkpoints import CHECKPOINT, Checkpoint
from fairness.log.notes import VerifierKey


@dataclass(frozen=True, slots=True)
class Restored:
    """What was done."""

    parts: list[str]
    """The parts that were put back; the others were there."""
    rebuilt: Rebuilt | None
    """The database was older than the log, and was rolled forward."""


def put_back(settings: Settings, source: Path, *, has_not_grown: bool, by: str = SERVICE) -> Restored:
    """Put back what the folder lacks, roll the database forward if the log is newer, and check what a start checks.

    Raises `SettingsError`, `RecoveryError`, `SeedsUnavailableError`: then the folder has what it had before.
    ``has_not_grown`` is the operator's word that nothing was published after the back-up, for a folder without a part
    that knows more records. ``by`` says who does it, for the journal.
    """
    copy = Settings(source)
    if not (copy.verifier_key.exists() and copy.database.exists() and copy.secrets.exists() and copy.log.exists()):
        raise SettingsError(f"{source} is no back-up: expected the folder that `foredraw backup` has made")
    with _leaving_nothing_if_refused(settings), hold_service(settings), ExitStack() as until:
        return _complete(settings, copy, until, has_not_grown=has_not_grown, by=by)


@contextmanager
def _leaving_nothing_if_refused(settings: Settings) -> Iterator[None]:
    """Make the data folder; after a failure, remove the locks that were taken and the folders that are empty, if they
    are new.
    """
    folders = (settings.verifier_key.parent, settings.secrets.parent, settings.folder, *settings.folder.parents)
    new, locks = [each for each in folders if not each.exists()], new_locks(settings)
    settings.folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        remove_locks(locks)
        for folder in new:
            with suppress(OSError):
                folder.rmdir()
        raise


def _complete(settings: Settings, copy: Settings, until: ExitStack, *, has_not_grown: bool, by: str) -> Restored:
    key = _put_keys(settings, copy, until)
    pieces = pieces_of(settings, copy)
    lacking = _put_pieces(pieces, settings, copy, key, until, has_not_grown=has_not_grown)
    names, is_database_copied = [piece.name for piece in lacking], pieces[-1] in lacking
    with opened_database(settings) as database:
        if is_database_copied:
            # The back-up may be of an older version.
            upgrade(database)
        check_schema(database, settings)
    check_opens(settings, key)
    try:
        check_startable(settings, key)
        is_older = False
    except RecoveryError:
        if not is_database_copied:
            raise
        is_older = True
    with opened_database(settings) as database:
        note(database, Clock().now(), Deed(by, Act.RESTORE, ", ".join(names)))
    # The database alone can be older: `rebuild` makes it from the log, with this journal, or says what the log lacks.
    return Restored(names, rebuild_held(settings, by=by) if is_older else None)


def _put_keys(settings: Settings, copy: Settings, until: ExitStack) -> VerifierKey:
    """Put back the keys that the back-up has and the folder lacks, and return the log's. A crash leaves some of them,
    which the same command completes.
    """
    settings.verifier_key.parent.mkdir(exist_ok=True, mode=0o700)
    pairs = [
        (path, copy.verifier_key.with_name(path.name))
        for path in (settings.verifier_key, settings.signing_key, settings.seeds_key)
    ]
    lacking = [(here, there) for here, there in pairs if not here.exists() and there.exists()]
    put_all([file_piece(here.name, here, there) for here, there in lacking], until)
    key = load_verifier_key(settings)
    if (other := load_verifier_key(copy)) != key:
        raise SettingsError(
            f"nothing was restored: {settings.folder} has the key {key}, and the back-up is of {other}"
        )
    for path in (settings.signing_key, settings.seeds_key):
        if not path.exists():
            raise SettingsError(
                f"nothing was restored: {path} is missing, and the back-up has no secret keys. Put the file back from your"
                " back-up of keys, with mode 600, and run this again"
            )
    return key


def _put_pieces(
    pieces: Sequence[Piece],
    settings: Settings,
    copy: Settings,
    key: VerifierKey,
    until: ExitStack,
    *,
    has_not_grown: bool,
) -> list[Piece]:
    """Put back what is lacking, unless it may be too old, and return it."""
    lacking = [piece for piece in pieces if not piece.is_there()]
    if not lacking:
        raise SettingsError(
            f"nothing was restored: {settings.folder} has a database, a log and a custodian's store, and a part that is"
            " there is never replaced. Move the part that is damaged out of the folder, or name an empty database if it is"
            " on a server; keep it until all is well"
        )
    store, _, database = (piece not in lacking for piece in pieces)
    _check_not_empty(settings)
    locks = new_locks(copy)
    try:
        if store:
            _check_not_older(settings, copy)
        size = _head_size(copy)
    finally:
        remove_locks(locks)
    if not has_not_grown and max(_known(settings, key, store=store, database=database)) <= size:
        raise SettingsError(
            f"nothing was restored: no part in {settings.folder} knows more than the {size} records of the back-up, so"
            " nothing shows whether the log has grown since. If it has, the service would sign a second history, and take"
            f" bets on outcomes that are known. Bring the newest copy of the log (a mirror's, an auditor's) to"
            f" {settings.log}, and what is left of custodian/ and foredraw.db to its place, and run this again. Only if you"
            " know that nothing was published after the back-up, add --the-log-has-not-grown"
        )
    put_all(lacking, until)
    return lacking


def _check_not_empty(settings: Settings) -> None:
    """Check that a database or store that is there is not the empty file that a crash can leave. Raises
    `SettingsError`.
    """
    for server, path in ((settings.seeds_server, settings.secrets), (settings.server, settings.database)):
        if server is None and path.exists() and not path.stat().st_size:
            raise SettingsError(
                f"nothing was restored: {path} is an empty file, which a crash may have left. Move it out of the folder,"
                " put the newest copy that you have in its place, if there is one newer than the back-up, and run this again"
            )


def _check_not_older(settings: Settings, copy: Settings) -> None:
    """Check that the custodian's store that is there has every seed and every mark of the back-up. Raises
    `SettingsError`.
    """
    with opened_store(copy) as old, opened_store(settings) as here:
        anchors = {chain.anchor for chain in here.chains()}
        rounds = {mark.table_id: mark.round for mark in here.marks()}
        lacks_seeds = any(chain.anchor not in anchors for chain in old.chains())
        lacks_marks = any(rounds.get(mark.table_id, 0) < mark.round for mark in old.marks())
    if lacks_seeds or lacks_marks:
        server = settings.seeds_server
        raise SettingsError(
            f"nothing was restored: {settings.secrets if server is None else server.place} lacks {'seeds' if lacks_seeds else 'marks'} that the back-up's store"
            " has, so it is older, or another one. Put the newest copy of custodian/ in its place. If it is the newest, take"
            " a back-up that was made after it was put there"
        )


def _head_size(settings: Settings) -> int:
    """Return how many records the database has."""
    with opened_database(settings) as database, database.read() as connection:
        return sql.HEAD_SIZE.one(connection)


def _known(settings: Settings, key: VerifierKey, *, store: bool, database: bool) -> Iterator[int]:
    """Yield how many records each part that is there shows the log to have. One that cannot be read shows nothing."""
    yield 0
    if database:
        with suppress(DatabaseFailure):
            yield _head_size(settings)
    with suppress(ForedrawError):
        yield Checkpoint.open(LogFolder(settings.log).read(CHECKPOINT), key).size
    if store:
        with opened_store(settings) as here:
            yield from (mark.position + 1 for mark in here.marks())
