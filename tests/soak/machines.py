"""The service of a soak on its machines, with all that it stands on, and the faults of that.

On PostgreSQL there are two machines, a leader and a standby, with one log; on SQLite there is one. The log is
published to a bucket as well, and two of three witnesses have to see it.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from api.settings import Server
from fairness.log.notes import VerifierKey
from tests.soak.faults import Fault, Moments
from tests.soak.surroundings import ClockFaults, DiskFaults, FileFaults, ServerFaults, StoreFaults, WitnessFaults
from tests.support.dates import Date
from tests.support.our_witness import LAB_KEY, serving_witness
from tests.support.postgres import PostgresServer, postgres_server
from tests.support.proxy import Line, line_to
from tests.support.running_service import RunningService, initialised
from tests.support.s3_server import s3_server
from tests.support.small_disk import small_disk
from tests.support.witness_server import LocalWitness, listening
from tests.support.witnesses import PRESS, REGULATOR

_DISK_BYTES = 1 << 30
"""Of a disk that is filled now and then: more than an hour writes."""
_BATCH_SIZE = 200
_BUCKET = "published"


@dataclass
class Machines:
    """All of them, started when they have enough committed rounds."""

    tables: Mapping[str, str]
    timeout: int
    """Of a locked round whose engine has vanished, in seconds."""
    workers: int
    """Processes of each listener on each machine."""
    moments: Moments
    services: list[RunningService] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    published: list[str] = field(default_factory=list)
    """The addresses of the log."""

    def start(self, engine: str, folder: Path, stack: ExitStack) -> None:
        """Start them on one of `ENGINES`; the ``stack`` ends them."""
        if engine == "postgresql":
            self._make_two(folder, stack)
        else:
            self._make_one(folder, stack)
        workers = ("--workers", str(self.workers), "--engine-workers", str(self.workers))
        dates = [Date.at(folder / f"date-{number}") for number, _ in enumerate(self.services)]
        self.faults += ClockFaults(dates, self.moments).all
        for service, date in zip(self.services, dates, strict=True):
            service.options += workers
            service.variables = {**service.variables, **date.variables}
            stack.callback(service.clean_up)
            service.start()
            service.settle()
        self.published += [f"{service.url}/log" for service in self.services]

    def _make_one(self, folder: Path, stack: ExitStack) -> None:
        service = initialised(folder / "data", self.tables, batch_size=_BATCH_SIZE, timeout=self.timeout)
        disk = stack.enter_context(small_disk(service.folder, _DISK_BYTES))
        service.variables = self._make_outsiders(folder, stack, service.key)
        self.services.append(service)
        self.faults += DiskFaults(disk, self.moments).all + FileFaults(service.settings.database, self.moments).all

    def _make_two(self, folder: Path, stack: ExitStack) -> None:
        server = stack.enter_context(postgres_server())
        lines = [stack.enter_context(line_to(server.port)) for _ in range(2)]
        database, seeds = server.new_database(), server.new_database()
        first = initialised(
            folder / "first",
            self.tables,
            batch_size=_BATCH_SIZE,
            timeout=self.timeout,
            database=database,
            seeds=seeds,
        )
        disk = stack.enter_context(small_disk(first.settings.log, _DISK_BYTES))
        (folder / "second").mkdir()
        shutil.copytree(first.folder / "keys", folder / "second" / "keys")
        # In the place of a file system that both machines have mounted.
        (folder / "second" / "log").symlink_to(first.settings.log)
        outsiders = self._make_outsiders(folder, stack, first.key)
        for name, line in zip(("first", "second"), lines, strict=True):
            variables = {**outsiders, "FOREDRAW_CUSTODIAN": over(line, server, seeds).secret_address}
            self.services.append(
                RunningService(
                    folder / name,
                    first.token,
                    _BATCH_SIZE,
                    ("--standby",),
                    variables=variables,
                    database=over(line, server, database),
                )
            )
        self.faults += ServerFaults(server, lines, self.moments).all + DiskFaults(disk, self.moments).all

    def _make_outsiders(self, folder: Path, stack: ExitStack, key: VerifierKey) -> dict[str, str]:
        """A bucket and three witnesses, of which one replays what is in the bucket; returns the settings that name
        them.
        """
        store = stack.enter_context(s3_server(folder))
        store.make(_BUCKET)
        way = stack.enter_context(line_to(store.port))
        address = f"{store.url}/{_BUCKET}/log"
        others = [LocalWitness(each, lambda: int(time.time())) for each in (PRESS, REGULATOR)]
        for each in others:
            each.log = key
            stack.enter_context(listening(each))
        lab = stack.enter_context(serving_witness(folder / "witness", key, address))
        lines = [f"log {key}", f"witness lab {LAB_KEY.key} {lab.url}"]
        lines += [f"witness {each.name} {each.cosigner.key} {each.url}" for each in others]
        policy = folder / "policy"
        policy.write_text(
            "\n".join([*lines, "group outsiders 2 lab press regulator", "quorum outsiders", ""]), "utf-8"
        )
        self.published.append(address)
        self.faults += StoreFaults(store, way, self.moments).all + WitnessFaults(others, self.moments).all
        published = {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{way.port}", "FOREDRAW_PUBLISH": f"s3://{_BUCKET}/log"}
        return {**store.variables, **published, "FOREDRAW_POLICY": str(policy)}


def over(line: Line, server: PostgresServer, database: Server) -> Server:
    """The database's address by way of a line to its server."""
    return Server.parse(database.secret_address.replace(f":{server.port}/", f":{line.port}/"))
