"""The published log at its address, read by a machine that has no folder of it (``docs/machines.md``, "Readers").

Nothing that the address answers is believed: a file is judged by the newest checkpoint that was found good, and only
then used or kept; otherwise it is asked for once more, and then refused. So nothing false outlasts a fault of the
address.

The checkpoint is fetched at most ten times a second, whoever asks. It is good if the log's key signed it, if the
tiles at its edge lead to its root, and if its log begins with the one of the last that was good. While there is none,
the last one holds, because what was published stays so.
"""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from api.settings import Proxy
from api.sharing.bounded import BoundedCache
from api.world.durable import write_durably
from api.world.published.published_log import PublishedLog
from api.world.published.web_files import Refused, WebFiles
from fairness.checks import Check
from fairness.draws.commitments import split_commitments_file
from fairness.errors import CheckFailed, ForedrawError, Malformed, Missing, Unreadable
from fairness.hashing import leaf_hash, sha256
from fairness.log.checkpoints import CHECKPOINT, SignedCheckpoint
from fairness.log.fork import Fork, fork_between
from fairness.log.notes import VerifierKey
from fairness.log.proof import TlogProof
from fairness.log.tiles import WIDTH, AuthenticTiles, bundle_path, split_bundle, tile_path, tile_width
from fairness.policy.custody import check_policy_hash, policy_hash_in
from fairness.round.finding_aids import RoundPositions, TablePositions
from fairness.round.log_files import largest_file
from games.bets.paytable.read import check_hash

LOOKS_EVERY = 0.1
"""Seconds between two looks at the checkpoint."""
MOST_KEPT = 64 * 1024 * 1024
"""Bytes of files that were found good and are kept, in each process."""
_DOUBTS_EVERY = 1.0
"""Seconds between two looks at the file that was found false last."""
_TILE = re.compile(r"tile/(entries|\d{1,2})/((?:x\d{3}/)*\d{3})(?:\.p/(\d{1,3}))?", re.ASCII)

Roots = tuple[int, list[bytes]]
"""How many rounds a batch has, and the root of each custodian's commitments, as its published record says."""
Found = TypeVar("Found")

_logger = logging.getLogger("foredraw.log")


class RemoteLog(PublishedLog):
    """A log that is read over HTTP: ``folder`` is only where this machine keeps its own files."""

    def __init__(self, address: str, folder: Path, key: VerifierKey, proxy: Proxy | None = None) -> None:
        """``key`` is the log's, ``proxy`` that of the settings."""
        self.folder, self._key = folder, key
        self._files = WebFiles(address, proxy)
        self._kept: BoundedCache[str, bytes] = BoundedCache(MOST_KEPT, len)
        self._head: SignedCheckpoint | None = None
        """The last checkpoint that was good."""
        self._tiles: AuthenticTiles | None = None
        """Its log."""
        self._changes = 0
        """How often the checkpoint has changed."""
        self._looked = self._doubted = float("-inf")
        self._looking = threading.Lock()
        self._trouble: str | None = None
        """Why the checkpoint that was fetched last is not good."""
        self._accused: bytes | None = None
        """The evidence of two histories that was reported last."""
        self._doubt: tuple[str, str] | None = None
        """The path of the file that was found false last and has not been good since, and what was wrong."""
        self.roots_of: Callable[[bytes], Roots | None] = lambda _: None
        """What the published record of a batch says of its commitments; `None` if it is not found."""

    @property
    def trouble(self) -> str | None:
        """What the address answers that is not this log's, in a sentence with the remedy; `None` if it is well."""
        wrong = self._trouble or (None if self._doubt is None else self._doubt[1])
        return (
            None
            if wrong is None
            else (
                f"{self._files.address} (FOREDRAW_LOG) does not answer with the files of {self._key.name}: {wrong}. Look at this"
                " address, at what answers there, and at FOREDRAW_LOG_KEY. What was read before holds, and this machine goes on by itself"
            )
        )

    def read(self, path: str) -> bytes:
        """Return one file of the log, as the last good checkpoint has it. Raises `Unreadable`; `Missing` if it does
        not exist.
        """
        if path == CHECKPOINT:
            self.stamp(path)
            if self._head is None:
                raise Missing(path, self.trouble or "no such file at the log's address")
            return self._head.note
        if (kept := self._kept.get(path)) is not None:
            return kept
        if (find := self._way_to(path)) is None:
            raise Unreadable(path, "nothing is published yet by which it could be judged")
        return self._good(path, find)

    def pass_on(self, path: str) -> tuple[bytes, bool]:
        """Return the same for somebody else, and whether it was judged: what no good checkpoint covers yet is passed
        on as it is.

        A witness that replays asks for that; it judges by the checkpoint that it was sent.
        """
        if path == CHECKPOINT or path in self._kept:
            return self.read(path), True
        if (find := self._way_to(path)) is None:
            self.stamp(CHECKPOINT)
            find = self._way_to(path)
        return (_twice(lambda: self._fetch(path)), False) if find is None else (self._good(path, find), True)

    def read_part(self, path: str, offset: int, size: int) -> bytes:
        """Return up to ``size`` bytes of a file; empty if it is missing or ends before."""
        try:
            return self.read(path)[offset : offset + size]
        except Missing:
            return b""

    def stamp(self, path: str) -> tuple[int, int]:
        """Change whenever the checkpoint does; (0, 0) before the first. Nothing else has a stamp."""
        if path != CHECKPOINT:
            raise ValueError(path)
        # A caller that comes while another one looks gets the last one.
        if time.monotonic() - self._looked >= LOOKS_EVERY and self._looking.acquire(blocking=not self._changes):
            try:
                self._look()
            finally:
                self._looking.release()
        return (1, self._changes) if self._changes else (0, 0)

    def close(self) -> None:
        """Close the connections."""
        self._files.close()

    def _look(self) -> None:
        try:
            self._trouble = _twice(self._look_once)
        except ForedrawError as error:
            self._trouble = str(error)
        self._looked = time.monotonic()
        if self._doubt is not None and self._looked - self._doubted >= _DOUBTS_EVERY:
            self._doubted = self._looked
            with suppress(ForedrawError):
                # If it is good by now, the doubt is over.
                self.pass_on(self._doubt[0])

    def _look_once(self) -> str | None:
        """Take the checkpoint that is there if it is good; returns why an older one, or another history, is not
        taken.
        """
        head, last = SignedCheckpoint.open(self._fetch(CHECKPOINT), self._key), self._head
        if last is None or head.checkpoint != last.checkpoint:
            is_older = last is not None and head.checkpoint.size < last.checkpoint.size
            tiles = (self._tiles if is_older else None) or AuthenticTiles(head.checkpoint, self._unjudged)
            if last is not None and (fork := fork_between(last, head, lambda _: tiles)) is not None:
                return self._accuse(fork, head, last)
            if is_older and last is not None:
                return (
                    f"its checkpoint is of {head.checkpoint.size} records, and this machine has seen one of"
                    f" {last.checkpoint.size}, which holds: an older copy of the log is published there"
                )
            self._tiles = tiles
        if last is None or head.note != last.note:
            self._head = head
            self._changes += 1
        return None

    def _accuse(self, fork: Fork, head: SignedCheckpoint, last: SignedCheckpoint) -> str:
        """Keep the evidence of two histories, before anything is said; returns what was seen."""
        data = bytes(fork)
        file, first = self.folder / f"fork-{sha256(data).hex()[:16]}", data != self._accused
        self._accused = data
        kept = f"{file.name} has the evidence, which `foredraw-verify evidence` checks"
        try:
            if not file.exists():
                write_durably(file, data)
        except OSError as error:
            kept = (
                f"the evidence cannot be written ({error.strerror or error}), and the messages have both checkpoints"
            )
        seen = (
            f"its checkpoint is of {head.checkpoint.size} records, and is of another history than the one of"
            f" {last.checkpoint.size} that this machine has seen: the log's key signed both, and {kept}"
        )
        if first:
            _logger.critical("%s: %s. They are: %r and %r", self._files.address, seen, last.note, head.note)
        return seen

    def _way_to(self, path: str) -> Callable[[], bytes] | None:
        """Return what gets a file and returns it if it is good, and raises `ForedrawError` otherwise; `None` if
        nothing can tell.
        """
        folder, name = path.partition("/")[0], path.rpartition("/")[2]
        match folder:
            case "tile":
                return self._way_to_tile(path)
            case "witnessed":
                return lambda: _checked_by(
                    lambda data: TlogProof.parse(data).check(bytes.fromhex(name), self._key), self._fetch(path)
                )
            case "commitments":
                return self._way_to_commitments(path, bytes.fromhex(name))
            case "policies" | "paytables":
                check = check_hash if folder == "paytables" else _check_is_policy
                return lambda: _checked_by(lambda data: check(data, name), self._fetch(path))
            case "custody":
                return lambda: _checked_by(_check_is_note, self._fetch(path))
            case _:
                return self._way_to_aid(path)

    def _way_to_commitments(self, path: str, batch_id: bytes) -> Callable[[], bytes] | None:
        if (roots := self.roots_of(batch_id)) is None:
            return None
        count, each = roots
        return lambda: _checked_by(
            lambda data: split_commitments_file(data, count=count, roots=each, where=path), self._fetch(path)
        )

    def _way_to_aid(self, path: str) -> Callable[[], bytes]:
        """Return the way to one of the aids, which are hints: whatever they lead to is judged."""
        aids = TablePositions if path.startswith("find/tables/") else RoundPositions
        return lambda: _checked_by(aids.parse_file, self._fetch(path))

    def _way_to_tile(self, path: str) -> Callable[[], bytes] | None:
        matched, tiles = _TILE.fullmatch(path), self._tiles
        if matched is None or tiles is None:
            return None
        number, width = int(re.sub(r"\D", "", matched[2])), int(matched[3] or WIDTH)
        if matched[1] == "entries":
            spelled, level = bundle_path(number, width), 0
        else:
            spelled, level = tile_path(int(matched[1]), number, width), int(matched[1])
        if spelled != path or tile_width(tiles.checkpoint.size, level, number) < width:
            return None
        if matched[1] != "entries":
            return lambda: b"".join(tiles.tile(level, number)[:width])

        def check(data: bytes) -> None:
            leaves = [leaf_hash(record) for record in split_bundle(data, count=width, where=path)]
            if leaves != tiles.tile(0, number)[:width]:
                raise CheckFailed(Check.BUNDLE, expected="the records of the tree", found="others", where=path)

        return lambda: _checked_by(check, self._fetch(path))

    def _good(self, path: str, find: Callable[[], bytes]) -> bytes:
        """Return a file that is good; it is kept, unless it changes."""
        try:
            data = _twice(find)
        except ForedrawError as error:
            # A partial file is missing or refused once there is a full one, and strangers ask for what there never
            # was.
            is_expected = isinstance(error, Missing | Refused if ".p/" in path else Missing)
            if not is_expected or (path.startswith("tile/") and ".p/" not in path):
                self._doubt, self._doubted = (path, str(error)), time.monotonic()
            if isinstance(error, Unreadable):
                raise
            raise Unreadable(path, f"what the log's address has there is not this log's: {error}") from error
        if self._doubt is not None and self._doubt[0] == path:
            self._doubt = None
        if not path.startswith(("find/", "custody/")):
            self._kept.put(path, data)
        return data

    def _unjudged(self, path: str) -> bytes:
        """Read it for `AuthenticTiles`, which judges."""
        kept = self._kept.get(path)
        return self._fetch(path) if kept is None else kept

    def _fetch(self, path: str) -> bytes:
        return self._files.get(path, largest_file(path))


def _twice(work: Callable[[], Found]) -> Found:
    """Do something once more if it fails: what was read may have been replaced between two reads, or damaged on its
    way.
    """
    try:
        return work()
    except Missing:
        raise
    except ForedrawError:
        return work()


def _check_is_policy(data: bytes, name: str) -> None:
    """Check it by its hash, which a note names."""
    check_policy_hash(data, bytes.fromhex(name))


def _check_is_note(data: bytes) -> None:
    """Check that it is a custodian's note, by any signer: its key is in policies, and a reader need not have one, so
    nothing of it is kept.
    """
    if policy_hash_in(data) is None:
        raise Malformed("a custodian's note", expected="a line for its policy", found=data[:64])


def _checked_by(check: Callable[[bytes], object], data: bytes) -> bytes:
    check(data)
    return data
