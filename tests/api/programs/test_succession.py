"""``foredraw succeed`` and ``foredraw init --after``: one log follows another, by the commands alone."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from api.journal.chain import entries
from api.journal.entry import Act
from api.log import sequencer
from api.programs.cli import main
from api.programs.commands import succeed as command
from api.restore.succession import end_log
from api.rounds.reading import has_ended
from api.rounds.tables import TableRefusedError, add_table, request_close
from api.store import statements as sql
from fairness.log.checkpoints import Checkpoint
from fairness.log.notes import SigningKey
from fairness.records.succession import maker_named, predecessor_named, successor_named
from tests.oracles.second_verifier import SecondVerifier
from tests.support.commands import foredraw
from tests.support.in_process_service import ORIGIN, InProcessService
from tests.support.ran import Ran
from tests.support.scenarios import TABLES
from tests.support.succession import (
    GAME,
    NEXT_ORIGIN,
    TABLE,
    begin,
    code_of_nobody,
    confirm_clock,
    made_next,
    played_and_closed,
    records_of,
    succeed,
)
from tests.support.verdicts import hexed
from tests.support.witness_server import LocalWitness, away
from tests.support.witnessed_service import witnessed_service
from verifier.commands.command import HELD, NOT_SHOWN

pytestmark = pytest.mark.both_databases("the records wait in the queue, and the head's row remembers the last one")

OTHER = SigningKey("other.example/log", bytes(32)).verifier_key


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> InProcessService:
    """A service whose one table is closed, stopped."""
    made = played_and_closed(tmp_path_factory.mktemp("base") / "data")
    made.stop()
    confirm_clock(made)
    return made


@pytest.fixture
def following(tmp_path: Path) -> Iterator[InProcessService]:
    """The service of the log that is to follow."""
    made = made_next(tmp_path / "next")
    yield made
    made.stop()


def deeds(service: InProcessService, act: Act) -> list[object]:
    """What the journal has of an act."""
    return [json.loads(row.after or "") for row in entries(service.service.database) if row.act == act]


def test_one_log_follows_another(
    running: InProcessService, following: InProcessService, capsys: pytest.CaptureFixture[str]
) -> None:
    """The old log's last record names the new log, whose first one names the old log's last checkpoint; and each
    verifier says so.
    """
    status, said = succeed(running, following.key, "--reason", "we move")
    assert (status, "waits" in said) == (0, True)
    running.start()
    running.settle()
    assert deeds(running, Act.SUCCEED) == [{"key": str(following.key)}]
    status, said = succeed(running, following.key)
    assert status == 0
    assert f"{ORIGIN} has ended with {running.size} records" in said
    # What the command prints is what is to be typed.
    words = shlex.split(said.splitlines()[-1])
    assert words[:3] == ["foredraw", "--data", "FOLDER"]
    last = (Path.cwd() / words[words.index("--after") + 1]).read_bytes()
    done = foredraw(following.settings.folder, *words[3:])
    assert (done.returncode, done.stderr) == (0, "")
    following.start()
    add_table(following.service.writer, "sic-bo-1", "sic-bo")
    following.settle()
    following.play("sic-bo-1", 2)
    following.check()
    head = Checkpoint.open(last, running.key)
    ours, theirs = records_of(running), records_of(following)
    assert (len(ours), successor_named(ours[-1])) == (head.size, str(following.key))
    first = json.loads(theirs[0])
    assert predecessor_named(theirs[0]) == str(running.key)
    assert (first["size"], first["root"]) == (head.size, head.root.hex())
    assert maker_named(theirs[1]) == sequencer.MAKER
    assert deeds(following, Act.FOLLOW) == [{key: first[key] for key in ("key", "root", "size")}]
    for log, other in ((running, following), (following, running)):
        log_and_key = (str(log.settings.log), "--key", str(log.key))
        assert Ran(capsys, "audit", *log_and_key).status == HELD
        ran = Ran(capsys, "code", code_of_nobody(), "--log", *log_and_key, "--json")
        assert ran.status == NOT_SHOWN
        assert [str(other.key) in way for way in ran.json["ways_on"]].count(True) == 1


def test_the_second_verifier_names_the_other_log(running: InProcessService, following: InProcessService) -> None:
    """The one in JavaScript, which the page runs."""
    assert succeed(running, following.key)[0] == 0
    running.start()
    running.settle()
    assert begin(following, running)[0] == 0
    following.start()
    following.settle()
    with SecondVerifier() as second:
        for log, word, other in ((running, "successor", following), (following, "predecessor", running)):
            folder = log.settings.log
            files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
            report = second.ask("code", text=code_of_nobody(), key=str(log.key), files=hexed(files))
            assert report["verdict"] == "not-shown"
            assert {"code": word, "key": str(other.key)} in report["waysOn"]


def test_the_last_record_waits_until_nothing_else_does(tmp_path: Path) -> None:
    """A table that is not closed, or a record that waits, is named; then nothing is queued, nor noted."""
    made = InProcessService.create(tmp_path / "data", batch_size=300, tables=[(TABLE, GAME)])
    confirm_clock(made)
    with made.background_paused():
        add_table(made.service.writer, "keno-2", GAME)
    status, said = succeed(made, OTHER)
    assert status == 1
    assert "2 are not: keno-1, keno-2." in said
    made.tamper("DELETE FROM tables")
    status, said = succeed(made, OTHER)
    assert (status, "1 records wait" in said) == (1, True)
    assert deeds(made, Act.SUCCEED) == []
    made.stop()


@pytest.mark.parametrize(
    ("to", "says"),
    [
        (SigningKey(ORIGIN, bytes(32)).verifier_key, "no log follows itself"),
        (SigningKey("other.example/sandbox", bytes(32)).verifier_key, "proves nothing"),
        ("other.example/log+00000000+AQ==", "expected a log's key"),
    ],
    ids=["another key of its name", "a sandbox", "no key"],
)
def test_what_cannot_follow_is_refused(to: object, says: str, running: InProcessService) -> None:
    """In words, and nothing changes."""
    status, said = succeed(running, to)
    assert status != 0
    assert says in " ".join(said.split())
    running.start()
    assert deeds(running, Act.SUCCEED) == []


def test_no_log_follows_itself_under_another_name(running: InProcessService) -> None:
    """Nor does the same secret make another log."""
    own = type(OTHER)("other.example/log", running.key.public_key)
    assert "no log follows itself" in succeed(running, own)[1]


def test_the_name_is_typed_again(running: InProcessService, monkeypatch: pytest.MonkeyPatch) -> None:
    """At a terminal it is asked for; a script gives it; another one changes nothing."""
    status, said = succeed(running, OTHER, origin="fore.example/lag")
    assert (status, f"this log's name, {ORIGIN}" in said) == (2, True)
    call = ("succeed", "--to", str(OTHER), "--wait", "0")
    silent = foredraw(running.settings.folder, *call)
    assert (silent.returncode, "--origin" in silent.stderr) == (2, True)
    running.start()
    assert deeds(running, Act.SUCCEED) == []
    monkeypatch.setattr(command, "_is_asked", lambda: True)
    for typed, expected in (("fore.example/lag", 2), (ORIGIN, 0)):
        place = ["--data", str(running.settings.folder)]
        server = running.settings.server
        environment = {} if server is None else {"FOREDRAW_DATABASE": server.secret_address}
        asked = CliRunner(env=environment).invoke(main, [*place, *call], input=f"{typed}\n")
        assert (asked.exit_code, "Type its name again" in asked.output) == (expected, True)
    running.settle()
    assert successor_named(records_of(running)[-1]) == str(OTHER)


def test_a_log_has_one_successor(running: InProcessService, following: InProcessService) -> None:
    """While its record waits, and when it stands there: the same key is done, another one refused, and no table
    added.
    """
    assert succeed(running, following.key)[0] == 0
    for started in (False, True):
        if started:
            running.start()
            running.settle()
        assert succeed(running, following.key)[0] == 0
        status, said = succeed(running, OTHER)
        assert (status, f"for ever: {following.key}" in said) == (1, True)
        added = foredraw(running.settings.folder, "table", "add", "keno-2", GAME)
        assert (added.returncode, "the log has ended" in added.stderr) == (1, True)
    assert [successor_named(data) for data in records_of(running)].count(str(following.key)) == 1
    assert len(deeds(running, Act.SUCCEED)) == 1


def test_an_upgrade_adds_nothing_behind_the_last_record(
    running: InProcessService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program of another version, which would name itself, finds the record waiting, or in the log."""
    assert succeed(running, OTHER)[0] == 0
    monkeypatch.setattr(sequencer, "MAKER", "foredraw 99.0.0")
    for _ in range(2):
        running.start()
        running.settle()
        assert successor_named(records_of(running)[-1]) == str(OTHER)
        with running.service.database.read() as connection:
            assert sql.WAITING.all(connection, after_id=0, limit=10) == []
            assert "99.0.0" not in sql.ONE_HEAD.one(connection).made
        with pytest.raises(TableRefusedError, match="has ended"):
            add_table(running.service.writer, "keno-2", GAME)
        running.stop()


def test_a_first_record_is_verified_and_first(running: InProcessService, following: InProcessService) -> None:
    """The checkpoint must be signed by the key that is given, which is another log's; and the log must not have
    begun.
    """
    checkpoint = running.settings.log / "checkpoint"
    init = ("init", "--after", str(checkpoint), "--key")
    for key, says in (
        (str(OTHER), f"expected a signature by {OTHER.name}"),
        (str(following.key), "expected a signature by"),
        ("x", "expected a log's key"),
    ):
        refused = foredraw(following.settings.folder, *init, key)
        assert refused.returncode != 0
        assert says in " ".join(refused.stderr.split())
    one = foredraw(following.settings.folder, *init[:-1])
    assert (one.returncode, "go together" in one.stderr) == (2, True)
    status, said = begin(following, running, "--origin", "fore.example/else")
    assert (status, f"is of the log {NEXT_ORIGIN}" in said) == (2, True)
    for _ in range(2):
        assert begin(following, running)[0] == 0
    older = Checkpoint(ORIGIN, 0, bytes(32))
    checkpoint.write_bytes(older.sign(SigningKey(ORIGIN, bytes(32))))
    again = foredraw(following.settings.folder, *init, str(SigningKey(ORIGIN, bytes(32)).verifier_key))
    assert (again.returncode, "has begun" in again.stderr) == (1, True)
    following.start()
    following.settle()
    assert [predecessor_named(data) for data in records_of(following)] == [str(running.key), None]
    assert len(deeds(following, Act.FOLLOW)) == 1
    own = following.settings.log / "checkpoint"
    itself = foredraw(following.settings.folder, "init", "--after", str(own), "--key", str(following.key))
    assert (itself.returncode, "no log follows itself" in itself.stderr) == (1, True)


def test_a_log_that_could_not_name_its_successor_is_followed_in_one_step(
    running: InProcessService, tmp_path: Path
) -> None:
    """Its signing key is lost: the new log names its last checkpoint all the same. A wrong one makes no folder."""
    new = InProcessService(tmp_path / "new", batch_size=300)
    wrong = begin(new, running, "--origin", ORIGIN)
    assert (wrong[0], "no log follows itself" in wrong[1], new.settings.folder.exists()) == (1, True, False)
    status, said = begin(new, running, "--origin", NEXT_ORIGIN)
    assert (status, "The log's key, to be published widely" in said) == (0, True)
    new.start()
    new.settle()
    assert predecessor_named(records_of(new)[0]) == str(running.key)
    assert begin(new, running)[0] == 1
    new.stop()


def test_the_last_checkpoint_has_its_cosignatures(tmp_path: Path) -> None:
    """While the witnesses are away the log has ended, and nobody is shown it; then the same quorum cosigns its last
    head.
    """
    with witnessed_service(tmp_path) as running:
        for name, _ in TABLES:
            request_close(running.service.writer, name)
        running.settle()
        size = running.size
        for witness in running.witnesses:
            witness.behaves = away
        end_log(running.service.writer, OTHER, by="ani")
        running.settle()
        assert (running.size, has_ended(running.service.database)) == (size, True)
        for witness in running.witnesses:
            witness.behaves = LocalWitness.answer
        running.clock.step(60)
        running.settle()
        assert (running.published.checkpoint.size, len(running.cosigned_by) >= 2) == (size + 1, True)
        assert successor_named(records_of(running)[-1]) == str(OTHER)
