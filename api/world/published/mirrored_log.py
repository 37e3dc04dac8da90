"""The log's folder of a service that publishes to a bucket: every write goes to the folder, and then to the bucket.

The folder stays whole, so that nothing that reads it depends on a store far away, and the published log has a copy.
What ``/checkpoint`` covers is what is published; therefore

- a file of a batch, ``commitments/`` or ``witnessed/``, or of a table, ``paytables/``, is in both places when `write`
  returns;
- tiles, bundles and finding aids are collected, and uploaded side by side before the next ``/checkpoint``; tiles and
  bundles before any witness is asked to cosign it, because one may replay what is in the bucket;
- ``/checkpoint`` is exchanged in the bucket first, by compare-and-swap on the ETag of the one that this program has
  seen there. A crash after that leaves the folder's older, and `api.log.mirroring` brings it forward at the next
  start.

Tiles and bundles are written once. An object with other bytes ends the program: it is another log's, or somebody
else's.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from api.settings import Bucket, Proxy, SettingsError
from api.world.published.log_folder import TILES, LogFolder, Part
from fairness.log.checkpoints import CHECKPOINT
from fairness.log.edge import File

if TYPE_CHECKING:
    from api.world.published.bucket import Objects

AIDS = "find/"
_AT_ONCE = 16
"""Uploads side by side: a store answers each in some tens of milliseconds, however many there are."""


def open_objects(bucket: Bucket, proxy: Proxy | None = None) -> Objects:
    """Return the objects of a bucket, by the proxy of the settings if that is the way; nothing is asked yet. Raises
    `SettingsError`.
    """
    try:
        # An extra's package, which a service without a bucket does not need.
        from api.world.published.bucket import Objects  # noqa: PLC0415 -- an extra, and slow to import
    except ImportError:
        raise SettingsError(
            "FOREDRAW_PUBLISH: the package for S3 is missing: install foredraw with the extra `s3`"
        ) from None
    return Objects(bucket, proxy)


class MirroredLog(LogFolder):
    """The public folder of a log, and the same in a bucket. Writing raises `ServerFailure` while the store is
    away.
    """

    def __init__(self, folder: Path, objects: Objects) -> None:
        super().__init__(folder)
        self.objects = objects
        self._seen: str | None = None
        """The ETag of the checkpoint that this program has seen in the bucket, or left there."""
        self._waiting: dict[str, bytes | None] = {}
        """What has to be uploaded before the next checkpoint; `None` stands for a finding aid as it is then."""
        self._lock = threading.Lock()
        self._settling = threading.Lock()
        """Held while files are uploaded: of two uploads of one finding aid, the older must not come last."""

    def write(self, path: str, data: bytes) -> None:
        """Put a file there, durably and in one piece; what a checkpoint has to cover, is published with the
        checkpoint.
        """
        if path == CHECKPOINT:
            self.settle()
            self._seen = self.objects.exchange(path, data, self._seen)
            super().write(path, data)
            return
        super().write(path, data)
        if path.startswith((TILES, AIDS)):
            self._upload_later(path, data if path.startswith(TILES) else None)
        else:
            self.objects.create(path, data)

    def write_all(self, files: Sequence[File]) -> None:
        """Put tiles and bundles there, durably; the next checkpoint waits until they are in the bucket."""
        super().write_all(files)
        for path, data in files:
            self._upload_later(path, data)

    def write_soon(self, path: str, data: bytes) -> None:
        """Put a file there in one piece; the next checkpoint waits until it is in the bucket."""
        super().write_soon(path, data)
        self._upload_later(path, data)

    def write_parts(self, path: str, parts: Iterable[Part]) -> None:
        """Write into a finding aid; the next checkpoint waits until all of it is in the bucket."""
        super().write_parts(path, parts)
        self._upload_later(path, None)

    def sync(self, path: str) -> None:
        """Make earlier `write_parts` calls on a file durable, in both places."""
        self.settle()
        super().sync(path)

    def remove_partials(self, path: str) -> None:
        """Drop the partial files of a tile or bundle: first in the bucket, so that a crash forgets none of them."""
        if widths := self.partial_widths(path):
            self.objects.remove(f"{path}.p/{width}" for width in widths)
        super().remove_partials(path)

    def settle(self, below: str = "") -> None:
        """Upload what waits ``below`` a folder. When it returns, all of it can be read from the bucket; what failed,
        waits on.
        """
        with self._settling:
            with self._lock:
                waiting = {path: data for path, data in self._waiting.items() if path.startswith(below)}
                self._waiting = {path: data for path, data in self._waiting.items() if path not in waiting}
            try:
                self.upload(waiting.items())
            except BaseException:
                with self._lock:
                    self._waiting = waiting | self._waiting
                raise

    def settle_again(self, paths: Iterable[str]) -> None:
        """Upload what a bucket may lack that was exchanged for another one."""
        self.upload((path, None) for path in paths)

    def upload(self, files: Iterable[tuple[str, bytes | None]]) -> None:
        """Put files into the bucket, side by side; of those without bytes, what the folder has."""
        files = list(files)
        if not files:
            return
        with ThreadPoolExecutor(min(_AT_ONCE, len(files)), thread_name_prefix="upload") as pool:
            # Each result is asked for, because that raises what went wrong.
            for _ in pool.map(lambda file: self._put(*file), files):
                pass

    def seen(self, checkpoint: tuple[bytes, str] | None) -> None:
        """Note what stands at the bucket's ``/checkpoint`` before this program writes there: bytes and ETag."""
        self._seen = None if checkpoint is None else checkpoint[1]

    def fetch(self, path: str) -> bytes:
        """Return a file of the bucket, put into the folder. Raises `Missing`."""
        data, _ = self.objects.read(path)
        super().write(path, data)
        return data

    def _upload_later(self, path: str, data: bytes | None) -> None:
        with self._lock:
            self._waiting[path] = data

    def _put(self, path: str, data: bytes | None) -> None:
        if path.startswith(AIDS):
            self.objects.replace(path, self.read(path))
        else:
            self.objects.create(path, self.read(path) if data is None else data)
