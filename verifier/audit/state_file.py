"""The file in which an auditor keeps what was seen."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeVar

import msgspec
from msgspec import Raw, Struct

from fairness.errors import ForedrawError
from fairness.hashing import sha256
from verifier.audit.report import AuditState
from verifier.durable_file import write_durably

Value = TypeVar("Value", bound=Struct)


class StateDamaged(ForedrawError):
    """The state file is not one that this program wrote."""


class _File(Struct, forbid_unknown_fields=True):
    sha256: str
    state: Raw
    v: Literal[1] = 1


def load_state(file: Path) -> AuditState | None:
    """The saved state, or `None` if there is no such file yet. Raises `StateDamaged` or `OSError`."""
    return load_checked(file, AuditState)


def save_state(file: Path, state: AuditState) -> None:
    """Save ``state``. When it returns, the file is durable; when it raises `OSError`, the old one is unchanged."""
    save_checked(file, state)


def load_checked(file: Path, kind: type[Value]) -> Value | None:
    """A value that `save_checked` wrote, or `None` if there is no such file yet. Raises `StateDamaged` or `OSError`."""
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        return None
    try:
        whole = msgspec.json.decode(data, type=_File)
        value = msgspec.json.decode(whole.state, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise StateDamaged(f"{file} is no state file of this program ({error})") from error
    if sha256(bytes(whole.state)).hex() != whole.sha256:
        raise StateDamaged(f"{file} is damaged: its checksum does not hold")
    return value


def save_checked(file: Path, value: Struct) -> None:
    """Save any value with a checksum, as `save_state` does."""
    encoded = msgspec.json.encode(value)
    write_durably(file, msgspec.json.encode(_File(sha256(encoded).hex(), Raw(encoded))))
