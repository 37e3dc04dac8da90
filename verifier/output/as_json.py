"""What all verdicts have for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from fairness.log.checkpoints import Checkpoint
from fairness.manifest import VERIFIER, manifest_of_running
from fairness.policy.head import Head
from fairness.version import VERSION
from verifier.output.kind import Kind, kind_of
from verifier.output.witnesses import witnessed_json

if TYPE_CHECKING:
    from verifier.answers.failures import Verdict
    from verifier.answers.parts import CosignedHead, Held, LogHead, Program

Json = dict[str, Any]


def without_nulls(found: Mapping[str, object]) -> Json:
    """Return a document for programs: what is absent has no key, at any depth."""
    return {key: _present(value) for key, value in found.items() if value is not None}


def _present(value: object) -> object:
    if isinstance(value, Mapping):
        return without_nulls(value)
    return [_present(each) for each in value] if isinstance(value, list | tuple) else value


def program_json() -> Program:
    """Return which program says a verdict. It is this program's own word."""
    return {"version": VERSION, "manifest": manifest_of_running(VERIFIER)}


def verdict_json(
    command: str, verdict: Kind | Literal["failed", "mistyped", "not-shown", "unknown", "unreadable"]
) -> Verdict:
    """Return what each begins with."""
    return {"v": 1, "command": command, "verdict": str(verdict)}


def held_json(command: str, head: Head, unknown: Sequence[str], *, is_empty: bool = False) -> Held:
    """Return what one begins with that did not fail, and what is ``unknown`` of it."""
    return {**verdict_json(command, kind_of(head, unknown, is_empty=is_empty)), "unknown": list(unknown)}


def head_json(checkpoint: Checkpoint) -> LogHead:
    """Return a checkpoint."""
    return {"origin": checkpoint.origin, "size": checkpoint.size, "root": checkpoint.root.hex()}


def cosigned_head_json(head: Head) -> CosignedHead:
    """Return a checkpoint, and who cosigned it."""
    return {**head_json(head.checkpoint), "witnessed": witnessed_json(head)}
