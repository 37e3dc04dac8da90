"""Heartbeats between machines: what the leader says of itself arrives in the folder of another one, and nothing that
is old.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from api.operations.shared_statuses import FollowedStatuses, SharedStatuses
from api.settings import Settings
from api.sql.database import Database
from api.store import statements as sql
from api.store.models import HeadRow
from api.store.schema import disposed, open_database
from api.store.upgrade import upgrade
from api.witnesses.reports import Witnesses, WitnessNow, read_witnesses
from api.world.clock import Clock
from api.world.file_lock import hold_folder
from api.world.statuses import read_status, write_status
from api.world.storage_failures import ServerFailure
from api.world.timekeeper import Timekeeper
from tests.support.postgres import PostgresServer


class Machines:
    """The leader, and one that follows; each calls `turn` when the test says so."""

    def __init__(self, leader: Settings, follower: Settings, database: Database) -> None:
        self.leader, self.follower, self.database = leader, follower, database
        self.timekeeper = Timekeeper(Clock(), leader.clock, lambda: None)
        self.shared = SharedStatuses(leader, database)
        self.followed = FollowedStatuses(follower, database, Timekeeper(Clock(), follower.clock, lambda: None))

    def give(self, file: Path, trouble: str | None = None) -> None:
        """The leader says something."""
        write_status(file, self.timekeeper, trouble)

    def lead(self, term: str) -> None:
        """A term begins."""
        self.database.write(lambda connection: sql.SET_LEADER.run(connection, new_leader=term))

    def pass_on(self, term: str = "term") -> None:
        """A second passes on both."""
        self.lead(term)
        self.shared.give(term)
        self.followed.turn()


@pytest.fixture
def machines(tmp_path: Path, postgres: PostgresServer) -> Iterator[Machines]:
    """Two folders, and a database."""
    leader, follower = (Settings(tmp_path / name, server=None) for name in ("leader", "follower"))
    leader = replace(leader, server=postgres.new_database())
    for settings in (leader, follower):
        settings.folder.mkdir()
    with disposed(open_database(leader)) as database:
        upgrade(database)
        database.write(lambda connection: sql.INSERT_HEAD.run(connection, HeadRow(1, "fore.example/log", 0, "", 0)))
        yield Machines(leader, follower, database)


def said(machines: Machines, choose: Callable[[Settings], Path]) -> str | None:
    """The trouble that the follower has in a status; `None` if it has no such status."""
    status = read_status(choose(machines.follower), machines.timekeeper)
    return None if status is None else f"trouble: {status.trouble}"


def keeper(settings: Settings) -> Path:
    return settings.heartbeat_of("keeper")


def test_a_sign_arrives_when_it_changes(machines: Machines) -> None:
    """What is there at the first look may be of a leader that has died; what changes after that is alive."""
    machines.give(keeper(machines.leader))
    machines.pass_on()
    assert said(machines, keeper) is None
    machines.pass_on()
    assert said(machines, keeper) is None
    machines.give(keeper(machines.leader), "the disk is full")
    machines.pass_on()
    assert said(machines, keeper) == "trouble: the disk is full"
    written = keeper(machines.follower).stat().st_mtime_ns
    machines.pass_on()
    assert keeper(machines.follower).stat().st_mtime_ns == written


def test_a_sign_of_an_earlier_run_is_removed(machines: Machines) -> None:
    """It would make a machine ready that nobody publishes for."""
    write_status(machines.follower.heartbeat, machines.timekeeper)
    machines.followed.turn()
    assert not machines.follower.heartbeat.exists()


def test_what_stops_play_arrives_at_once_and_goes(machines: Machines) -> None:
    """Also at the first look: a machine that is started while witnesses are away opens no round."""
    machines.give(machines.leader.witnesses_trouble, "the witnesses are away")
    machines.pass_on()
    assert said(machines, lambda s: s.witnesses_trouble) == "trouble: the witnesses are away"
    machines.leader.witnesses_trouble.unlink()
    machines.pass_on()
    assert not machines.follower.witnesses_trouble.exists()


def test_what_a_sequencer_writes_late_is_put_right(machines: Machines) -> None:
    """It was in the middle of a turn when it lost the lead; the leader's gate is closed still."""
    machines.give(machines.leader.witnesses_trouble, "the witnesses are away")
    machines.pass_on()
    machines.follower.witnesses_trouble.unlink()
    machines.pass_on()
    assert said(machines, lambda s: s.witnesses_trouble) == "trouble: the witnesses are away"
    write_status(machines.follower.witnesses_trouble, machines.timekeeper, "its own")
    machines.pass_on()
    assert said(machines, lambda s: s.witnesses_trouble) == "trouble: the witnesses are away"


def test_who_leads_from_now_on_leaves_what_it_has_followed(machines: Machines) -> None:
    """The other's trouble is not its own; rounds stay closed until it has closed them itself. What it said itself
    stays.
    """
    write_status(machines.follower.entropy_trouble, machines.timekeeper, "its own source is stuck")
    machines.followed.leave()
    assert machines.follower.entropy_trouble.exists()
    for trouble in ("entropy_trouble", "beacon_trouble", "witnesses_trouble"):
        machines.give(getattr(machines.leader, trouble), "the other's")
    machines.leader.drift.write_bytes(b"sums")
    machines.pass_on()
    machines.followed.leave()
    kept = {path.name for path in machines.follower.folder.iterdir()}
    assert kept == {machines.follower.witnesses_trouble.name, machines.follower.drift.name}


def test_files_arrive_as_they_are(machines: Machines) -> None:
    """How the witnesses stand, and the monitor's sums; the age of the second is that of its last writing, changed or
    not.
    """
    machines.leader.witnesses.write_bytes(
        b'{"witnesses":[{"name":"lab","cosigned":7,"time":null,"why":null,"since":null}]}'
    )
    machines.leader.drift.write_bytes(b"sums")
    machines.pass_on()
    assert read_witnesses(machines.follower.witnesses) == Witnesses((WitnessNow("lab", 7, None, None, None),))
    assert machines.follower.drift.read_bytes() == b"sums"
    before = machines.follower.drift.stat().st_mtime_ns
    machines.leader.drift.write_bytes(b"sums")
    machines.pass_on()
    assert machines.follower.drift.stat().st_mtime_ns > before


def test_a_machine_with_a_sequencer_of_its_own_follows_nobody(machines: Machines) -> None:
    """Its sequencer writes these files; when that has ended, the machine follows the one that leads now."""
    machines.give(machines.leader.witnesses_trouble, "the witnesses are away")
    with hold_folder(machines.follower):
        write_status(keeper(machines.follower), machines.timekeeper, "its own")
        machines.pass_on()
        assert said(machines, keeper) == "trouble: its own"
        assert not machines.follower.witnesses_trouble.exists()
    machines.pass_on()
    assert said(machines, keeper) is None
    assert machines.follower.witnesses_trouble.exists()


def test_the_next_leader_takes_back_what_the_last_one_said(machines: Machines) -> None:
    """Each term begins with what is true of its own leader."""
    machines.give(machines.leader.beacon_trouble, "no relay answers")
    machines.pass_on("first")
    other = replace(machines.leader, folder=machines.follower.folder / "other")
    other.folder.mkdir()
    machines.lead("second")
    SharedStatuses(other, machines.database).give("second")
    machines.followed.turn()
    assert not machines.follower.beacon_trouble.exists()
    machines.pass_on("third")
    assert machines.follower.beacon_trouble.exists()


def test_a_leader_of_before_takes_nothing_back(machines: Machines) -> None:
    """It was halted before it stored what it had read; the witnesses of the present one are still away."""
    machines.pass_on("first")
    other = replace(machines.leader, folder=machines.follower.folder / "other")
    other.folder.mkdir()
    write_status(other.witnesses_trouble, machines.timekeeper, "the witnesses are away")
    machines.lead("second")
    SharedStatuses(other, machines.database).give("second")
    with pytest.raises(ServerFailure, match="does not lead any more"):
        machines.shared.give("first")
    machines.followed.turn()
    assert said(machines, lambda s: s.witnesses_trouble) == "trouble: the witnesses are away"
