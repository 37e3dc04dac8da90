"""An open connection to a database file. Statements run on it; only this package knows the driver."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from sqlite3 import Connection as DriverConnection
from sqlite3 import connect as connect_driver

_BUSY_MS = 10_000
_WAL_PAGES = 4000


@dataclass(frozen=True, slots=True)
class Connection:
    """What a statement runs on."""

    driver: DriverConnection


def connect(path: Path, factory: type[DriverConnection] = DriverConnection) -> Connection:
    """Open a database file, in WAL mode and with full durability; each statement stands alone unless a transaction is begun."""
    driver = connect_driver(path, isolation_level=None, check_same_thread=False, factory=factory)
    driver.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
    driver.execute("PRAGMA journal_mode = WAL")
    driver.execute("PRAGMA synchronous = FULL")
    driver.execute(f"PRAGMA wal_autocheckpoint = {_WAL_PAGES}")
    return Connection(driver)
