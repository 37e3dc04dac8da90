"""Before a sequencer starts: the log's folder and its bucket are made one log, and whatever is missing in one is
brought from the other.

The bucket's checkpoint is exchanged first, so after a crash it may be ahead of the folder's. On a machine that has
never written this log, or not for a while, the folder is brought forward from the bucket; nothing of it is believed:
the sequencer's start checks every file against the database's head (`recovery`). In a bucket that is new, or was not
published to for a while, the folder's files are uploaded.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

from api.log.recovery import RecoveryError, newest_checkpoint, own_checkpoint
from api.world.published.log_folder import LogFolder
from api.world.published.mirrored_log import AIDS, MirroredLog
from api.world.storage_failures import ChangedElsewhereError
from fairness.errors import Missing
from fairness.log.checkpoints import CHECKPOINT, Checkpoint
from fairness.log.notes import VerifierKey
from fairness.log.tiles import WIDTH, AuthenticTiles, bundle_path, filled_between, root_from_edge

NOT_OURS_THERE = (
    "Publish to an empty prefix; if somebody has written there, find out who may, and delete what is not yours"
)
_NEVER_CHANGED = ("commitments/", "witnessed/", "policies/", "custody/", "paytables/")

_logger = logging.getLogger("foredraw.sequencer")


def bring_together(log: LogFolder, key: VerifierKey) -> None:
    """Make the bucket of a log, if it has one, ready for the next checkpoint. Raises `RecoveryError`, or as the store
    does.
    """
    if not isinstance(log, MirroredLog):
        return
    if not log.objects.probe():
        _logger.warning(
            "%s does not honour conditional writes: nothing but the database keeps two services from publishing there",
            log.objects,
        )
    try:
        _bring_together(log, key)
    except ChangedElsewhereError as error:
        raise RecoveryError(str(error)) from error
    if (trouble := log.objects.refusal_of_what_is_missing()) is not None:
        _logger.warning("%s", trouble)


def _bring_together(log: MirroredLog, key: VerifierKey) -> None:
    try:
        found = log.objects.read(CHECKPOINT)
    except Missing:
        found = None
    log.seen(found)
    there = None if found is None else own_checkpoint(found[0], key, str(log.objects), NOT_OURS_THERE)
    here = newest_checkpoint(log, key)
    if there is not None and (here is None or there.size > here.size):
        _bring_forward(log, there, here)
        log.fetch(CHECKPOINT)
    elif here is not None:
        _check_extends(log, here, there)
        old = 0 if there is None else there.size
        if old < here.size:
            log.upload((path, None) for path in (*filled_between(old, here.size), *log.files(AIDS)))
    for folder in _NEVER_CHANGED:
        ours, theirs = set(log.files(folder)), set(log.objects.names(folder))
        log.upload((path, None) for path in sorted(ours - theirs))
        _fetch(log, sorted(theirs - ours))


def _bring_forward(log: MirroredLog, there: Checkpoint, here: Checkpoint | None) -> None:
    """Get what the folder lacks of the log of the bucket's checkpoint."""
    fetched = _fetch(log, (path for path in filled_between(0, there.size) if log.size(path) is None))

    def read(path: str) -> bytes:
        nonlocal fetched
        try:
            return log.read(path)
        except Missing:
            fetched += 1
            return log.fetch(path)

    tiles = AuthenticTiles(there, read)
    if there.size % WIDTH:
        read(bundle_path(there.size // WIDTH, there.size % WIDTH))
    _check_extends(log, there, here, tiles)
    if fetched:
        # The finding aids of a folder that lacked a tile are old, too.
        fetched += _fetch(log, log.objects.names(AIDS))
        _logger.warning("%d files of the log were brought from %s", fetched, log.objects)


def _fetch(log: MirroredLog, paths: Iterable[str]) -> int:
    return sum(1 for path in paths if log.fetch(path))


def _check_extends(
    log: MirroredLog, new: Checkpoint, old: Checkpoint | None, tiles: AuthenticTiles | None = None
) -> None:
    """Raise `RecoveryError` unless the log of one checkpoint begins with that of the other: in folder and bucket is
    one log.
    """
    if old is None:
        return
    tiles = tiles or AuthenticTiles(new, log.read)
    if root_from_edge(tiles.prefix_edge(old.size)) != old.root:
        raise RecoveryError(
            f"the log's folder and {log.objects} are not the same log: of {old.size} records, one has another root. Nothing"
            " was signed. Publish to an empty prefix, or put back the folder and the database that belong to this bucket"
        )
