"""States of a data folder that need somebody: how each comes about, what is said about it, and the next command."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from api.log.keys import short
from api.settings import Settings
from api.store.contents import decode_state
from fairness.log.checkpoints import Checkpoint
from fairness.log.merkle import EMPTY_ROOT
from fairness.log.notes import SigningKey
from fairness.round.finding_aids import RoundPositions, place_in_file, rounds_path
from tests.api.programs.doctor.asked import DRAW
from tests.support.damage import flip_bit, smash
from tests.support.in_process_service import ORIGIN


@dataclass(frozen=True)
class State:
    """A state of the folder: how it comes about, what is said about it, and the next command."""

    spoil: Callable[[Settings, Path], object]
    about: str
    says: str
    then: str


def change(settings: Settings, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(settings.database)) as connection, connection:
        assert connection.execute(statement, values).rowcount > 0


def older(settings: Settings, old: Path, *parts: str) -> None:
    """Parts of the folder are from an old back-up."""
    for part in parts:
        if part == "foredraw.db":
            for file in settings.folder.glob("foredraw.db*"):
                file.unlink()
        here = settings.folder / part
        if here.is_dir():
            shutil.rmtree(here)
            shutil.copytree(old / part, here)
        else:
            shutil.copy2(old / part, here)


def cut(file: Path, size: int) -> None:
    """In a file of its own: copies of a log share theirs."""
    data = file.read_bytes()
    file.unlink()
    file.write_bytes(data[:size])


def no_database(settings: Settings, _: Path) -> None:
    for file in settings.folder.glob("foredraw.db*"):
        file.unlink()


def no_database_and_no_log(settings: Settings, _: Path) -> None:
    no_database(settings, _)
    shutil.rmtree(settings.log)


def no_sqlite(settings: Settings, _: Path) -> None:
    no_database(settings, _)
    settings.database.write_bytes(b"x" * 9000)


def emptied(settings: Settings, _: Path) -> None:
    """As a crash can leave it."""
    no_database(settings, _)
    settings.database.touch()


def another_schema(settings: Settings) -> None:
    change(settings, "UPDATE alembic_version SET version_num = '0003'")


def copy_key(key: Path, name: str) -> None:
    shutil.copy2(key, key.with_name(name))


def replaced(file: Path, at: int) -> None:
    """A bit is flipped in a file of its own: copies of a log share theirs."""
    data = bytearray(file.read_bytes())
    data[at % len(data)] ^= 1
    file.unlink()
    file.write_bytes(data)


BATCH, SALT, LOCK, REVEAL = range(4)


def mislead(settings: Settings, column: int, before: int, to: int = 3) -> None:
    """One position of a round of a table, so many before the next one, is noted elsewhere, long ago."""
    change(settings, "UPDATE head SET noted = size")
    with closing(sqlite3.connect(settings.database)) as connection:
        query = "SELECT name, table_id, queued_state FROM tables WHERE name = ?"
        _, table_id, state = connection.execute(query, (DRAW,)).fetchone()
    number = decode_state(state).next_round - before
    file = settings.log / rounds_path(bytes.fromhex(table_id), number)
    data = bytearray(file.read_bytes())
    at = place_in_file(number) * RoundPositions.SIZE + 8 * column
    data[at : at + 8] = to.to_bytes(8, "big")
    file.unlink()
    file.write_bytes(data)


ASTRAY = {
    "at the next round": (BATCH, 0),
    "at the last of a past file's batch": (BATCH, 20),
    "at a past lock": (LOCK, 1),
    "at a past reveal": (REVEAL, 5),
    "at a reveal that is missing": (REVEAL, 9, 0),
    "at a round that is not locked": (LOCK, 0),
    "at a salt that is none": (SALT, 2),
}
"""Which positions of which rounds, counted back from the next one, and where they lead if not to record 3."""
OTHER, SAME_NAME = SigningKey("casino.example/log", bytes(32)), SigningKey(ORIGIN, bytes(32))
COPY = "from a copy of the log"
AGAIN = "foredraw doctor"
STATES = {
    "no signing key": State(
        lambda s, _: s.signing_key.unlink(),
        "keys",
        r"log-signing.key is missing: put it back from your backup of keys, .* takes no more records: its rounds that are locked"
        r" are never revealed.* Only if .* run `foredraw init` in another folder, never in this one.* cannot keep what",
        AGAIN,
    ),
    "a signing key for all": State(
        lambda s, _: s.signing_key.chmod(0o644), "keys", r"can be read by others: run chmod 600 on it", AGAIN
    ),
    "no key of the seeds": State(
        lambda s, _: s.seeds_key.unlink(),
        "keys",
        r"seed-encryption.key is missing: put it back from your backup of keys, .* no seed of a committed round can be read: .*"
        r" Only if .* run `foredraw init` in another folder, never in this one.* cannot keep what",
        AGAIN,
    ),
    "no keys": State(
        lambda s, _: shutil.rmtree(s.signing_key.parent),
        "keys",
        r"log.vkey is missing, and so is log-signing.key: put both back from your backup of keys",
        AGAIN,
    ),
    "no public key": State(
        lambda s, _: s.verifier_key.unlink(),
        "keys",
        r"log.vkey is missing: put it back from your backup of keys, or write the log's key",
        AGAIN,
    ),
    "a damaged public key": State(
        lambda s, _: s.verifier_key.write_text("no key"),
        "keys",
        r"holds no public key of a log .*write the log's key",
        AGAIN,
    ),
    "keys/ for all": State(
        lambda s, _: s.signing_key.parent.chmod(0o777),
        "permissions",
        "other accounts can write into keys/",
        "chmod 700",
    ),
    "a folder for all": State(
        lambda s, _: s.folder.chmod(0o777),
        "permissions",
        "the data folder is open to every account of this machine",
        "chmod -R o-w",
    ),
    "a log for all": State(
        lambda s, _: s.log.chmod(0o757),
        "permissions",
        "log is open to every account of this machine",
        "chmod -R o-w",
    ),
    "a database for all": State(
        lambda s, _: s.database.chmod(0o646),
        "permissions",
        "foredraw.db is open to every account of this machine",
        "chmod -R o-w",
    ),
    "a folder around it for all": State(
        lambda s, _: s.folder.parent.chmod(0o777),
        "permissions",
        "every account of this machine can write into .*put another folder in the place of",
        "chmod o-w",
    ),
    "no database": State(
        no_database,
        "folder",
        "holds no database: .* set FOREDRAW_DATABASE; otherwise put .* back, or run `foredraw rebuild`",
        "foredraw rebuild",
    ),
    "no database and no log": State(no_database_and_no_log, "folder", "keys and no log, so put log/ and", AGAIN),
    "a damaged page": State(
        lambda s, _: smash(s.database, "rounds"),
        "database",
        "foredraw.db is damaged .*keep a copy",
        "foredraw rebuild",
    ),
    "no database at all": State(
        no_sqlite,
        "database",
        "foredraw.db is damaged .*not a database",
        "foredraw rebuild",
    ),
    "a damaged row": State(
        lambda s, _: change(s, "UPDATE tables SET queued_state = x'00' WHERE name = 'keno-1'"),
        "table",
        f"the row of the table {DRAW} in the database is damaged",
        "foredraw rebuild",
    ),
    "damaged rules": State(
        lambda s, _: change(s, "UPDATE tables SET rules = 'x' WHERE name = 'keno-1'"),
        "table",
        f"the rules of the table {DRAW} in foredraw.db are damaged: no batch of it is committed",
        "foredraw rebuild",
    ),
    "a damaged row of what the log has": State(
        lambda s, _: change(s, "UPDATE appended SET state = x'00' WHERE \"table\" = 'keno-1'"),
        "table",
        f"the row of the table {DRAW} in the database is damaged",
        "foredraw rebuild",
    ),
    "a halted table": State(
        lambda s, _: change(
            s, "UPDATE tables SET halted = 'queue entry 7: reveal-seed: expected aa, found bb' WHERE name = 'keno-1'"
        ),
        "table",
        rf"table {DRAW} is halted \(queue entry 7: reveal-seed\): .*Start the service again",
        "foredraw rebuild",
    ),
    "a journal that was changed": State(
        lambda s, _: change(s, "UPDATE journal SET who = 'nobody' WHERE number = 1"),
        "journal",
        "the journal was changed: entry 2 was written after",
        "foredraw journal --verify",
    ),
    "an old database": State(
        lambda s, old: older(s, old, "foredraw.db"),
        "log",
        "the database is older than the published log",
        "foredraw rebuild",
    ),
    "an old log": State(
        lambda s, old: older(s, old, "log"),
        "log",
        "the log's folder is older than the database: .*newest copy",
        AGAIN,
    ),
    "an old log and an old database": State(
        lambda s, old: older(s, old, "log", "foredraw.db"),
        "log",
        "custodian has released the seed of round .*most likely from a backup",
        AGAIN,
    ),
    "an old custodian": State(
        lambda s, old: older(s, old, "custodian"),
        "custodian",
        "custodian/seeds.db lacks the seeds of rounds [0-9,]+ to [0-9,]+ of .*Put the newest copy of custodian/ back",
        AGAIN,
    ),
    "no custodian": State(
        lambda s, _: shutil.rmtree(s.secrets.parent),
        "custodian",
        "custodian/seeds.db is missing: .*newest copy",
        AGAIN,
    ),
    "a damaged custodian": State(
        lambda s, _: smash(s.secrets, "chains"),
        "custodian",
        "custodian/seeds.db is damaged .*never an older state",
        AGAIN,
    ),
    "a custodian for all": State(
        lambda s, _: s.secrets.parent.chmod(0o755),
        "permissions",
        "custodian/ is open to other accounts",
        "chmod 700",
    ),
    "no tile": State(lambda s, _: (s.log / "tile/0/000").unlink(), "log", f"not whole: .*tile/0/000.*{COPY}", AGAIN),
    "a torn tile": State(
        lambda s, _: cut(s.log / "tile/0/000", 8000), "log", f"not whole: .*tile/0/000.*{COPY}", AGAIN
    ),
    "no bundle": State(
        lambda s, _: (s.log / "tile/entries/000").unlink(), "log", f"not whole: .*tile/entries/000.*{COPY}", AGAIN
    ),
    "a torn bundle": State(
        lambda s, _: cut(s.log / "tile/entries/000", 400),
        "log",
        f"not whole: .*tile/entries/000.*{COPY}",
        AGAIN,
    ),
    "no checkpoint": State(
        lambda s, _: (s.log / "checkpoint").unlink(), "log", "checkpoint is missing, and the database has", AGAIN
    ),
    "a damaged checkpoint": State(
        lambda s, _: flip_bit(s.log / "checkpoint"), "log", "checkpoint in the log's folder is not ours", AGAIN
    ),
    "no log": State(lambda s, _: shutil.rmtree(s.log), "log", "log/ is missing.*newest copy", AGAIN),
    "an empty database": State(emptied, "database", "foredraw.db is empty.*companions", "foredraw rebuild"),
    "an empty custodian": State(
        lambda s, _: [file.write_bytes(b"") for file in s.secrets.parent.glob("seeds.db*")],
        "custodian",
        "custodian/seeds.db is empty.*never an older",
        AGAIN,
    ),
    "another schema": State(
        lambda s, _: another_schema(s),
        "database",
        "foredraw.db has revision 0003 of the schema, which this version of the service does not know",
        AGAIN,
    ),
    "the public key of another log": State(
        lambda s, _: s.verifier_key.write_text(f"{OTHER.verifier_key}\n"),
        "keys",
        r"keys/log.vkey is the key casino.example/log\+\w{8} of another log: log/checkpoint is signed by (fore.example/log\+\w{8}),"
        r" .*Put log.vkey of \1 back",
        AGAIN,
    ),
    "the signing key of another log": State(
        lambda s, _: s.signing_key.write_text(f"{OTHER.secret_text()}\n"),
        "keys",
        rf"log-signing.key is the key {re.escape(short(OTHER.verifier_key))} of another log: log/checkpoint is signed by"
        r" (fore.example/log\+\w{8}), and keys/log.vkey is \1. .*Put the key \1 of this log back from your backup of keys;"
        r" .* keep it",
        AGAIN,
    ),
    "another signing key of the same name": State(
        lambda s, _: s.signing_key.write_text(f"{SAME_NAME.secret_text()}\n"),
        "keys",
        rf"log-signing.key is the key {re.escape(short(SAME_NAME.verifier_key))} of another log: ",
        AGAIN,
    ),
    "no key at all in the place of the signing key": State(
        lambda s, _: s.signing_key.write_text(f"{bytes(32).hex()}\n"),
        "keys",
        "log-signing.key holds no signing key: restore",
        AGAIN,
    ),
    "both keys of another log": State(
        lambda s, _: [
            s.signing_key.write_text(f"{OTHER.secret_text()}\n"),
            s.verifier_key.write_text(f"{OTHER.verifier_key}\n"),
        ],
        "log",
        rf"checkpoint in the log's folder is not ours: .*expected a signature by {re.escape(short(OTHER.verifier_key))}, found only"
        r" fore.example/log\+.* put this log's own folder back, or its keys",
        AGAIN,
    ),
    "the seeds' key of another log": State(
        lambda s, _: s.seeds_key.write_text(f"{bytes(32).hex()}\n"),
        "keys",
        r"the seeds' key opens none of the \d+ batches .* Put keys/seed-encryption.key back",
        AGAIN,
    ),
    "a database of another log": State(
        lambda s, _: change(s, "UPDATE head SET origin = 'casino.example/log'"),
        "database",
        r"foredraw.db is of the log casino.example/log, and keys/log.vkey is fore.example/log\+",
        AGAIN,
    ),
    "a database of a log of the same name": State(
        lambda s, _: change(
            s, "UPDATE journal SET after = ? WHERE number = 1", json.dumps({"key": str(SAME_NAME.verifier_key)})
        ),
        "database",
        rf"foredraw.db is of the log {re.escape(short(SAME_NAME.verifier_key))}, and keys/log.vkey is"
        r" fore.example/log\+.* Put the database of this log back, or its keys",
        AGAIN,
    ),
    "a log of another log": State(
        lambda s, _: (s.log / "checkpoint").write_bytes(Checkpoint("casino.example/log", 0, EMPTY_ROOT).sign(OTHER)),
        "log",
        r"checkpoint in the log's folder is not ours: .* found only casino.example/log\+",
        AGAIN,
    ),
    "a rotation that was not finished": State(
        lambda s, _: copy_key(s.seeds_key, "seed-encryption.next"), "keys", "rotat", "foredraw key rotate"
    ),
    "a restore that was not finished": State(
        lambda s, _: (s.folder / "log.restoring").mkdir(),
        "restore",
        "log.restoring is what an interrupted `foredraw restore` was copying",
        "foredraw restore BACKUP",
    ),
    "two parts of a restore that was not finished": State(
        lambda s, _: [
            (s.folder / name).write_bytes(b"") for name in ("foredraw.db.restoring", "custodian/a.restoring")
        ],
        "restore",
        "and 1 more are what",
        "foredraw restore BACKUP",
    ),
    **{
        f"a finding aid that leads elsewhere, {what}": State(
            partial(lambda case, s, _: mislead(s, *case), case),
            "log",
            "find/rounds/[^ ]* is misleading: what should lead to records of keno-1 leads elsewhere",
            "rm -r /",
        )
        for what, case in ASTRAY.items()
    },
    "a tile that was changed": State(
        lambda s, _: replaced(s.log / "tile/1/000.p/1", 0),
        "log",
        f"not whole: the partial tiles of size .*{COPY}",
        AGAIN,
    ),
    "a bundle that was changed": State(
        lambda s, _: replaced(s.log / "tile/entries/000", 9000),
        "log",
        f"not whole: .*tile/entries/000.*{COPY}",
        AGAIN,
    ),
    "a log that cannot be written": State(
        lambda s, _: s.log.chmod(0o500), "permissions", "log is closed to the service's own account", "chmod -R"
    ),
    "a closed file": State(
        lambda s, _: s.database.chmod(0o400),
        "permissions",
        "foredraw.db is closed to the service's own account",
        "chmod -R",
    ),
}


OF_FILES = {
    *(
        "no database",
        "no database and no log",
        "no database at all",
        "a damaged page",
        "a damaged row",
        "damaged rules",
        "a damaged row of what the log has",
        "an empty database",
    ),
    *("an old database", "an old log and an old database", "another schema", "a closed file"),
    "a database for all",
    *(
        "a halted table",
        "a journal that was changed",
        "a database of another log",
        "a database of a log of the same name",
    ),
    *(name for name in STATES if name.startswith("a finding aid that leads elsewhere")),
}
"""They are made by changing the database's file."""
