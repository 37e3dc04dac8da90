"""The check of a round's proof file: offline, from the file and the log's key alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from fairness.beacon.chain import Beacons
from fairness.checks import Check
from fairness.draws.commitments import commitment
from fairness.draws.game import Games
from fairness.errors import CheckFailed, Malformed
from fairness.hashing import leaf_hash, parse_hex
from fairness.log.checkpoints import Checkpoint
from fairness.policy.custody import Released
from fairness.policy.head import Head
from fairness.policy.policy import Policy, Trust
from fairness.policy.witnessed import Witnessed, claimed_size
from fairness.records.record import BatchRecord, LockRecord, RevealRecord, SaltRecord, TableRecord
from fairness.records.rules import UNSALTED
from fairness.round.authentic_log import AnyRecord, Placed, read_placed
from fairness.round.proof import RoundProof
from fairness.round.proof_sections import CustodySection, ProvenRecord
from fairness.round.rules import (
    Fixing,
    check_batch_of,
    check_beacon_of,
    check_chains,
    check_custody_of,
    check_lock_of,
    check_opened,
    check_outcome,
    check_pulse_of,
    check_revealed_after,
    check_round_of,
    check_salt_after,
    check_salt_of,
    check_seed_count,
    check_table_of,
    check_times,
    check_witnessed_of,
    lead_round,
    time_of,
)
from games import GAMES
from games.order import order_to_show
from verifier.caveats import caveats, cosigners, unknown_beacon, unknown_game, witnessed_sentence
from verifier.custodians import custody_sentences, unknown_custody
from verifier.round.consistency import check_witnessed_begins
from verifier.round.proof_report import ProofReport
from verifier.round.report import Passed, Salt
from verifier.sentences import MOST_NAMED, Checked, NotChecked, Sentence, Unknown


def read_proof(data: bytes) -> RoundProof:
    """Parse a proof file. Raises `CheckFailed` (`PROOF_FORM`)."""
    try:
        return RoundProof.parse(data)
    except Malformed as error:
        found = f"{error.what} {error.found}"
        raise CheckFailed(Check.PROOF_FORM, expected=error.expected, found=found) from error


Compare = Callable[[Placed[TableRecord], int, Placed[RevealRecord] | None], None]
"""Compares the table, the number and the reveal of a round, which stand in the log, with what else is known of it."""


def check_proof(data: bytes, trust: Trust, *, games: Games = GAMES, compare: Compare | None = None) -> ProofReport:
    """Check a proof file of the log that ``trust`` names, and ``compare`` what it is of. Raises `CheckFailed`."""
    # A proof file shows that a round was fixed in advance, and what came of it, if (SPEC 8.6):
    #  1. it has the form of one;
    #  2. its checkpoint is signed by the log's key, extends the one in which witnesses saw the batch, and has the
    #     policy's quorum;
    #  3. each of its records stands in the log, at its index;
    #  4. they are the table, the batch with its salt, which is the pulse that it named, the locks and the reveal of
    #     this round;
    #  5. they stand in the order that the rules demand: what fixed the round before the lock `lead` rounds ahead;
    #     and with a policy, witnesses saw the batch before its pulse;
    #  6. the commitments are those that the batch record promises for this round;
    #  7. the seeds open them, and unroll to the batch's anchors;
    #  8. the outcome is what the rules of the batch make of the seeds and the salt.
    # For a round that has not ended, steps 7 and 8 have nothing to check.

    # Step 1: the form.
    proof = read_proof(data)

    # Step 2: the checkpoint. The log's signature alone shows a fork, so the quorum is asked for last.
    head = Head.read(proof.checkpoint, trust)
    check_witnessed_begins(proof, head)
    head.check_quorum()

    # Step 3: the records stand in the log.
    for _, record in proof.records():
        record.inclusion.check(leaf_hash(record.data), head.checkpoint)

    # Step 4: they are what they are claimed to be.
    found = _Found.read(proof)
    found.check_kinds(head.checkpoint, games, head.policy.known_beacons)
    if compare is not None:
        compare(found.table, found.number, found.reveal)

    # Step 5: their order.
    found.check_order()
    witnessed = found.check_witnessed(head.policy)
    released = found.check_custody(head.policy)

    # Step 6: the commitments.
    _check_commitments(proof, found)

    if found.reveal is not None:
        # Step 7: the seeds.
        seeds = _check_seeds(proof, found, found.reveal)

        # Step 8: the outcome.
        check_outcome(found.batch, found.salt, found.reveal, seeds, games.of(found.table.record))
    return _report(proof, found, head, witnessed, released, games)


@dataclass(frozen=True, slots=True)
class _Found:
    """The records of a proof file."""

    table_name: str
    number: int
    table: Placed[TableRecord]
    batch: Placed[BatchRecord]
    salt: Placed[SaltRecord] | None
    witnessed: bytes | None
    lead_lock: Placed[LockRecord] | None
    lock: Placed[LockRecord] | None
    reveal: Placed[RevealRecord] | None
    custody: tuple[CustodySection, ...]

    @property
    def fixed(self) -> Fixing:
        """The record that fixed the round; of a batch that awaits its salt, the batch."""
        return self.salt or self.batch

    @classmethod
    def read(cls, proof: RoundProof) -> _Found:
        def placed(section: ProvenRecord, kind: type[AnyRecord], what: str) -> Placed[AnyRecord]:
            return read_placed(section.data, section.inclusion.index, kind, what, proof.table_name)

        return cls(
            proof.table_name,
            proof.number,
            placed(proof.table, TableRecord, "a table record"),
            placed(proof.batch, BatchRecord, "a batch record"),
            placed(proof.salt, SaltRecord, "a salt record") if proof.salt else None,
            proof.witnessed,
            placed(proof.lead_lock, LockRecord, "a lock record") if proof.lead_lock else None,
            placed(proof.lock, LockRecord, "a lock record") if proof.lock else None,
            placed(proof.reveal, RevealRecord, "a reveal record") if proof.reveal else None,
            proof.custody,
        )

    def check_kinds(self, checkpoint: Checkpoint, games: Games, beacons: Beacons) -> None:
        if self.table.record.table != self.table_name:
            expected, found = f"the table {self.table_name}", self.table.record.table
            raise CheckFailed(Check.ROUND_RECORDS, expected=expected, found=found, index=self.table.index)
        check_table_of(self.table, checkpoint.origin, games)
        check_batch_of(self.table, self.number, self.batch)
        witness = lead_round(self.table.record, self.number)
        if self.lead_lock is not None and witness == self.number:
            expected = f"no lead-lock: no round before {self.number} shows anything"
            raise CheckFailed(Check.PROOF_FORM, expected=expected, found="one")
        _check_custodians(self.table, self.custody)
        self._check_salt(beacons)
        for number, lock in ((witness, self.lead_lock), (self.number, self.lock)):
            if lock is not None:
                check_lock_of(self.table, number, lock)
        if self.reveal is not None:
            check_round_of(self.table, self.number, self.reveal)

    def _check_salt(self, beacons: Beacons) -> None:
        """Check that it is there if it must be, and the pulse that the batch named."""
        if self.table.record.salt == UNSALTED and (self.salt is not None or self.witnessed is not None):
            expected, found = f"no salt: {self.table_name} has none", "a salt" if self.salt else "a section witnessed"
            raise CheckFailed(Check.PROOF_FORM, expected=expected, found=found)
        if self.table.record.salt != UNSALTED and self.salt is None and (self.lead_lock or self.lock):
            raise CheckFailed(Check.PROOF_FORM, expected="a section salt", found="none")
        check_beacon_of(self.table, self.batch, beacons)
        if self.salt is not None:
            check_salt_of(self.batch, self.salt)
            check_pulse_of(self.table, self.batch, self.salt, beacons)

    def check_order(self) -> None:
        locks = [lock for lock in (self.lead_lock, self.lock) if lock is not None]
        _check_after(self.table.index, self.batch, Check.TABLE_KNOWN)
        salts = [] if self.salt is None else [self.salt]
        for salt in salts:
            check_salt_after(self.batch, salt)
        before = self.fixed.index
        for lock, check in zip(locks, (Check.LEAD_COMMITTED, Check.LOCK_NEXT), strict=False):
            _check_after(before, lock, check)
            before = lock.index
        for lock in locks:
            check_opened(lock, time_of(self.fixed))
        if self.lock is not None and self.reveal is not None:
            check_revealed_after(self.lock, self.reveal)
        check_times(self.table, [self.batch, *salts, *locks, *([self.reveal] if self.reveal else [])])

    def check_custody(self, policy: Policy) -> tuple[Released, ...]:
        """Return by what the custodians whose keys the policy has release the seeds of the batch."""
        index = self.batch.index
        return check_custody_of(self.table, self.batch, policy, lambda name: _said_in(self.custody, name, index))

    def check_witnessed(self, policy: Policy) -> Witnessed | None:
        """Return what the witnesses saw of the batch; `None` if nothing is demanded of them."""
        if policy.quorum is None or self.table.record.salt == UNSALTED:
            return None
        if self.witnessed is None:
            expected = "a section witnessed"
            raise CheckFailed(Check.BATCH_WITNESSED, expected=expected, found="none", index=self.batch.index)
        return check_witnessed_of(self.table, self.batch, self.witnessed, policy)


def _said_in(sections: Sequence[CustodySection], name: str, index: int) -> tuple[bytes, bytes | None]:
    for each in sections:
        if each.custodian == name:
            return each.note, each.policy
    where = f"the note of {name}"
    raise CheckFailed(
        Check.CUSTODY_NOTE, expected=f"a section custody of {name}", found="none", index=index, where=where
    )


def _check_custodians(table: Placed[TableRecord], sections: Sequence[CustodySection]) -> None:
    """Check that the sections are of custodians of the table, in its order, each at most once."""
    names = [each.custodian for each in sections]
    if names != [name for name in table.record.custodians if name in names]:
        expected = f"sections custody of {', '.join(table.record.custodians)}, in this order, each at most once"
        raise CheckFailed(Check.PROOF_FORM, expected=expected, found=", ".join(names))


def _check_after(before: int, placed: Placed[AnyRecord], check: Check) -> None:
    if placed.index <= before:
        expected = f"a {placed.record.type} after record {before}"
        raise CheckFailed(check, expected=expected, found=f"record {placed.index}", index=placed.index)


def _check_commitments(proof: RoundProof, found: _Found) -> None:
    batch, custodians = found.batch.record, found.table.record.custodians
    if len(proof.commitments) != len(custodians):
        expected = f"{len(custodians)} commitments, one per custodian"
        raise CheckFailed(Check.PROOF_FORM, expected=expected, found=len(proof.commitments))
    place = proof.number - batch.first
    for custodian, root, proven in zip(custodians, batch.commitments, proof.commitments, strict=True):
        where = f"the commitment of {custodian}"
        if proven.inclusion.index != place:
            found_at = f"index {proven.inclusion.index}"
            raise CheckFailed(Check.COMMITMENT_PATH, expected=f"index {place}", found=found_at, where=where)
        try:
            proven.inclusion.check_leads(
                leaf_hash(proven.digest), batch.count, parse_hex(root), Check.COMMITMENT_PATH
            )
        except CheckFailed as failure:
            raise failure.at(where=where) from None


def _check_seeds(proof: RoundProof, found: _Found, reveal: Placed[RevealRecord]) -> list[bytes]:
    check_seed_count(found.table, reveal)
    seeds = [parse_hex(seed) for seed in reveal.record.seeds]
    table_id = found.table.record_id
    for seed, proven in zip(seeds, proof.commitments, strict=True):
        digest = commitment(seed, table_id=table_id, round_number=proof.number)
        if digest != proven.digest:
            expected = proven.digest.hex()
            raise CheckFailed(Check.COMMITMENT, expected=expected, found=digest.hex(), index=reveal.index)
    check_chains(found.table, found.batch, proof.number, seeds)
    return seeds


def _signed(head: Head) -> Passed:
    size = head.checkpoint.size
    if head.policy.quorum is None:
        return Passed(Check.NOTE_SIGNATURE, Checked.CHECKPOINT_OF_SIZE.fill(size=size))
    cosigned = Checked.CHECKPOINT_OF_SIZE_COSIGNED.fill(size=size, names=cosigners(head))
    return Passed(Check.CHECKPOINT_QUORUM, cosigned)


def _of_records(
    proof: RoundProof,
    found: _Found,
    head: Head,
    witnessed: Witnessed | None,
    released: Sequence[Released],
    unknown: tuple[str, ...],
) -> Iterator[Passed]:
    """Yield what steps 1 to 6 checked; an ``unknown`` beacon leaves out its salt."""
    names, indexes = zip(*((name, each.inclusion.index) for name, each in proof.records()), strict=True)
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    yield Passed(Check.PROOF_FORM, Checked.FILE_FORM)
    yield _signed(head)
    if proof.witnessed is not None:
        yield Passed(Check.LOG_EXTENDS, Checked.WITNESSED_BEGINS.fill(size=claimed_size(proof.witnessed)))
    yield Passed(Check.INCLUSION, Checked.RECORDS_IN_LOG.fill(records=", ".join(map(str, indexes))), indexes)
    claimed = Checked.RECORDS_CLAIMED.fill(names=listed, round=proof.number, table=found.table.record.table)
    yield Passed(Check.ROUND_RECORDS, claimed)
    yield Passed(Check.TIME_ORDER, Checked.ORDER)
    if found.salt and not unknown:
        yield Passed(Check.SALT_SIGNATURE, Checked.SALT_IS_PULSE)
    if witnessed:
        yield Passed(Check.BATCH_WITNESSED, witnessed_sentence(witnessed, unknown))
    for each in custody_sentences(released, found.table.record.custodians, head.policy, one_round=True):
        yield Passed(Check.CUSTODY_NOTE, each)
    yield Passed(Check.COMMITMENT_PATH, Checked.COMMITMENTS_PROMISED)


def _of_reveal(found: _Found, newer: tuple[str, ...]) -> Iterator[Passed]:
    """Yield what steps 7 and 8 checked; a ``newer`` game leaves out its outcome."""
    if found.reveal is not None:
        yield Passed(Check.COMMITMENT, Checked.SEEDS_OPEN_AND_CHAIN)
        if not newer:
            yield Passed(Check.OUTCOME, Checked.OUTCOME_FOLLOWS_SEEDS)


def _counted(sentence: Sentence, names: Sequence[str]) -> str:
    return sentence.fill(count=len(names), names=", ".join(names[:MOST_NAMED]))


def _report(
    proof: RoundProof,
    found: _Found,
    head: Head,
    witnessed: Witnessed | None,
    released: Sequence[Released],
    games: Games,
) -> ProofReport:
    table, number = found.table.record, proof.number
    unknown = unknown_beacon(table, head.policy)
    # A file without a reveal has no outcome to be checked.
    newer = unknown_game(table, games, found.batch.record.rules) if found.reveal else ()
    further = [] if found.reveal else [NotChecked.WHAT_FOLLOWED]
    later = (_counted(Unknown.NEWER_SECTIONS, proof.later),) if proof.later else ()
    asides = [_counted(NotChecked.ASIDES, [each.name for each in proof.asides])] if proof.asides else []
    between = [NotChecked.ROUNDS_BETWEEN] if found.lead_lock and number - lead_round(table, number) > 1 else []
    return ProofReport(
        head=head,
        round=number,
        table=found.table,
        batch=found.batch,
        salt=Salt.of(found.table, found.batch, found.salt),
        witnessed=witnessed,
        # Without a lead-lock, the lock is of a round that has none before it (`check_kinds`).
        lead_lock=found.lead_lock or found.lock,
        lock=found.lock,
        reveal=found.reveal,
        commitments=tuple(each.digest.hex() for each in proof.commitments),
        passed=(*_of_records(proof, found, head, witnessed, released, unknown), *_of_reveal(found, newer)),
        not_checked=(
            *(NotChecked.AS_OF_CHECKPOINT, *further, NotChecked.ONE_ROUND_ONLY, *between, *asides),
            *caveats([table], games, head.policy),
        ),
        unknown=(*unknown, *newer, *unknown_custody(released), *later),
        is_outcome_known=not newer,
        order=tuple(order_to_show(games.of(table), found.reveal.record.outcome))
        if found.reveal and not newer
        else (),
    )
