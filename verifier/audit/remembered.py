"""What one audit remembers for the next, and what one that could not read everything keeps beside it (SPEC 8.1)."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy

from msgspec import Struct, field
from msgspec.structs import replace

from fairness.draws.game import Games, is_known_now
from fairness.errors import CheckFailed, Malformed, Unreadable
from fairness.hashing import sha256
from fairness.log.checkpoints import SignedCheckpoint
from fairness.log.notes import VerifierKey
from fairness.policy.head import Head
from fairness.policy.policy import Policy, Trust
from fairness.records.rules import UNSALTED
from fairness.records.table_state import TableState
from fairness.version import VERSION
from games import GAMES
from verifier.audit.clock import Pulse, Seen
from verifier.audit.custody import Custody, custodians_of
from verifier.audit.history import TableHistory
from verifier.audit.witnesses import Witnessing, asked_of


class Part(Struct):
    """How far an audit came. Nothing of it is a verdict: commitments and witnesses are asked at the end of an
    audit.
    """

    trust: str
    """By what its records were replayed, as `trust_of` spells it."""
    checkpoint: str
    """The signed note whose records they are, verbatim."""
    start: int
    """How many records an earlier audit had replayed."""
    size: int
    """How many are replayed now."""
    tables: dict[str, TableState]
    histories: dict[str, TableHistory]
    asides: dict[str, int] = field(default_factory=dict)
    """How many asides the records had, by their types."""
    custody: Custody | None = None
    """With the batches whose notes were not checked; `None` if nothing is demanded of custodians."""
    witnessing: Witnessing | None = None
    """With the batches whose files were not checked; `None` if nothing is demanded of witnesses."""
    seen: list[Seen] = field(default_factory=list)
    """What the files that were checked show about times."""
    pulses: list[Pulse] = field(default_factory=list)
    """Those since ``start``."""
    times: list[bytes] = field(default_factory=list)
    """What `BundleTimes` packed of the records since ``start``."""


class AuditState(Struct):
    """What the next audit needs to read only what is new."""

    key: str
    """The verifier key that the log was audited with."""
    checkpoint: str
    """The signed note, verbatim; empty as long as no audit has ended."""
    tables: dict[str, TableState]
    histories: dict[str, TableHistory]
    seen: str = ""
    """A larger signed checkpoint that extends that one, but whose records could not be replayed."""
    witnessing: Witnessing | None = None
    """What witnesses showed; `None` if nothing was demanded of them."""
    asides: dict[str, int] = field(default_factory=dict)
    """How many asides the log had, by their types."""
    custody: Custody | None = None
    """What custodians said; `None` if nothing was demanded of them."""
    part: Part | None = None
    """What a later audit, which could not read everything, had checked; `None` if the last one ended."""

    @classmethod
    def empty(cls, key: VerifierKey, part: Part | None = None) -> AuditState:
        """Return the state before the first audit that ended."""
        return cls(str(key), "", {}, {}, part=part)


class Incomplete(Unreadable):
    """An audit could not read everything. ``state`` is what was remembered before, and beside it how far this one
    came.
    """

    def __init__(self, cause: Unreadable, state: AuditState, part: Part, size: int) -> None:
        super().__init__(cause.path, cause.why)
        self.state = replace(state, part=part)
        self.replayed, self.size = part.size, size
        """How many of the log's ``size`` records were replayed."""


def trust_of(policy: Policy) -> str:
    """Return what decides how records are replayed and what is noted of them: the log's key, the policy, and this
    program's version.
    """
    return sha256(" ".join([VERSION, str(policy.log), asked_of(policy), custodians_of(policy)]).encode()).hex()


def remembered_heads(state: AuditState, trust: Trust) -> tuple[list[SignedCheckpoint], int]:
    """Return the checkpoints that the log must extend, the largest last, and how many records were replayed;
    `ValueError` for another log's.
    """
    # No quorum is asked for: they bind the log that signed them, whoever cosigned, and may be older than the policy.
    key = Policy.of(trust).log
    if state.key != str(key):
        raise ValueError(f"the remembered state is of the log {state.key}, not of {key}")
    notes = {state.checkpoint, state.seen, state.part.checkpoint if state.part else ""} - {""}
    try:
        heads = {note: SignedCheckpoint.open(note.encode(), key) for note in notes}
    except (CheckFailed, Malformed) as error:
        raise ValueError(f"the remembered checkpoint is damaged: {error}") from error
    replayed = heads[state.checkpoint].checkpoint.size if state.checkpoint else 0
    return sorted(heads.values(), key=lambda head: head.checkpoint.size), replayed


def begin(state: AuditState, replayed: int, head: Head, games: Games) -> Part:
    """Return what an audit of ``head`` begins with; replay changes it, and ``state`` must stay unchanged if that
    fails.
    """
    policy, note, trust = head.policy, head.signed.note.decode(), trust_of(head.policy)
    if must_begin_again(policy, state, games):
        # What was replayed is not remembered record by record, so all of it is read again.
        state, replayed = AuditState.empty(policy.log, state.part), 0
    part = state.part
    if part is None or (part.trust, part.start) != (trust, replayed) or _knows_more(part.tables, games):
        part = Part(trust, note, replayed, replayed, state.tables, state.histories, asides=state.asides)
        if policy.quorum is not None:
            before = state.witnessing or Witnessing()
            part.witnessing = replace(before, by=asked_of(policy))
        if policy.custodians:
            part.custody = replace(state.custody or Custody(), by=custodians_of(policy))
    return deepcopy(replace(part, checkpoint=note))


def must_begin_again(policy: Policy, state: AuditState, games: Games = GAMES) -> bool:
    """Return whether the audits that led to a state left out what can be checked now: by this policy, or by this
    newer program.
    """
    return _asks_others(policy, state) or _names_others(policy, state) or _knows_more(state.tables, games)


def _knows_more(tables: Mapping[str, TableState], games: Games) -> bool:
    return any(_is_known_now(table, games) for table in tables.values())


def _is_known_now(table: TableState, games: Games) -> bool:
    # A later program has another version, so it begins again in any case.
    return bool(table.unknown) and any(is_known_now(games.of(table), what) for what in table.unknown)


def _names_others(policy: Policy, state: AuditState) -> bool:
    names = {each.name for each in policy.custodians}
    if all(names.isdisjoint(table.custodians) for table in state.tables.values()):
        return False
    return state.custody is None or state.custody.by != custodians_of(policy)


def _asks_others(policy: Policy, state: AuditState) -> bool:
    if policy.quorum is None or not state.tables:
        return False
    if state.witnessing is None:
        # Nobody noted the times of the records that were replayed.
        return True
    return any(table.salt != UNSALTED for table in state.tables.values()) and state.witnessing.by != asked_of(policy)
