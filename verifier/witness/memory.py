"""What a witness remembers about one log, durably before each answer.

A witness that forgets what it cosigned can be made to cosign a second history, and then its line means nothing. So a
memory that is missing or damaged is never replaced by an empty one, unless whoever runs the witness says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from fairness.errors import ForedrawError
from fairness.log.notes import VerifierKey
from fairness.policy.cosignatures import WitnessKey
from verifier.audit.remembered import AuditState
from verifier.audit.state_file import StateDamaged, load_checked, load_state, save_checked, save_state
from verifier.file_lock import holding


class Forgotten(ForedrawError):
    """There is no memory, it is damaged, or it is not of this witness and log: nothing can be cosigned."""


class Seen(Struct, frozen=True):
    """What the witness cosigned, and whether it stopped."""

    log: str
    """The log's verifier key."""
    witness: str
    """The witness's key."""
    note: str = ""
    """The signed checkpoint that it cosigned last, verbatim; empty before the first."""
    time: int = 0
    """When it cosigned it, in seconds since 1970: no later cosignature has an earlier time."""
    pulse: int = 0
    """The latest time of a beacon's pulse in the records that it replayed, in seconds since 1970; it is not earlier
    now.
    """
    stopped: str = ""
    """Why it cosigns nothing of this log any more; empty as long as it does."""
    alarm: str = ""
    """The kind of alarm that this was."""
    refused: str = ""
    """The signed checkpoint for which it stopped, verbatim."""


class Memory:
    """The folder in which a witness keeps what it saw of one log."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "seen"
        """Small, and written before each answer. Evidence stands beside it."""
        self._replayed = folder / "replayed"

    @contextmanager
    def held(self, *, make: bool = False) -> Iterator[None]:
        """Keep every other witness away from the folder, which is made first if so asked.

        Raises `Forgotten` if one is there already, or if there is no folder; and `OSError`.
        """
        if make:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            with holding(self.folder / "lock"):
                yield
        except BlockingIOError:
            raise Forgotten(f"another witness uses {self.folder}: two would cosign two histories") from None
        except FileNotFoundError:
            raise Forgotten(self._lost("there is none")) from None

    def begin(self, log: VerifierKey, witness: WitnessKey) -> Seen:
        """Begin with nothing. Raises `Forgotten` if there is a memory already, and `OSError`."""
        if self.file.exists():
            raise Forgotten(f"{self.folder} remembers a log already, so the witness cannot begin there")
        seen = Seen(str(log), str(witness))
        self.save(seen)
        return seen

    def load(self, log: VerifierKey, witness: WitnessKey) -> Seen:
        """Return what is remembered. Raises `Forgotten`, and `OSError`."""
        try:
            seen = load_checked(self.file, Seen)
        except StateDamaged as error:
            raise Forgotten(self._lost(str(error))) from error
        if seen is None:
            raise Forgotten(self._lost("there is none"))
        for kind, remembered, given in (("log", seen.log, log), ("witness", seen.witness, witness)):
            if remembered != str(given):
                raise Forgotten(f"{self.folder} is of the {kind} {remembered}, not of {given}")
        return seen

    def save(self, seen: Seen) -> None:
        """Remember. When it returns, that is durable; when it raises `OSError`, what was remembered before still
        is.
        """
        save_checked(self.file, seen)

    def load_replayed(self) -> AuditState | None:
        """Return how far records were replayed; `None` if that must begin with the first one. Raises `OSError`."""
        try:
            return load_state(self._replayed)
        except StateDamaged:
            # It only saves time: no answer depends on it before every record was replayed.
            return None

    def save_replayed(self, state: AuditState) -> None:
        """Keep how far records were replayed. Raises `OSError`."""
        save_state(self._replayed, state)

    def _lost(self, why: str) -> str:
        return (
            f"no memory in {self.folder}: {why}. A witness that forgot what it cosigned could cosign a second history:"
            " put its folder back, or make a new key. If this key never cosigned this log, begin with --begin"
        )
