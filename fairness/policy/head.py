"""A checkpoint that a policy accepts, and who cosigned it (SPEC 5.7)."""

from __future__ import annotations

from dataclasses import dataclass, field

from fairness.checks import Check
from fairness.errors import CheckFailed
from fairness.log.checkpoints import Checkpoint, SignedCheckpoint
from fairness.log.notes import Note
from fairness.policy.policy import Policy, Trust
from fairness.policy.quorum import Witness


@dataclass(frozen=True, slots=True)
class Cosigned:
    """As of ``time``, in seconds since 1970, this witness had seen the checkpoint's tree and no larger one."""

    witness: Witness
    time: int


@dataclass(frozen=True, slots=True)
class Head:
    """A checkpoint that the log's key signed, and every cosignature on it by a witness of the policy."""

    note: bytes = field(compare=False)
    """The signed note with all its lines, verbatim. Those of strangers say nothing, so heads that differ in them are
    equal.
    """
    checkpoint: Checkpoint
    policy: Policy
    cosigned: tuple[Cosigned, ...]
    """In the policy's order of witnesses; of a witness that cosigned twice, both."""
    refused: tuple[Witness, ...] = ()
    """For each line in the name of a witness of the policy that does not verify, this witness."""

    @classmethod
    def read(cls, note: bytes, trust: Trust) -> Head:
        """Check the log's signature, which alone shows a fork. Nothing is demanded of the witnesses.

        Raises `CheckFailed`: `NOTE_FORM`, `NOTE_SIGNATURE`, `CHECKPOINT_FORM`, `CHECKPOINT_ORIGIN`.
        """
        policy = Policy.of(trust)
        checkpoint = Checkpoint.open(note, policy.log)
        opened = Note.parse(note)
        lines = [(each, time) for each in policy.witnesses for time in each.key.times_on(opened)]
        cosigned = tuple(Cosigned(each, time) for each, time in lines if time is not None)
        return cls(note, checkpoint, policy, cosigned, tuple(each for each, time in lines if time is None))

    @classmethod
    def open(cls, note: bytes, trust: Trust) -> Head:
        """Read a checkpoint as `read`, and `check_quorum`."""
        head = cls.read(note, trust)
        head.check_quorum()
        return head

    def check_quorum(self) -> None:
        """Call `check_cosignatures`, and raise `CheckFailed` (`CHECKPOINT_QUORUM`) unless they suffice."""
        self.check_cosignatures()
        if self.policy.quorum is not None and self.quorum_time is None:
            expected, found = f"cosignatures of {self.policy.quorum}", self.cosigners_in_words
            raise CheckFailed(Check.CHECKPOINT_QUORUM, expected=expected, found=found, where="checkpoint")

    def check_cosignatures(self) -> None:
        """Raise `CheckFailed` (`NOTE_SIGNATURE`) unless every line in the name of a witness of the policy
        verifies.
        """
        if self.refused:
            key = self.refused[0].key
            expected = f"a cosignature by {key.name}+{key.key_id.hex()}"
            raise CheckFailed(Check.NOTE_SIGNATURE, expected=expected, found="one that does not verify")

    @property
    def quorum_time(self) -> int | None:
        """The least time, in seconds since 1970, such that the witnesses with a cosignature until then meet the
        quorum.

        `None` if they do not meet it, or if the policy demands none.
        """
        quorum = self.policy.quorum
        for time in sorted({each.time for each in self.cosigned}):
            if quorum is not None and quorum.is_met_by({each.witness for each in self.cosigned if each.time <= time}):
                return time
        return None

    @property
    def cosigners_in_words(self) -> str:
        """Whose cosignatures are on it, for errors."""
        return f"those of {', '.join(each.name for each in self.last_seen)}" if self.cosigned else "none"

    @property
    def signed(self) -> SignedCheckpoint:
        """The signed checkpoint alone, without the policy."""
        return SignedCheckpoint(self.note, self.checkpoint)

    @property
    def last_seen(self) -> dict[Witness, int]:
        """By witness, in the policy's order, the latest time at which it cosigned."""
        seen: dict[Witness, int] = {}
        for each in self.cosigned:
            seen[each.witness] = max(each.time, seen.get(each.witness, 0))
        return seen
