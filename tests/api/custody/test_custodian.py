"""The custodian trusts only the published log: not the database, finding aids or its callers."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from copy import deepcopy
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace as replace_struct

from api.custody.custodian import Custodian, SeedsUnavailableError
from api.custody.keys import load_seeds_key
from api.rounds.seeds import chain_of
from api.rounds.tables import end_table
from api.service import Service
from api.store.contents import encode_state
from fairness.draws.seed_chain import seeds_and_anchor
from fairness.errors import CheckFailed
from fairness.hashing import leaf_hash, sha256, u64
from fairness.log.checkpoints import Checkpoint
from fairness.log.notes import SigningKey
from fairness.log.proof import Inclusion, Proven, TlogProof
from fairness.records.record import LockRecord, encode_record, parse_record
from fairness.records.replay import read_record
from fairness.records.table_state import LockedRound, TableState
from fairness.round.authentic_log import AuthenticLog
from fairness.round.finding_aids import RoundPositions, place_in_file, rounds_path
from tests.support.running_service import RunningService, opened, running_service

VICTIM, OTHER, PENDING, ENDING, ENDED = "keno-victim", "keno-other", "keno-pending", "keno-ending", "keno-ended"
TABLES = dict.fromkeys((VICTIM, OTHER, PENDING, ENDING, ENDED), "keno-express")
PLAYED = 3


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """Two tables have played a few rounds, the victim one fewer; one table has ended, and one has an open round."""
    with running_service(tmp_path_factory.mktemp("custodian") / "data", TABLES) as running:
        for number in range(1, PLAYED + 1):
            running.play(VICTIM, number)
            running.play(OTHER, number)
        running.play(OTHER, PLAYED + 1)
        running.act(PENDING, 1, "open")
        assert running.foredraw("table", "close", ENDED).returncode == 0
        running.settle()
        yield running


@pytest.fixture
def inside(service: RunningService) -> Iterator[Service]:
    """The parts of the service in this process, with a custodian that has released nothing yet."""
    with opened(service.settings) as found:
        yield found


def newest(inside: Service) -> AuthenticLog:
    """The published log."""
    log = inside.publication.newest()
    assert log is not None
    return log


def at(log: AuthenticLog, position: int) -> Proven:
    """Any record of the log, with a valid proof."""
    return Proven(log.tiles.record(position), TlogProof(log.inclusion(position), log.head.note))


def lock_of(inside: Service, state: TableState, number: int) -> Proven:
    """The published lock of a round."""
    lock = inside.publication.lock(state.table_id, number)
    assert lock is not None
    return lock


def asked(inside: Service, state: TableState, number: int, freed_by: Proven) -> bytes:
    """The custodian's answer to a request for a seed in the form of the service's."""
    batch = next((batch for batch in state.batches if batch.first <= number <= batch.last), state.batches[0])
    (seed,) = inside.seeds.release(state, batch, number, freed_by)
    return seed


def refused(inside: Service, state: TableState, number: int, freed_by: Proven, words: str) -> None:
    """The custodian refuses the seed of a round, and says why without revealing anything about the seed."""
    with pytest.raises(SeedsUnavailableError, match=words):
        asked(inside, state, number, freed_by)


def lock_position(service: RunningService, table: str, number: int) -> int:
    """The index of a round's lock in the log."""
    for index, data in enumerate(service.records()):
        record = read_record(data)
        if isinstance(record, LockRecord) and (record.table, record.round) == (table, number):
            return index
    raise LookupError(table)


def test_a_published_lock_frees_its_seed(service: RunningService, inside: Service) -> None:
    """The positive case: the seed of a publicly locked round is released, and is the one that was revealed."""
    state = service.queued_state(VICTIM)
    seed = asked(inside, state, PLAYED, lock_of(inside, state, PLAYED))
    assert [seed.hex()] == service.get(f"/v1/tables/{VICTIM}/rounds/{PLAYED}").document["seeds"]


def test_a_seed_that_has_left_leaves_again_for_its_own_proof_alone(service: RunningService, inside: Service) -> None:
    """An engine asks for it at the lock and at the reveal: the proof is checked once, and another one each time."""
    state = service.queued_state(VICTIM)
    lock, other = lock_of(inside, state, PLAYED), lock_of(inside, state, PLAYED - 1)
    seed = asked(inside, state, PLAYED, lock)
    assert asked(inside, state, PLAYED, lock) == seed
    refused(inside, state, PLAYED, other, "expected its lock, found the lock")
    refused(inside, state, PLAYED, replace(lock, proof=other.proof), "is not proven")
    refused(inside, state, PLAYED - 1, lock, "expected its lock, found the lock")
    assert asked(inside, state, PLAYED - 1, other) != seed


@pytest.mark.parametrize("ahead", [1, 2, 10, 37])
def test_a_round_that_is_not_locked_stays_closed(service: RunningService, inside: Service, ahead: int) -> None:
    """The next round, one open for bets, one of another batch: nothing in the log releases their seeds."""
    state = service.queued_state(VICTIM)
    assert inside.publication.lock(state.table_id, PLAYED + ahead) is None
    refused(inside, state, PLAYED + ahead, lock_of(inside, state, PLAYED), "expected its lock, found the lock")
    pending = service.queued_state(PENDING)
    assert inside.publication.lock(pending.table_id, ahead) is None
    refused(inside, pending, ahead, lock_of(inside, state, PLAYED), "expected its lock, found the lock")


def test_a_lock_that_is_only_queued_frees_nothing(service: RunningService, inside: Service) -> None:
    """Until a signed checkpoint contains it, a lock could still be withdrawn, so its seed is not released."""
    path = f"/v1/engine/tables/{PENDING}/rounds/1"
    with service.paused():
        answer = service.post(f"{path}/lock")
        assert (answer.status, answer.document["status"]) == (202, "locked")
        assert "outcome" not in answer.document
        state = service.queued_state(PENDING)
        locked = state.locked
        assert locked is not None
        assert locked == LockedRound(1, given_up=False, opened=True, since=locked.since)
        assert inside.publication.lock(state.table_id, 1) is None
        ((data,),) = service.query("SELECT data FROM queue WHERE position IS NULL")
        log = newest(inside)
        for index in (log.size - 1, log.size):
            proof = TlogProof(Inclusion(index, log.inclusion(log.size - 1).path), log.head.note)
            refused(inside, state, 1, Proven(data, proof), "is not proven")
        assert service.post(f"{path}/reveal").status == 202
        assert service.post(f"{path}/void", {"reason": "impatient"}).status == 202
    service.settle()
    assert len(asked(inside, state, 1, lock_of(inside, state, 1))) == 32
    assert service.act(PENDING, 1, "reveal").status == 200


@pytest.mark.parametrize("claim", ["another round's", "another table's", "a reveal", "no record yet", "far away"])
def test_a_forged_finding_aid_frees_nothing(service: RunningService, inside: Service, claim: str) -> None:
    """Finding aids are hints: the record at their place must be the lock of this round of this table."""
    state, number = service.queued_state(VICTIM), PLAYED + 1
    size = service.checkpoint().size
    position = {
        "another round's": lock_position(service, VICTIM, PLAYED),
        "another table's": lock_position(service, OTHER, number),
        "a reveal": lock_position(service, VICTIM, PLAYED) + 1,
        "no record yet": size,
        "far away": 2**63,
    }[claim]
    file = service.settings.log / rounds_path(state.table_id, number)
    true = file.read_bytes()
    place = place_in_file(number) * RoundPositions.SIZE + 16
    assert true[place : place + 8] == u64(0)
    file.write_bytes(true[:place] + u64(position) + true[place + 8 :])
    try:
        if position < size:
            with pytest.raises(CheckFailed, match="round-records"):
                inside.publication.lock(state.table_id, number)
            refused(inside, state, number, at(newest(inside), position), "expected its lock, found the")
        else:
            assert inside.publication.lock(state.table_id, number) is None
    finally:
        file.write_bytes(true)


def test_a_proof_that_does_not_hold_frees_nothing(service: RunningService, inside: Service) -> None:
    """A record, place, path, tree or signature that is not the log's: each alone is enough for a refusal."""
    state, log = service.queued_state(VICTIM), newest(inside)
    true = lock_of(inside, state, PLAYED)
    assert asked(inside, state, PLAYED, true)
    index, path = true.proof.inclusion.index, true.proof.inclusion.path
    coming = encode_record(replace_struct(parse_record(true.data), round=PLAYED + 1))
    stranger = SigningKey(log.checkpoint.origin, sha256(b"another key"))
    elsewhere = SigningKey("other.example/log", sha256(b"another log"))
    forged_head = Checkpoint(stranger.name, 1, leaf_hash(coming))
    false = {
        "the lock of the next round": (PLAYED + 1, coming, true.proof),
        "its neighbour's place": (PLAYED, true.data, TlogProof(Inclusion(index + 1, path), log.head.note)),
        "beyond the log": (PLAYED, true.data, TlogProof(Inclusion(log.size, path), log.head.note)),
        "a path cut off": (PLAYED, true.data, TlogProof(Inclusion(index, path[:-1]), log.head.note)),
        "another path": (PLAYED, true.data, TlogProof(log.inclusion(index + 1), log.head.note)),
        "another key": (PLAYED + 1, coming, TlogProof(Inclusion(0, ()), forged_head.sign(stranger))),
        "another log": (
            PLAYED,
            true.data,
            TlogProof(Inclusion(0, ()), Checkpoint(elsewhere.name, 1, leaf_hash(true.data)).sign(elsewhere)),
        ),
        "no signature": (
            PLAYED,
            true.data,
            TlogProof(true.proof.inclusion, log.head.note.rpartition(b"\n\n")[0] + b"\n\n"),
        ),
        "a head that was changed": (
            PLAYED,
            true.data,
            TlogProof(true.proof.inclusion, log.head.note.replace(b"\n%d\n" % log.size, b"\n%d\n" % (log.size + 1))),
        ),
    }
    for number, data, proof in false.values():
        refused(inside, state, number, Proven(data, proof), "is not proven")


def test_an_older_checkpoint_of_the_log_proves_as_well(service: RunningService, inside: Service) -> None:
    """The log is append-only, so what an earlier checkpoint proved remains true: proofs do not expire."""
    state = service.queued_state(VICTIM)
    before = lock_of(inside, state, PLAYED)
    first = asked(inside, state, PLAYED, before)
    service.play(OTHER, service.queued_state(OTHER).next_round)
    again = at(newest(inside), before.proof.inclusion.index)
    assert again.proof.checkpoint != before.proof.checkpoint
    assert asked(inside, state, PLAYED, before) == asked(inside, state, PLAYED, again) == first


def test_a_log_without_the_marks_record_frees_nothing(service: RunningService, inside: Service) -> None:
    """The log that releases the next seed must contain the record for which the last one was released."""
    state = service.queued_state(VICTIM)
    log, chain = newest(inside), chain_of(state, state.batches[0])
    # The service runs, so a later checkpoint may come at any time: all proofs are from one.
    lock = at(log, lock_of(inside, state, 1).proof.inclusion.index)
    mark = inside.custodian.mark_to_prove(state.table_id)
    assert mark is not None
    for false in (None, log.inclusion(mark.position - 1), Inclusion(mark.position, ())):
        with pytest.raises(SeedsUnavailableError, match="does not have that record"):
            inside.custodian.release(chain, 1, lock, false)
    assert inside.custodian.mark_to_prove(state.table_id) == mark
    assert inside.custodian.release(chain, 1, lock, log.inclusion(mark.position))
    assert inside.custodian.mark_to_prove(state.table_id) is None
    assert inside.custodian.release(chain, 1, lock)
    assert inside.custodian.mark(state.table_id) == mark


def with_rounds_of(state: TableState, other: TableState) -> TableState:
    """A table's state, changed by somebody who wants another table's seeds under its name."""
    forged = deepcopy(state)
    forged.table_id, forged.batches = other.table_id, deepcopy(other.batches)
    return forged


@pytest.mark.parametrize("asked_before", [False, True], ids=["first", "after its own seed"])
def test_a_row_with_another_tables_batches_frees_nothing(
    service: RunningService, inside: Service, asked_before: bool
) -> None:
    """A lock of one table does not release another table's seeds, whatever the database says about either."""
    victim, other = service.queued_state(VICTIM), service.queued_state(OTHER)
    forged = with_rounds_of(other, victim)
    number = PLAYED + 1
    lock = lock_of(inside, other, number)
    if asked_before:
        asked(inside, other, number, lock)
    refused(inside, forged, number, lock, "do not decrypt")
    renamed = deepcopy(victim)
    renamed.name = OTHER
    refused(inside, renamed, number, lock, "do not decrypt")
    renumbered = deepcopy(other)
    renumbered.batches = deepcopy(victim.batches)
    refused(inside, renumbered, number, lock, "do not decrypt")


def test_a_shifted_batch_frees_nothing(service: RunningService, inside: Service) -> None:
    """A batch that claims other rounds than its own does not decrypt, so no later seed is mistaken for a released
    one.
    """
    state = service.queued_state(VICTIM)
    lock = lock_of(inside, state, PLAYED)
    for first, count in ((2, 20), (1, 19), (1, 21), (PLAYED, 1)):
        forged = deepcopy(state)
        forged.batches[0].first, forged.batches[0].count = first, count
        refused(inside, forged, PLAYED, lock, "do not decrypt")
    later = deepcopy(state)
    later.batches = later.batches[1:]
    refused(inside, later, PLAYED, lock, "it is not of the batch")


def test_a_tampered_row_gives_nothing_over_http(service: RunningService) -> None:
    """The database claims that a round is locked: calls get no outcome and no seed, and the log gets no record."""
    state, number = service.queued_state(VICTIM), PLAYED + 1
    service.settle()
    size = service.checkpoint().size
    forged = deepcopy(state)
    forged.locked, forged.next_round = (
        LockedRound(number, given_up=False, opened=True, since=state.latest),
        number + 1,
    )
    with service.paused():
        service.tamper("UPDATE tables SET queued_state = ? WHERE name = ?", encode_state(forged), VICTIM)
        service.tamper(
            'INSERT INTO rounds ("table", round, status, opened, locked, given_up) VALUES (?, ?, ?, ?, ?, ?)',
            *(VICTIM, number, "locked", state.latest, state.latest, False),
        )
        try:
            for action, body in (("lock", None), ("reveal", None), ("void", {"reason": "x"})):
                answer = service.post(f"/v1/engine/tables/{VICTIM}/rounds/{number}/{action}", body)
                assert answer.status != 200, answer
                assert not {"outcome", "seeds", "round_code"} & answer.document.keys()
        finally:
            service.tamper('DELETE FROM rounds WHERE "table" = ? AND round = ?', VICTIM, number)
            service.tamper("UPDATE tables SET queued_state = ? WHERE name = ?", encode_state(state), VICTIM)
    service.settle()
    assert service.checkpoint().size == size
    assert service.play(VICTIM, number).status == 200


def test_the_last_seeds_wait_for_the_published_end(service: RunningService, inside: Service) -> None:
    """A queued end, another table's end, any other record: the seeds of a close are not released."""
    ends = [index for index, data in enumerate(service.records()) if data.endswith(b'"type":"end","v":1}')]
    with service.paused():
        inside.writer.change(ENDING, 0, end_table)
        state = service.queued_state(ENDING)
        assert state.ended
        log = newest(inside)
        assert inside.publication.end(state.table_id) is None
        for position in (0, 1, *ends, log.size - 1):
            for batch in state.batches:
                refused(inside, state, batch.last, at(log, position), "expected its lock, found the")
    service.settle()
    end = inside.publication.end(state.table_id)
    assert end is not None
    for batch in state.batches:
        refused(inside, state, batch.last - 1, end, "expected its lock, found the end")
        seed = asked(inside, state, batch.last, end)
        _, anchor = seeds_and_anchor(seed, table_id=state.table_id, first=batch.first, count=batch.count)
        assert [anchor] == batch.anchors


def test_a_checkpoint_of_another_key_frees_nothing(service: RunningService, inside: Service, tmp_path: Path) -> None:
    """Only what the log's own key signed is published: a custodian that expects another key accepts none of it."""
    stranger = replace(inside.verifier_key, name="other.example/log")
    store = tmp_path / "custodian" / "seeds.db"
    custodian = Custodian(store, lambda: load_seeds_key(service.settings), stranger)
    state = service.queued_state(VICTIM)
    with closing(custodian), pytest.raises(SeedsUnavailableError, match=r"note-signature|checkpoint-origin"):
        custodian.release(chain_of(state, state.batches[0]), 1, lock_of(inside, state, 1))


def rows(store: Path) -> dict[bytes, tuple[bytes, bytes]]:
    """The custodian's store."""
    with closing(sqlite3.connect(store)) as connection:
        return {anchor: (nonce, sealed) for anchor, nonce, sealed in connection.execute("SELECT * FROM chains")}


def test_a_sealed_seed_is_bound_to_its_batch(service: RunningService, tmp_path: Path, inside: Service) -> None:
    """A row that is moved to another batch, opened with another key, or changed in one bit does not decrypt."""
    state, other = service.queued_state(VICTIM), service.queued_state(OTHER)
    mine, theirs = state.batches[0].anchors[0], other.batches[0].anchors[0]
    stored = rows(service.settings.secrets)
    nonce, sealed = stored[mine]
    key = load_seeds_key(service.settings)
    wrong = {
        "moved": (stored[theirs], key),
        "moved within the table": (stored[state.batches[1].anchors[0]], key),
        "other nonce": ((stored[theirs][0], sealed), key),
        "flipped": ((nonce, bytes([sealed[0] ^ 1]) + sealed[1:]), key),
        "cut": ((nonce, sealed[:-1]), key),
        "other key": ((nonce, sealed), bytes(32)),
    }
    for name, (row, with_key) in wrong.items():
        custodian = Custodian(tmp_path / name / "seeds.db", partial(bytes, with_key), inside.verifier_key)
        with closing(custodian):
            custodian._store.put_chain(mine, *row)
            with pytest.raises(SeedsUnavailableError, match="do not decrypt") as told:
                custodian.release(chain_of(state, state.batches[0]), 1, lock_of(inside, state, 1))
        assert mine.hex() in str(told.value)


def test_each_sealed_seed_has_a_nonce_of_its_own(service: RunningService) -> None:
    """No nonce is used twice with one key, and a sealed seed is exactly as long as a seed and its tag."""
    stored = rows(service.settings.secrets)
    batches = service.query("SELECT count(*) FROM batches")
    assert [(len(stored),)] == batches
    assert len({nonce for nonce, _ in stored.values()}) == len(stored)
    assert {(len(nonce), len(sealed)) for nonce, sealed in stored.values()} == {(12, 32 + 16)}
