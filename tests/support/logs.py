"""Logs to audit: the log of the vectors, and long ones."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fairness.log.checkpoints import Checkpoint
from fairness.log.edge import LogEdge
from fairness.log.notes import SigningKey
from tests.house import HOUSE
from tests.support.dishonest_operator import KEY, Operator
from verifier.audit.audit import audit_log
from verifier.audit.bundles import Progress
from verifier.audit.remembered import AuditState
from verifier.audit.report import AuditReport
from verifier.sources.source import FolderSource

VECTORS = HOUSE / "tests" / "vectors"
SUMMARY: dict[str, Any] = json.loads((VECTORS / "protocol.json").read_text())["log"]
LOG_KEY = SigningKey(SUMMARY["origin"], bytes(32))


def write_vector_log(folder: Path) -> None:
    """Write the log of the vectors as files. Only its maker knows the commitments of its unopened batches."""
    edge = LogEdge()
    files = []
    for data in (VECTORS / "log.jsonl").read_bytes().split(b"\n"):
        files += edge.append(data) if data else []
    files += edge.partial_files()
    files.append(("checkpoint", Checkpoint(LOG_KEY.name, edge.size, edge.root).sign(LOG_KEY)))
    write_files(folder, dict(files))


def write_files(folder: Path, files: Mapping[str, bytes]) -> Path:
    """Write the files of a log by their paths; files that are there already and have no part in it stay."""
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder


def audited(
    folder: Path, *, jobs: int = 1, previous: AuditState | None = None, progress: Progress | None = None
) -> AuditReport:
    """The verdict on a folder that the tests' operator wrote."""
    return audit_log(FolderSource(folder), KEY.verifier_key, jobs=jobs, previous=previous, progress=progress)


def long_log() -> Operator:
    """Write a log of three bundles, with a record in the second that breaks a rule."""
    operator = Operator()
    operator.table("one", "hi-lo")
    operator.table("two", "hi-lo")
    for name in ("one", "two"):
        operator.batch(name, 300)
    for _ in range(130):
        operator.play("one").play("two")
    operator.lock("two", round=7)
    return operator
