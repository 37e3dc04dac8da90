"""The published log at its address, read by a machine that has no folder of it (``docs/operating.md``, "Readers").

Whatever is read is checked against the checkpoint by those who use it, as anybody's copy of a log would be. Files that
never change are kept. The checkpoint is fetched at most ten times a second, whoever asks; while the address does not
answer, the last one holds, because what was published stays so.
"""

from __future__ import annotations

import threading
import time
from http import HTTPStatus
from http.client import HTTPException
from pathlib import Path

import urllib3

from api.sharing.bounded import BoundedCache
from api.world.log_folder import LogFolder
from api.world.storage_failures import ServerFailure
from fairness.errors import ForedrawError, Missing, Unreadable
from fairness.log.checkpoints import CHECKPOINT, Checkpoint
from fairness.log.notes import VerifierKey

LARGEST_FILE = 64 * 1024 * 1024
"""Bytes. A bundle has at most 256 records of 64 KiB."""
LOOKS_EVERY = 0.1
_PATIENCE = 5.0
_REMEMBERED = 512
_CHANGING = "find/"
_HEADERS = {"Accept-Encoding": "identity", "User-Agent": "foredraw/1"}


class RemoteLog(LogFolder):
    """A log that is read over HTTP. Nothing is written: ``folder`` is only where this machine keeps its own files."""

    def __init__(self, address: str, folder: Path, key: VerifierKey) -> None:
        """``key`` is the log's: of two checkpoints that it signed, the one with fewer records is not taken after the other."""
        super().__init__(folder)
        self._key, self._signed_size = key, 0
        self._address = address.rstrip("/")
        self._pool = urllib3.PoolManager(maxsize=16, retries=False, timeout=_PATIENCE)
        self._kept: BoundedCache[str, bytes] = BoundedCache(_REMEMBERED)
        self._note = b""
        self._changes = 0
        """How often the checkpoint has changed."""
        self._looked = -LOOKS_EVERY
        self._looking = threading.Lock()
        self.trouble: str | None = None
        """Why the checkpoint could not be fetched when it was last tried; `None` if it was."""

    def read(self, path: str) -> bytes:
        """One file of the log. Raises `Unreadable`; `Missing` if it does not exist."""
        if path == CHECKPOINT:
            self.stamp(path)
            if not self._note:
                raise Missing(path, self.trouble or "no such file at the log's address")
            return self._note
        kept = self._kept.get(path)
        if kept is None:
            kept = self._fetch(path)
            if not path.startswith(_CHANGING):
                self._kept.put(path, kept)
        return kept

    def read_part(self, path: str, offset: int, size: int) -> bytes:
        """Up to ``size`` bytes of a file; empty if it is missing or ends before."""
        try:
            return self.read(path)[offset : offset + size]
        except Missing:
            return b""

    def size(self, path: str) -> int | None:
        """How many bytes a file has; `None` if it is missing."""
        try:
            return len(self.read(path))
        except Missing:
            return None

    def stamp(self, path: str) -> tuple[int, int]:
        """Changes whenever the checkpoint does; (0, 0) before the first. Nothing else has a stamp."""
        if path != CHECKPOINT:
            raise ValueError(path)
        # Whoever comes while somebody looks gets the last one.
        if time.monotonic() - self._looked >= LOOKS_EVERY and self._looking.acquire(blocking=not self._changes):
            try:
                self._look()
            finally:
                self._looking.release()
        return (1, self._changes) if self._changes else (0, 0)

    def close(self) -> None:
        """Close the connections."""
        super().close()
        self._pool.clear()

    def write(self, path: str, data: bytes) -> None:  # noqa: ARG002 -- as its base has it
        """Refuse: only the sequencer's machine writes. Raises `ServerFailure`."""
        raise ServerFailure(f"this machine only reads the log: {path} is written where the sequencer runs")

    def _look(self) -> None:
        try:
            note = self._fetch(CHECKPOINT)
        except (Missing, Unreadable) as error:
            self.trouble = f"{error}. What was read before holds; new rounds show when the address answers"
        else:
            size = self._size_of(note)
            if size is not None and size < self._signed_size:
                self.trouble = (
                    f"{self._address} has a checkpoint of {size} records, and this machine has seen one of"
                    f" {self._signed_size}, which holds: an older copy of the log is published there"
                )
            else:
                self.trouble = None
                self._signed_size = self._signed_size if size is None else size
                if note != self._note:
                    self._note = note
                    self._changes += 1
        self._looked = time.monotonic()

    def _size_of(self, note: bytes) -> int | None:
        """How many records a checkpoint has; `None` if the log's key did not sign it, which those who read it find out."""
        try:
            return Checkpoint.open(note, self._key).size
        except ForedrawError:
            return None

    def _fetch(self, path: str) -> bytes:
        where = f"{self._address}/{path}"
        try:
            with self._pool.request(
                "GET", where, headers=_HEADERS, redirect=False, preload_content=False
            ) as response:
                data = response.read(LARGEST_FILE + 1)
                # What is left unread would be another answer's beginning.
                if response.status != HTTPStatus.OK or len(data) > LARGEST_FILE:
                    response.close()
        except (urllib3.exceptions.HTTPError, HTTPException, OSError) as error:
            raise Unreadable(path, f"{self._address} cannot be read ({type(error).__name__})") from error
        if response.status in {HTTPStatus.NOT_FOUND, HTTPStatus.GONE}:
            raise Missing(path, f"no such file at {self._address}")
        if response.status != HTTPStatus.OK or len(data) > LARGEST_FILE:
            raise Unreadable(path, f"{self._address} answers with the status {response.status}")
        return bytes(data)
