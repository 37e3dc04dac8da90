"""What the doctor says of a folder, and what is in the one that it is asked about."""

from __future__ import annotations

from api.findings.finding import Finding
from api.programs.doctor.examine import examine
from api.settings import Settings
from fairness.log.tiles import WIDTH

FLIGHT, DRAW = "crash-1", "keno-1"
OLD, NEW = 30, WIDTH + 40


def problems(settings: Settings) -> list[Finding]:
    """What there is to do."""
    return [finding for finding in examine(settings).findings if finding.level == "problem"]


def notes(settings: Settings) -> list[Finding]:
    """What there is to know."""
    return [finding for finding in examine(settings).findings if finding.level == "note"]
