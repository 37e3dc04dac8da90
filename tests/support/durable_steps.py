"""The durable steps of the service, each by its name and with what brings it about; and what must hold after a kill
at one.

`POINTS` are reached in the folder and in the database, `BUCKET` where the log is published to a bucket, too;
`ELSEWHERE` says of every other place why no kill here reaches it, or what tests it.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import psycopg
from psycopg.sql import SQL, Identifier

from api.access.tokens import ALL_TABLES, Role, create_token, revoke_token, rotate_token
from api.custody.keys import check_not_rotating
from api.log import sequencer
from api.restore.rekey import rotate_seeds_key
from api.rounds.control import pause_table, set_table, stop_tables
from api.rounds.seeds import chain_of
from api.rounds.tables import add_table, request_close
from api.settings import DEFAULT_TIMEOUT, SettingsError
from fairness.log.checkpoints import CHECKPOINT
from fairness.log.tiles import WIDTH
from games.bets.paytable.read import check_hash, paytable_path
from tests.support.calls import call_of
from tests.support.crash_points import Act, dies_at
from tests.support.faulty_world import When
from tests.support.in_process_service import InProcessService, bets_of
from tests.support.postgres import PostgresServer
from verifier.audit.audit import audit_log
from verifier.sources.source import FolderSource, Source

FLIGHT, DRAW = "crash-1", "keno-1"


def play(running: InProcessService) -> None:
    """A round of each table, and whatever becomes due."""
    running.play(FLIGHT)
    running.play(DRAW)
    running.settle()


def void(running: InProcessService) -> None:
    """A round that never opened is voided."""
    running.void(DRAW, running.state(DRAW).next_round)


def read(running: InProcessService) -> None:
    """Somebody else asks for the outcome of a locked round."""
    number = running.state(FLIGHT).next_round
    running.open(FLIGHT, number)
    running.service.rounds.lock(FLIGHT, number, bets_of(FLIGHT, number), call=call_of(FLIGHT, number), by="somebody")
    running.service.rounds.locked_outcome(FLIGHT, number, by="else")


def deal(running: InProcessService) -> None:
    """A locked round's order, which was kept back, is asked for."""
    number = running.state(FLIGHT).next_round
    running.open(FLIGHT, number)
    running.service.rounds.lock(FLIGHT, number, bets_of(FLIGHT, number), call=call_of(FLIGHT, number), keep_back=True)
    running.service.rounds.next(FLIGHT, number, 1, 1)


def name_hands(running: InProcessService) -> None:
    """The engine of a round that ended by its time-out says who was dealt what, when the next one is locked."""
    name, rounds = f"cards-{len(running.states())}", running.service.rounds
    add_table(running.service.writer, name, "blackjack")
    running.settle()
    for number in (1, 2):
        running.open(name, number)
        rounds.lock(name, number, None, call=call_of(name, number), keep_back=True)
        rounds.next(name, number, 1, 2)
        if number == 1:
            running.clock.step(DEFAULT_TIMEOUT)
            running.settle()
    rounds.reveal(name, 1, dealt={"player": [1, 2]})


def add(running: InProcessService) -> str:
    """A table is added, and its first batch is committed."""
    name = f"dice-{len(running.states())}"
    add_table(running.service.writer, name, "sic-bo")
    running.settle()
    return name


def close(running: InProcessService) -> None:
    """A table is closed after its first round."""
    name = add(running)
    running.play(name)
    request_close(running.service.writer, name)
    running.settle()


def fill(running: InProcessService) -> None:
    """Until a bundle of the log is full."""
    bundle = running.size // WIDTH
    while running.size // WIDTH == bundle:
        play(running)


def often_noted(running: InProcessService) -> None:
    """Finding aids become durable."""
    sequencer.NOTED_EVERY = 1
    play(running)


def change_control(running: InProcessService) -> None:
    """The operator sets a time-out, pauses a table and stops them all; and lets them go on."""
    writer = running.service.writer
    set_table(writer, DRAW, timeout=400)
    for paused in (True, False):
        pause_table(writer, DRAW, paused=paused)
        stop_tables(writer, stopped=paused)


def change_tokens(running: InProcessService) -> None:
    """An account is made, gets another token, and is revoked."""
    database, clock, name = running.service.database, running.clock, f"engine-{running.clock.date.timestamp():.0f}"
    create_token(database, clock, name, Role.ENGINE, [ALL_TABLES])
    rotate_token(database, clock, name, overlap=timedelta(hours=1))
    revoke_token(database, clock, name)


def rotate(running: InProcessService) -> None:
    """The seeds' key is changed, with the service stopped; there are seeds that no batch points at."""
    running.service.custodian.commit(DRAW, bytes(32), first=1, count=1)
    running.stop()
    rotate_seeds_key(running.settings, by="ani")


def watch_drift(running: InProcessService) -> None:
    """The monitor writes down what it has counted."""
    play(running)
    running.service.monitor().turn()


def next_hour(running: InProcessService) -> None:
    """The clock's file is written each hour."""
    running.clock.step(4000)
    running.service.timekeeper.remember()


def fall_behind(running: InProcessService) -> None:
    """The folder is put back from an older state: the bucket has more at the next start."""
    checkpoint = running.settings.log / CHECKPOINT
    older = checkpoint.read_bytes()
    play(running)
    running.stop()
    with checkpoint.open("wb") as file:
        file.write(older)
    running.start()


class Point(NamedTuple):
    """A durable step: where the service makes it, and what brings it about."""

    place: str
    act: Act


POINTS = {
    "a round is opened": Point("rounds/calls.py Rounds.open change", play),
    "a round is locked": Point("rounds/calls.py Rounds.lock change", play),
    "a round is revealed": Point("rounds/calls.py Rounds.end change", play),
    "the hands of a round are named later": Point("rounds/calls.py Rounds.reveal change", name_hands),
    "a round is given up": Point("rounds/calls.py Rounds.void change", void),
    "an outcome was read before its reveal": Point("rounds/readings.py Readings.note note", read),
    "the next things of an order are given": Point("rounds/calls.py Rounds.next change", deal),
    "a table's mark is raised": Point("custody/custodian.py Custodian._raise raise_mark", play),
    "records are appended": Point("log/sequencer.py Sequencer._commit write", play),
    "a full tile or bundle": Point("log/sequencer.py Sequencer._write write_all", fill),
    "the log names its maker": Point("log/sequencer.py Sequencer._name_maker write", play),
    "a partial tile or bundle": Point("log/sequencer.py Sequencer._write write_soon", play),
    "partial tiles at a start": Point("log/sequencer.py Sequencer._finish write_soon", play),
    "a start's fresh try of halted tables": Point("log/sequencer.py Sequencer.__init__ write", play),
    "partial files are removed": Point("log/publishing.py clear_partials remove_partials", fill),
    "the finding aid of a round": Point("log/finding_aids.py AidsWriter.write write_parts", play),
    "the finding aids of a batch": Point("log/finding_aids.py AidsWriter._note_rounds write_parts", add),
    "the finding aid of a table": Point("log/finding_aids.py AidsWriter._note_table write", add),
    "finding aids are synced": Point("log/finding_aids.py AidsWriter.sync_some sync", often_noted),
    "how far finding aids are synced": Point("log/sequencer.py Sequencer._remember_noted write", often_noted),
    "the checkpoint": Point("log/publishing.py CheckpointFile.write write", play),
    "a table is added": Point("rounds/tables.py add_table write", add),
    "a new table's paytable": Point("log/paytable_files.py PaytableFiles.write write", add),
    "a batch's seeds are sealed": Point("custody/custodian.py Custodian.commit put_chain", add),
    "a batch's commitments": Point("rounds/commitments_files.py CommitmentsFiles.write write", add),
    "a batch is queued": Point("rounds/batches.py Batches.commit change", add),
    "a table's end is asked for": Point("rounds/tables.py request_close change", close),
    "a table ends": Point("rounds/keeper.py Keeper._close change", close),
    "a table is closed": Point("rounds/tables.py close_table change", close),
    "a table is set": Point("rounds/control.py set_table change", change_control),
    "a table is paused": Point("rounds/control.py pause_table change", change_control),
    "all tables are stopped": Point("rounds/control.py stop_tables write", change_control),
    "an account is made": Point("access/tokens.py create_token write", change_tokens),
    "an account gets another token": Point("access/tokens.py rotate_token write", change_tokens),
    "an account is revoked": Point("access/tokens.py revoke_token write", change_tokens),
    "what the monitor has counted is written": Point("operations/monitor.py Monitor._write write_bytes", watch_drift),
    "what the monitor has counted is put in place": Point(
        "operations/monitor.py Monitor._write replace", watch_drift
    ),
    "the clock is remembered": Point("world/timekeeper.py Timekeeper._write write_durably", next_hour),
    "a rotation is noted in the journal": Point("restore/rekey.py rotate_seeds_key note", rotate),
    "a rotation's new key": Point("custody/keys.py begin_rotation write_key", rotate),
    "all seeds are sealed again": Point("custody/rotation.py reseal reseal", rotate),
    "a rotation keeps the old key": Point("custody/keys.py finish_rotation write_key", rotate),
    "a rotation's new key takes its place": Point("custody/keys.py finish_rotation rename", rotate),
}

MIRROR = "world/published/mirrored_log.py MirroredLog"
BUCKET = {
    "whether the bucket exchanges": Point("log/mirroring.py bring_together probe", play),
    "a file that the folder lacks": Point(f"{MIRROR}.fetch write", fall_behind),
    "the bucket's checkpoint": Point(f"{MIRROR}.write exchange", play),
    "a file in the folder": Point(f"{MIRROR}.write write", play),
    "a batch's commitments in the bucket": Point(f"{MIRROR}.write create", add),
    "a full tile in the folder": Point(f"{MIRROR}.write_all write_all", fill),
    "a partial tile in the folder": Point(f"{MIRROR}.write_soon write_soon", play),
    "a tile or bundle in the bucket": Point(f"{MIRROR}._put create", play),
    "a finding aid in the folder": Point(f"{MIRROR}.write_parts write_parts", play),
    "a finding aid in the bucket": Point(f"{MIRROR}._put replace", play),
    "finding aids of the folder are synced": Point(f"{MIRROR}.sync sync", often_noted),
    "partial files are removed from the bucket": Point(f"{MIRROR}.remove_partials remove", fill),
    "partial files are removed from the folder": Point(f"{MIRROR}.remove_partials remove_partials", fill),
}
"""The same of a service that publishes to a bucket."""

BY_ITSELF = "one transaction, on which no round depends"
STATUSES = "it is given again a second later: tests/api/operations/test_shared_signs.py"
NOTED = "one entry of the journal, after what it is about"
STOPPED = "with the service stopped: tests/api/restore"
NEW = "before there is a log: tests/api/programs/test_cli.py"
WITNESSED = "tests/api/witnesses/test_restarts.py"
ELSEWHERE = {
    "access/presented.py _note_use write_if_free": "when a token was last used: it may be lost",
    "access/sessions.py Sessions.begin write": BY_ITSELF,
    "access/sessions.py Sessions.end write": BY_ITSELF,
    "access/sessions.py Sessions.find write": BY_ITSELF,
    "bets/par/command.py write_par write_bytes": "a document that is made again: tests/api/bets",
    "beacon/node.py Node.create write_key": "a demo's beacon: tests/api/beacon/test_node.py",
    "custody/keys.py create_seeds_key write_key": NEW,
    "integrity/integrity.py Integrity._note note": NOTED,
    "journal/clock.py confirm_clock note": BY_ITSELF,
    "journal/policies.py Policies.look note": BY_ITSELF,
    "log/finding_aids.py AidsWriter.drop_wrong write": "a start makes it again: tests/api/faults/test_storage.py",
    "log/keys.py create_log_keys write_durably": NEW,
    "log/keys.py create_log_keys write_key": NEW,
    "log/leadership.py Leadership._begin write": "who leads, with one or two sequencers: tests/api/log/test_leadership.py",
    "log/paytable_files.py PaytableFiles.check write": "a lost file: tests/api/log/test_paytable_files.py",
    "log/paytable_files.py PaytableFiles._take_over write": "a file that came back: tests/api/log/test_paytable_files.py",
    "log/policy_file.py PolicyFile._copy write_durably": "it may be lost: tests/api/log/test_policy_file.py",
    "log/sequencer.py Sequencer._halt write": "a restart halts the table again: tests/api/log/test_recovery.py",
    "operations/shared_statuses.py SharedStatuses.give write": STATUSES,
    "operations/shared_statuses.py _replace replace": STATUSES,
    "operations/shared_statuses.py _replace write_bytes": STATUSES,
    "programs/commands/integrity.py make_key write_key": "the operator's own key: tests/api/integrity",
    "programs/commands/integrity.py sign write_durably": "the manifest is signed again: tests/api/integrity",
    "programs/outsiders.py Outsiders.find write_durably": "a demo's policy: tests/api/programs/test_outsiders.py",
    "programs/setup.py _make note": NOTED,
    "restore/succession.py begin_after write": "one transaction of a log without records: tests/api/programs/test_succession.py",
    "restore/succession.py end_log write": "tests/api/crashes/test_ended_log.py",
    "restore/backup.py _write write_bytes": "a part of a back-up that has no name yet: tests/api/restore/test_backup.py",
    "restore/backup.py back_up rename": "a back-up is there or not: tests/api/restore/test_backup.py",
    "restore/put_back.py _complete note": NOTED,
    "restore/pieces.py _put_file rename": STOPPED,
    "store/schema.py clear write": STOPPED,
    "restore/rebuild.py _give_up abandon": STOPPED,
    "restore/rebuild.py rebuild_held note": NOTED,
    "restore/rebuild.py rebuild_held replace_aids": STOPPED,
    "restore/rebuild.py rebuild_held write_at_length": STOPPED,
    "restore/upgrading.py upgrade_kept note": NOTED,
    "rounds/batches.py Batches._alarm note": NOTED,
    "rounds/commitments_files.py CommitmentsFiles.check write": "lost files: tests/api/log/test_recovery.py",
    "rounds/salter.py Salter._salt change": "tests/api/rounds/test_salter.py",
    "rounds/second_person.py ask_to_void note": NOTED,
    "store/replacement.py Replacement.take_place rename": STOPPED,
    "store/replacement.py ServerReplacement.begin write": STOPPED,
    "store/replacement.py ServerReplacement.discard write": STOPPED,
    "store/replacement.py ServerReplacement.take_place write": STOPPED,
    "store/schema.py begun write": NEW,
    "store/upgrade.py upgrade write": "with the service stopped: tests/api/store/test_upgrade.py",
    "witnesses/reports.py Reports._write replace": "a start removes it: tests/api/witnesses/test_publisher.py",
    "witnesses/reports.py Reports._write write_bytes": "beside the file, until it is put in place",
    "witnesses/witnessed_files.py WitnessedFiles._make write": WITNESSED,
    "world/published/remote_log.py RemoteLog._accuse write_durably": "evidence, written again if it is missing",
    "world/timekeeper.py Timekeeper.confirm write_durably": BY_ITSELF,
}
"""What no kill here reaches, and why, or where it is tested."""


def played(folder: Path, *, server: PostgresServer | None = None) -> InProcessService:
    """A service of two tables that has played a round of each, stopped, whose copies are killed or find no room."""
    # Of an earlier version, so that a start names the present one.
    with patch.object(sequencer, "MAKER", "foredraw 0"):
        running = InProcessService.create(folder, tables=((FLIGHT, "crash"), (DRAW, "keno-express")), server=server)
        play(running)
        running.stop()
    return running


def kill_and_check(running: InProcessService, point: Point, when: When, published: Source | None = None) -> None:
    """A stopped service starts, acts and is killed there: at once what it ``published`` passes its audit; then it
    starts, and all rounds go on, none lost or doubled. It is stopped again.
    """
    place, act = point
    dies_at(running, place, when, act)
    check_goes_on(running, published)


def check_goes_on(running: InProcessService, published: Source | None = None) -> None:
    """After whatever ended it, at once and after a start, as `kill_and_check` says."""
    source = FolderSource(running.settings.log) if published is None else published
    report = audit_log(source, running.key)
    for paytable in {state.paytable for state in report.state.tables.values()}:
        # No published record is without its file.
        check_hash(source.read(paytable_path(paytable)), paytable)
    try:
        check_not_rotating(running.settings)
    except SettingsError:
        # A start says this, too, and what to do.
        rotate_seeds_key(running.settings, by="ani")
    running.start()
    check_nothing_leaked(running)
    # A pause outlives a crash.
    pause_table(running.service.writer, DRAW, paused=False)
    stop_tables(running.service.writer, stopped=False)
    running.play_on_and_check()
    running.stop()


def check_nothing_leaked(running: InProcessService) -> None:
    """No seed of a round that has not ended is anywhere but with the custodian."""
    secret = unrevealed(running)
    assert len(secret) > 20
    stored = everything_stored(running)
    assert not [seed for seed in secret if seed in stored or seed.hex().encode() in stored]


def unrevealed(running: InProcessService) -> list[bytes]:
    """The seeds of all rounds to come."""
    custodian = running.service.custodian
    return [
        seed
        for state in running.states().values()
        if not state.ended
        for batch in state.batches
        for number, seed in enumerate(custodian._unrolled(chain_of(state, batch)), batch.first)
        if number >= state.next_round
    ]


def everything_stored(running: InProcessService) -> bytes:
    """All files but the custodian's, and all rows of a server's database."""
    folder, server = running.settings.folder, running.settings.server
    files = [file for file in folder.rglob("*") if file.is_file() and not file.is_relative_to(folder / "custodian")]
    stored = [file.read_bytes() for file in files]
    if server is not None:
        with psycopg.connect(server.secret_address) as connection:
            tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
            for (table,) in tables:
                rows = connection.execute(SQL("SELECT each::text FROM {} each").format(Identifier(table))).fetchall()
                stored += [row.encode() for (row,) in rows]
    return b"\n".join(stored)
