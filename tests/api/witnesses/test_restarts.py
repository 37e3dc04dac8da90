"""A crash at any effect, while witnesses have to see the log: nothing is lost, no witness sees a fork, rounds go
on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from api.rounds.tables import add_table
from fairness.log.checkpoints import Checkpoint
from fairness.log.tiles import AuthenticTiles
from fairness.policy.head import Head
from fairness.policy.policy import Policy
from tests.support.faulty_world import When
from tests.support.scenarios import fail_each, kinds, rounds
from tests.support.witness_server import LocalWitness, away
from tests.support.witnessed_service import WitnessedService, witnessed_service
from tests.tiers.selection import Lattice


@pytest.fixture(scope="module")
def nearly_full(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WitnessedService]:
    """A service just before its log's first bundle is full, stopped."""
    with witnessed_service(tmp_path_factory.mktemp("full")) as running:
        while running.size < 252:
            running.play("crash-1")
            running.play("keno-1")
            running.settle()
        running.stop()
        running.seen = [witness.seen for witness in running.witnesses]
        yield running


policy_of = cache(Policy.parse)


@cache
def check_quorum(note: bytes, policy: bytes) -> None:
    """Check that a checkpoint has the cosignatures that the policy asks for; the copies have most of theirs in
    common.
    """
    if Checkpoint.open(note, policy_of(policy).log).size:
        Head.open(note, policy_of(policy))


def play_on_and_check(running: WitnessedService) -> None:
    """Finish what was begun, play a round at each table, and check everything."""
    running.clock.step(1000)
    for _ in range(4):
        running.settle()
        running.clock.step(10)
    for name in running.states():
        running.play(name)
    running.check()
    assert running.settings.policy is not None
    policy = running.settings.policy.read_bytes()
    for note in running.disk.checkpoints:
        check_quorum(note, policy)
    heads = {(each.size, each.root) for witness in running.witnesses for each in witness.cosigned}
    assert len({size for size, _ in heads}) == len(heads)
    assert all(witness.seen is not None and witness.seen.size == running.size for witness in running.witnesses)


@pytest.mark.nightly("restarts after each effect", but="test_any_effect_may_fail[before-False]")
@pytest.mark.parametrize("of_the_machine", [False, True])
@pytest.mark.parametrize("when", ["before", "after"])
def test_any_effect_may_fail(
    when: When, of_the_machine: bool, nearly_full: WitnessedService, tmp_path: Path, lattice: Lattice
) -> None:
    """Of the program or of the machine, which loses what was not synced; where a bundle becomes full, too."""

    def afterwards(running: WitnessedService) -> None:
        if of_the_machine:
            running.crash_of_the_machine()
        else:
            running.stop()
        running.start()
        play_on_and_check(running)

    effects = fail_each(nearly_full, tmp_path, when, rounds, afterwards, lattice)
    assert kinds(effects) >= {"write", "write_soon", "write_parts", "commit", "remove_partials"}


@pytest.mark.parametrize("crash", [None, WitnessedService.stop, WitnessedService.crash_of_the_machine])
def test_what_the_published_log_needs_stays_until_a_larger_one_is_published(
    crash: Callable[[WitnessedService], None] | None, nearly_full: WitnessedService, tmp_path: Path
) -> None:
    """Its partial files are there while the sequencer has full ones already, and after a crash; and are cleared in
    the end.
    """
    running = nearly_full.copy(tmp_path / "data")
    running.start()
    running.settle()
    old = running.published.checkpoint
    for witness in running.witnesses:
        witness.behaves = away
    fill(running)
    assert (running.settings.log / "tile/0/000").exists()
    if crash is not None:
        crash(running)
        running.start()
        running.turn()
    assert running.published.checkpoint == old
    partial = running.settings.log / f"tile/0/000.p/{old.size}"
    assert partial.exists()
    assert (running.settings.log / f"tile/entries/000.p/{old.size}").exists()
    AuthenticTiles(old, lambda path: (running.settings.log / path).read_bytes())
    for witness in running.witnesses:
        witness.behaves = LocalWitness.answer
    play_on_and_check(running)
    assert not partial.exists()
    assert not (running.settings.log / "tile/entries/000.p").exists()
    running.stop()


def fill(running: WitnessedService) -> None:
    """Append records that need no publication until the first bundle is full: new tables and their batches."""
    for number in range(8):
        add_table(running.service.writer, f"dice-{number}", "sic-bo")
        for _ in range(3):
            running.keeper.turn()
            running.turn()
