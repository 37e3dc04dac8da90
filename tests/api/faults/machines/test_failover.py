"""A sequencer with a standby: whatever happens to the leader, rounds go on, none is lost, and the log stays one log.

Both are real services on folders of their own, with one database, one store of seeds and one log. A reader looks at
the checkpoint all the time: it never gets smaller, and all that were seen are of one log, which an audit accepts.
"""

from __future__ import annotations

import os
import signal
import time
from functools import partial
from pathlib import Path

import pytest

from tests.support.failover import LEADS, STANDS_BY, TABLE, Heads, check_log, two_machines, wait_for_leader
from tests.support.postgres import PostgresServer
from tests.support.running_service import RunningService, family_of, kill, wait_until
from tests.support.witness_server import LocalWitness, away, listening, write_policy
from tests.support.witnesses import PRESS

pytestmark = pytest.mark.nightly("two machines of its own", but="test_the_standby_goes_on_when_the_leader_is_killed")

FLIGHT = "crash-1"


def play(service: RunningService, count: int) -> None:
    """Play the next rounds over a service."""
    for _ in range(count):
        service.play(TABLE, service.next_round(TABLE))


def is_done(service: RunningService, number: int, action: str) -> bool:
    """Whether a call succeeds now."""
    return service.act(TABLE, number, action).status == 200


def play_on(service: RunningService, number: int) -> None:
    """Play a round as engines do: a call that fails for now is repeated."""
    for action in ("open", "lock", "reveal"):
        wait_until(partial(is_done, service, number, action), f"{action} of round {number}")


def test_the_standby_goes_on_when_the_leader_is_killed(tmp_path: Path, postgres: PostgresServer) -> None:
    """Its whole machine, while a round is locked: the same call has the same answer, and the round ends as it would
    have.
    """
    with two_machines(tmp_path, postgres) as (first, second), Heads(first).watching() as heads:
        play(first, 3)
        # The listeners of the standby are at work all the time.
        play(second, 2)
        first.act(TABLE, 6, "open")
        locked = first.act(TABLE, 6, "lock").document
        for pid in family_of(first.process.pid):
            kill(pid, signal.SIGKILL)
        wait_for_leader(second)
        assert second.act(TABLE, 6, "lock").document == locked
        assert second.act(TABLE, 6, "reveal").document["outcome"] == locked["outcome"]
        play(second, 25)
        check_log(second, heads)
        assert second.replay()[TABLE].next_round == 32


def test_a_leader_that_was_halted_publishes_nothing_more(tmp_path: Path, postgres: PostgresServer) -> None:
    """Its lease ends, the standby leads and plays on; woken, it stands by itself, and leads again when the other is
    gone.
    """
    with two_machines(tmp_path, postgres) as (first, second), Heads(first).watching() as heads:
        play(first, 2)
        halted = first.background
        os.kill(halted, signal.SIGSTOP)
        wait_for_leader(second)
        play(second, 5)
        os.kill(halted, signal.SIGCONT)
        wait_until(lambda: STANDS_BY in first.output, "the woken leader to stand by")
        play(first, 3)
        play(second, 2)
        terms = first.output.count(LEADS)
        assert second.stop() == 0
        wait_for_leader(first, terms + 1)
        play(first, 2)
        check_log(first, heads)
        assert first.stop() == 0


def test_of_two_that_start_at_once_one_leads(tmp_path: Path, postgres: PostgresServer) -> None:
    """The other stands by, and its listeners work; nothing else shows that there are two."""
    with two_machines(tmp_path, postgres) as (first, second):
        assert first.stop() == second.stop() == 0
        for service in (first, second):
            service.output_path.unlink()
            service.launch()
        for service in (first, second):
            wait_until(partial(service.is_ready_since, 0.0), "both to be ready")
        with Heads(first).watching() as heads:
            play(first, 3)
            play(second, 3)
            assert LEADS in first.output + second.output
            check_log(first, heads)


def test_the_listeners_of_a_standby_say_what_the_leader_says(tmp_path: Path, postgres: PostgresServer) -> None:
    """Its witnesses are away: the standby opens no round, either, and says why; and when nobody leads, that nobody
    does.
    """
    press, policy = LocalWitness(PRESS, lambda: int(time.time())), tmp_path / "policy"

    def with_a_witness(service: RunningService) -> dict[str, str]:
        write_policy(policy, service.key, [press], 1)
        return {"FOREDRAW_POLICY": str(policy)}

    with listening(press), two_machines(tmp_path, postgres, variables=with_a_witness) as (first, second):
        assert first.foredraw("table", "add", FLIGHT, "crash").returncode == 0
        play_on(second, 1)
        wait_until(
            lambda: second.post(f"/v1/engine/tables/{FLIGHT}/rounds/1/open").status == 200,
            "the table to be committed",
        )
        press.behaves = away
        assert second.post(f"/v1/engine/tables/{FLIGHT}/rounds/1/lock").status == 202
        for service in (first, second):
            wait_until(partial(says, service, "press: it hung up"), "the witness to be missed")
            refused = service.post(f"/v1/engine/tables/{TABLE}/rounds/2/open")
            assert (refused.status, refused.document["code"]) == (503, "witnesses-away")
        press.behaves = LocalWitness.answer
        play_on(second, 2)
        # The standby leads as soon as the leader's lease is over, so both are halted.
        for service in (first, second):
            os.kill(service.background, signal.SIGSTOP)
        for service in (first, second):
            wait_until(
                partial(says, service, "the background program that leads gives no sign of life"), "the silence"
            )
            os.kill(service.background, signal.SIGCONT)
        play_on(second, 3)


def says(service: RunningService, words: str) -> bool:
    """Whether a machine reports this as wrong."""
    return words in " ".join(service.wrong)


def test_a_connection_that_is_cut_costs_a_term_and_no_round(tmp_path: Path, postgres: PostgresServer) -> None:
    """The server ends all connections of the service, again and again, while rounds are played: somebody leads
    again.
    """
    with two_machines(tmp_path, postgres) as (first, second), Heads(first).watching() as heads:
        assert first.database is not None
        with postgres.administrator(first.database.name) as administrator:
            for number in range(1, 9):
                play_on(second, number)
                administrator.execute(
                    b"SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    b" WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
        play_on(first, 9)
        check_log(first, heads)
        assert first.replay()[TABLE].next_round == 10
