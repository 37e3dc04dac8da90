"""The name of every check, as errors, verdicts and ``SPEC.md`` use it.

A name never changes its meaning. The value of each member is its stable code; `MEANING` says in one
sentence what holds when the check passes.
"""

from __future__ import annotations

from enum import StrEnum


class Check(StrEnum):
    """What can be refuted about a log, a record, a round code, or a proof file."""

    RECORD_FORM = "record-form"
    TIME_ORDER = "time-order"
    TABLE_KNOWN = "table-known"
    TABLE_NEW = "table-new"
    TABLE_ORIGIN = "table-origin"
    TABLE_LEAD = "table-lead"
    TABLE_SALT = "table-salt"
    TABLE_DECLARATION = "table-declaration"
    AFTER_END = "after-end"
    AFTER_CLOSE = "after-close"
    BATCH_NUMBER = "batch-number"
    BATCH_FIRST = "batch-first"
    BATCH_LAST = "batch-last"
    BATCH_PREVIOUS = "batch-previous"
    BATCH_CUSTODIANS = "batch-custodians"
    BATCH_ANCHORS = "batch-anchors"
    BATCH_PENDING = "batch-pending"
    BATCH_RULES = "batch-rules"
    BATCH_BEACON = "batch-beacon"
    SALT_AWAITED = "salt-awaited"
    SALT_SIGNATURE = "salt-signature"
    SALT_TIME = "salt-time"
    LOCK_NEXT = "lock-next"
    LOCK_AFTER_REVEAL = "lock-after-reveal"
    LOCK_OPENED = "lock-opened"
    LEAD_COMMITTED = "lead-committed"
    LEAD_OPENED = "lead-opened"
    BETS_REQUIRED = "bets-required"
    REVEAL_LOCKED = "reveal-locked"
    REVEAL_GIVEN_UP = "reveal-given-up"
    REVEAL_REASON = "reveal-reason"
    SEED_COUNT = "seed-count"
    SEED_LINK = "seed-link"
    OUTCOME = "outcome"
    COMMITMENTS_ROOT = "commitments-root"
    END_LOCKED = "end-locked"
    CLOSE_ENDED = "close-ended"
    CLOSE_BATCHES = "close-batches"
    CLOSE_SEEDS = "close-seeds"
    NOTE_FORM = "note-form"
    NOTE_SIGNATURE = "note-signature"
    CHECKPOINT_FORM = "checkpoint-form"
    CHECKPOINT_ORIGIN = "checkpoint-origin"
    CHECKPOINT_QUORUM = "checkpoint-quorum"
    BATCH_WITNESSED = "batch-witnessed"
    CUSTODY_NOTE = "custody-note"
    TILE = "tile"
    BUNDLE = "bundle"
    INCLUSION = "inclusion"
    COMMITMENTS_FILE = "commitments-file"
    PAYTABLE_FILE = "paytable-file"
    PAYTABLE_FORM = "paytable-form"
    LOG_EXTENDS = "log-extends"
    CODE_FORM = "code-form"
    CODE_CHECKSUM = "code-checksum"
    CODE_GAME = "code-game"
    CODE_TABLE = "code-table"
    CODE_ROUND = "code-round"
    CODE_SEED = "code-seed"
    COMMITMENT = "commitment"
    ROUND_RECORDS = "round-records"
    BET_FORM = "bet-form"
    BET_ROUND = "bet-round"
    BET_DIGEST = "bet-digest"
    FORK_FORM = "fork-form"
    FORK_PROOF = "fork-proof"
    FORK_ROOTS = "fork-roots"
    PROOF_FORM = "proof-form"
    COMMITMENT_PATH = "commitment-path"
    RECEIPT_KEPT = "receipt-kept"


MEANING: dict[Check, str] = {
    Check.RECORD_FORM: "the record has exactly its type's keys and values, in the one accepted spelling",
    Check.TIME_ORDER: "no time of a table is before an earlier record's time",
    Check.TABLE_KNOWN: "the record's table was made by a table record",
    Check.TABLE_NEW: "no other table has this name",
    Check.TABLE_ORIGIN: "the table names this log as its own",
    Check.TABLE_LEAD: "the lead is at least the game's and at most 1000",
    Check.TABLE_SALT: "a table's salt is none, or the name of a beacon",
    Check.TABLE_DECLARATION: "a table declares its game within the limits, exactly if the game is none of the six",
    Check.AFTER_END: "after a table's end come only salts and its close",
    Check.AFTER_CLOSE: "nothing follows a table's close",
    Check.BATCH_NUMBER: "batches are numbered from 1 without a gap",
    Check.BATCH_FIRST: "a batch begins where the last one stopped",
    Check.BATCH_LAST: "a batch's last round is below 2^48",
    Check.BATCH_PREVIOUS: "a batch names the batch before it, or the table",
    Check.BATCH_CUSTODIANS: "a batch has one anchor and one root per custodian",
    Check.BATCH_ANCHORS: "the anchors of a batch differ from one another",
    Check.BATCH_PENDING: "at most 64 batches have rounds that have not ended",
    Check.BATCH_RULES: "a batch's rules are exactly its game's parameters",
    Check.BATCH_BEACON: "a batch names a pulse of the hour after it was committed, exactly if its table has a salt",
    Check.SALT_AWAITED: "a salt belongs to a batch that awaits one",
    Check.SALT_SIGNATURE: "a salt is the pulse that its batch named",
    Check.SALT_TIME: "a salt is not published before its pulse can exist",
    Check.LOCK_NEXT: "rounds are locked one after the other, without a gap",
    Check.LOCK_AFTER_REVEAL: "a round is locked only when the one before has ended",
    Check.LOCK_OPENED: "a round was opened after its table was made and not after its lock",
    Check.LEAD_COMMITTED: "at the lock, the next lead rounds were already committed, and salted",
    Check.LEAD_OPENED: "a round was opened after the batches of the next lead rounds were committed, and salted",
    Check.BETS_REQUIRED: "where the table requires it, the lock of a round that is played carries a digest of its bets",
    Check.REVEAL_LOCKED: "only a locked round is revealed, and once",
    Check.REVEAL_GIVEN_UP: "a round that was given up ends void",
    Check.REVEAL_REASON: "the reason of a void round stands once, in the record that decided",
    Check.SEED_COUNT: "a round has one seed per custodian",
    Check.SEED_LINK: "each seed hashes to the seed before it, or to its batch's anchor",
    Check.OUTCOME: "the outcome is what the rules make of the seeds",
    Check.COMMITMENTS_ROOT: "the batch's seeds give the commitments that were published",
    Check.END_LOCKED: "a table ends with no round locked",
    Check.CLOSE_ENDED: "a table is closed after its end",
    Check.CLOSE_BATCHES: "a close lists every batch with rounds that have not ended, in order",
    Check.CLOSE_SEEDS: "the seeds of a close unroll to the seeds or anchors that are known",
    Check.NOTE_FORM: "the signed note is spelled as C2SP says",
    Check.NOTE_SIGNATURE: "the log's key signed the note",
    Check.CHECKPOINT_FORM: "the checkpoint has an origin, a size and a root, and nothing else",
    Check.CHECKPOINT_ORIGIN: "the checkpoint is this log's",
    Check.CHECKPOINT_QUORUM: "as many witnesses as the policy demands cosigned the checkpoint",
    Check.BATCH_WITNESSED: (
        "as many witnesses as the policy demands saw the batch ten seconds before its pulse, or earlier"
    ),
    Check.CUSTODY_NOTE: (
        "each custodian whose key the policy has vouched for the batch, and for the policy by which it releases the seeds"
    ),
    Check.TILE: "a tile has the hashes that the checkpoint's root demands",
    Check.BUNDLE: "a bundle has whole records, with the hashes of its tile",
    Check.INCLUSION: "the record stands in the log, at the place that its proof names",
    Check.COMMITMENTS_FILE: "the published commitments have the root of their batch record",
    Check.PAYTABLE_FILE: "the file of what a table's bets pay is there, and its hash is the one in the table's record",
    Check.PAYTABLE_FORM: "the file of what a table's bets pay has the form of one, within the limits",
    Check.LOG_EXTENDS: "the log extends the log that was seen before",
    Check.CODE_FORM: "the round code has the form of one",
    Check.CODE_CHECKSUM: "the checksum of the round code holds, so it was typed without an error",
    Check.CODE_GAME: "the round code names the game of its table",
    Check.CODE_TABLE: "the round code is of a table of this log, and a proof file beside it is of the same table",
    Check.CODE_ROUND: "the round has ended, and a proof file beside the code is of this round",
    Check.CODE_SEED: "the code's seeds are the seeds that were revealed",
    Check.COMMITMENT: "the seed opens the commitment that was published for the round",
    Check.ROUND_RECORDS: "the records found are those of this round",
    Check.BET_FORM: "the bet's receipt has the form of one",
    Check.BET_ROUND: "the bet's round was locked in this log",
    Check.BET_DIGEST: "the bet is one of those whose digest the round's lock carries",
    Check.FORK_FORM: "the evidence of a fork has the form of one",
    Check.FORK_PROOF: "the hashes of the evidence lead to the root of the larger checkpoint",
    Check.FORK_ROOTS: "the two checkpoints of the evidence contradict each other",
    Check.PROOF_FORM: "the proof file has the form of one, and the sections of one stage of a round",
    Check.COMMITMENT_PATH: "the commitment is the one that the batch record promises for the round",
    Check.RECEIPT_KEPT: "the log has for the round what the receipt has, at the same places",
}


class Fault(StrEnum):
    """Whose fault a failed check can be. Each has its sentence, the line "What it means" of a verdict (SPEC 8.3)."""

    KEY = "fault-of-key"
    """Whoever has the log's key: the records are authentic, and break a rule."""
    FORK = "fault-of-fork"
    """The same, and what shows it is evidence by itself."""
    SERVER = "fault-of-server"
    """Whoever served a file that is not what the log's key signed."""
    MISSING = "fault-of-server-or-operator"
    """Whoever served a file that nobody but its place vouches for, or the operator that never had it."""
    WITNESSES = "fault-of-witnesses"
    """Witnesses that were away, or whoever shows another log than theirs."""
    FILE = "fault-of-file"
    """Whoever made a file."""
    CODE = "fault-of-code"
    """Whoever gave a round code."""
    RECEIPT = "fault-of-receipt"
    """Whoever gave a bet's receipt."""


_OTHER_FAULTS = {
    Fault.SERVER: (Check.NOTE_FORM, Check.NOTE_SIGNATURE, Check.TILE, Check.BUNDLE),
    Fault.MISSING: (Check.BATCH_WITNESSED, Check.CUSTODY_NOTE, Check.COMMITMENTS_FILE, Check.PAYTABLE_FILE),
    Fault.WITNESSES: (Check.CHECKPOINT_QUORUM,),
    Fault.FILE: (
        *(Check.PROOF_FORM, Check.INCLUSION, Check.COMMITMENT_PATH, Check.ROUND_RECORDS, Check.BET_FORM),
        *(Check.FORK_FORM, Check.FORK_PROOF, Check.FORK_ROOTS, Check.LOG_EXTENDS),
    ),
    Fault.CODE: (
        *(Check.CODE_FORM, Check.CODE_CHECKSUM, Check.CODE_GAME),
        *(Check.CODE_TABLE, Check.CODE_ROUND, Check.CODE_SEED),
    ),
    Fault.RECEIPT: (Check.BET_ROUND, Check.BET_DIGEST),
}
FAULT: dict[Check, Fault] = dict.fromkeys(Check, Fault.KEY) | {
    check: fault for fault, checks in _OTHER_FAULTS.items() for check in checks
}
"""Whose fault it can be that a check failed; of `LOG_EXTENDS`, if both checkpoints were not shown to contradict each
other.
"""
