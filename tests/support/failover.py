"""Two machines of one service: folders of their own, the database and the custodian's store on a server, one shared
log.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from fairness.hashing import leaf_hash
from fairness.log.checkpoints import Checkpoint
from fairness.log.merkle import root_of_hashes
from tests.support.postgres import PostgresServer
from tests.support.running_service import RunningService, initialised, wait_until
from verifier.cli import main

TABLE = "keno-1"
LEADS, STANDS_BY = "this sequencer leads", "stands by"


class Heads:
    """Every checkpoint that a reader of the log has seen, by a thread that reads all the time."""

    def __init__(self, service: RunningService) -> None:
        self._path, self._key = service.settings.log / "checkpoint", service.key
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._read)
        self.seen: list[Checkpoint] = []
        self.failure: BaseException | None = None

    def _read(self) -> None:
        try:
            while not self._stop.wait(0.002):
                head = Checkpoint.open(self._path.read_bytes(), self._key)
                if not self.seen or head != self.seen[-1]:
                    self.seen.append(head)
        except BaseException as error:  # noqa: BLE001 -- `check` reports whatever ended the reading
            self.failure = error

    def stop(self) -> None:
        """See no more: what is published later is not among the records that are read now."""
        self._stop.set()
        self._thread.join()

    def check(self, records: list[bytes]) -> None:
        """No head was smaller than one before it, and each is of the log as it is in the end."""
        assert self.failure is None, self.failure
        sizes = [head.size for head in self.seen]
        assert sizes == sorted(set(sizes))
        leaves = [leaf_hash(record) for record in records]
        for head in self.seen:
            assert head.size <= len(leaves)
            assert head.root == root_of_hashes(leaves[: head.size])

    @contextmanager
    def watching(self) -> Iterator[Heads]:
        """While this lasts."""
        self._thread.start()
        try:
            yield self
        finally:
            self.stop()


@contextmanager
def two_machines(
    folder: Path,
    postgres: PostgresServer,
    at: Callable[[str], AbstractContextManager[object]] = nullcontext,
    variables: Callable[[RunningService], Mapping[str, str]] = lambda _: {},
    options: tuple[str, ...] = (),
) -> Iterator[tuple[RunningService, RunningService]]:
    """The leader and the standby, both started with ``--standby``; ``at`` says where ``first`` and ``second`` are.

    Both have these ``variables`` besides, which may depend on the log's key, and these ``options``.
    """
    with at("first"):
        first = initialised(
            folder / "first",
            {TABLE: "keno-express"},
            options=("--standby", "--workers", "1", "--engine-workers", "1", *options),
            database=postgres.new_database(),
            seeds=postgres.new_database(),
        )
    first.variables = {**first.variables, **variables(first)}
    (folder / "second").mkdir()
    shutil.copytree(first.folder / "keys", folder / "second" / "keys")
    # In the place of a file system that both machines have mounted.
    (folder / "second" / "log").symlink_to(first.folder / "log")
    second = RunningService(
        folder / "second",
        first.token,
        first.batch_size,
        first.options,
        database=first.database,
        variables=first.variables,
    )
    try:
        with at("first"):
            first.start()
            first.settle()
        with at("second"):
            second.start()
        yield first, second
    finally:
        first.clean_up()
        second.clean_up()


def wait_for_leader(service: RunningService, terms: int = 1) -> None:
    """Wait until a service has begun so many terms."""
    wait_until(lambda: service.output.count(LEADS) >= terms, "the standby to lead")


def check_log(service: RunningService, heads: Heads) -> None:
    """All that a reader has seen is one log that only grew, and an audit of it passes."""
    heads.stop()
    heads.check(service.records())
    assert main(["audit", str(service.settings.log), "--key", str(service.key), "--json"]) == 0
