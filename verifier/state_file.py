"""The file in which an auditor remembers what was seen, and the evidence when a log breaks with it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Raw, Struct

from fairness.errors import ForedrawError
from fairness.hashing import sha256
from verifier.audit import NotAnExtension
from verifier.report import AuditState

_EVIDENCE_NAME_SIZE = 8


class StateDamaged(ForedrawError):
    """The state file is not one that this program wrote."""


class _File(Struct, forbid_unknown_fields=True):
    sha256: str
    state: Raw
    v: Literal[1] = 1


class _Evidence(Struct):
    what: str
    key: str
    remembered: str
    served: str
    v: Literal[1] = 1


def load_state(file: Path) -> AuditState | None:
    """What was remembered, or `None` where there is no such file yet. Raises `StateDamaged` or `OSError`."""
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        return None
    try:
        whole = msgspec.json.decode(data, type=_File)
        state = msgspec.json.decode(whole.state, type=AuditState)
    except msgspec.MsgspecError as error:
        raise StateDamaged(f"{file} is no state file of this program ({error})") from error
    if sha256(bytes(whole.state)).hex() != whole.sha256:
        raise StateDamaged(f"{file} is damaged: its checksum does not hold")
    return state


def save_state(file: Path, state: AuditState) -> None:
    """Remember ``state``. When it returns the file is durable; when it raises `OSError`, the old one still stands."""
    encoded = msgspec.json.encode(state)
    _write(file, msgspec.json.encode(_File(sha256(encoded).hex(), Raw(encoded))))


def save_evidence(file: Path, key: str, error: NotAnExtension) -> Path:
    """Keep both signed checkpoints beside the state file. Other evidence is never overwritten."""
    what = "the log's key signed two checkpoints, and the served log does not extend the remembered one"
    encoded = msgspec.json.format(msgspec.json.encode(_Evidence(what, key, error.remembered, error.served)))
    name = sha256(encoded).hex()[:_EVIDENCE_NAME_SIZE]
    evidence = file.with_name(f"{file.name}.evidence-{name}.json")
    _write(evidence, encoded)
    return evidence


def _write(file: Path, data: bytes) -> None:
    # A crash leaves the old file or the new one, and at worst a leftover that the next run replaces.
    unfinished = file.with_name(f"{file.name}.unfinished")
    with unfinished.open("wb") as opened:
        opened.write(data)
        opened.flush()
        os.fsync(opened.fileno())
    unfinished.replace(file)
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
