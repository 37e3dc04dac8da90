"""The file in which an auditor keeps what was seen.

It is what makes history impossible to rewrite, so one run has it at a time, and what it remembers is replaced only by
what a run has found to begin with it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Literal, Self, TypeVar

import msgspec
from msgspec import Raw, Struct

from fairness.errors import ForedrawError, Unreadable
from fairness.hashing import sha256
from verifier.audit.remembered import AuditState
from verifier.durable_file import write_durably
from verifier.file_lock import holding

Value = TypeVar("Value", bound=Struct)


class StateDamaged(ForedrawError):
    """The state file is not one that this program wrote."""


class StateInUse(ForedrawError):
    """Another run has the state file, or has changed it: nothing was remembered."""


class StateFile:
    """A state file, for one run: see `held`."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._known: bytes | None = None

    @classmethod
    @contextmanager
    def held(cls, file: Path) -> Iterator[Self]:
        """Keep every other run away from the file, whatever link leads to it. Raises `StateInUse` and `OSError`."""
        place = Path(os.path.realpath(file))
        # The file itself is replaced each time, and with it a lock would go.
        lock = place.with_name(f"{place.name}.lock")
        with ExitStack() as stack:
            try:
                stack.enter_context(holding(lock))
            except BlockingIOError:
                words = "another audit or watch uses it: wait until that one has ended, or name a file of your own"
                raise StateInUse(words) from None
            yield cls(file)

    def load(self) -> AuditState | None:
        """Return what is remembered, or `None` if there is no such file yet. Raises `StateDamaged` or `OSError`."""
        self._known = _read(self.file)
        return None if self._known is None else _checked(self.file, self._known, AuditState)

    def save(self, state: AuditState) -> None:
        """Remember what begins with all that was loaded or saved last. Raises `OSError` and `StateInUse`.

        A file that was put in its place meanwhile, by hand or from another machine, may have seen more than this run.
        """
        if (found := _read(self.file)) is not None and found != self._known:
            raise StateInUse("another program has replaced it meanwhile, and may have seen what this one has not")
        save_state(self.file, state)
        self._known = _read(self.file)


class _File(Struct, forbid_unknown_fields=True):
    sha256: str
    state: Raw
    v: Literal[1] = 1


def load_state(file: Path) -> AuditState | None:
    """Return the saved state, or `None` if there is no such file yet. Raises `StateDamaged` or `OSError`."""
    return load_checked(file, AuditState)


def save_state(file: Path, state: AuditState) -> None:
    """Save ``state``. When it returns, the file is durable; when it raises `OSError`, the old one is unchanged."""
    save_checked(file, state)


def load_checked(file: Path, kind: type[Value]) -> Value | None:
    """Return a value that `save_checked` wrote, or `None` if there is no such file yet. Raises `StateDamaged` or
    `OSError`.
    """
    data = _read(file)
    return None if data is None else _checked(file, data, kind)


def save_checked(file: Path, value: Struct | Raw) -> None:
    """Save any value with a checksum, as `save_state` does."""
    encoded = msgspec.json.encode(value)
    write_durably(file, msgspec.json.encode(_File(sha256(encoded).hex(), Raw(encoded))))


def _read(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None


def _checked(file: Path, data: bytes, kind: type[Value]) -> Value:
    try:
        whole = msgspec.json.decode(data, type=_File)
        value = msgspec.json.decode(whole.state, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise StateDamaged(f"{file} is no state file of this program ({error})") from error
    if sha256(bytes(whole.state)).hex() != whole.sha256:
        raise StateDamaged(f"{file} is damaged: its checksum does not hold")
    if msgspec.json.encode(value) != bytes(whole.state):
        raise StateDamaged(f"{file} is of another version of this program, which remembered other things")
    return value


@contextmanager
def state_file(file: Path) -> Iterator[StateFile]:
    """Have a state file for as long as a command runs. Raises `Unreadable` if another command has it, or if it cannot
    be made.
    """
    with ExitStack() as stack:
        try:
            held = stack.enter_context(StateFile.held(file))
        except StateInUse as error:
            raise Unreadable(str(file), str(error)) from None
        except OSError as error:
            raise Unreadable(str(file), f"nothing could be remembered there: {error.strerror or error}") from error
        yield held


def remembered(state: StateFile) -> AuditState | None:
    """Return the content of a state file; `None` if there is no such file yet."""
    try:
        return state.load()
    except StateDamaged as error:
        raise Unreadable(str(state.file), f"{error}; move it away to audit from the first record") from error
    except OSError as error:
        raise Unreadable(str(state.file), error.strerror or str(error)) from error
