"""The finding aids of a log, compared with every record (SPEC 5.4). Nobody signs them, so what is wrong with them is
a remark.
"""

from __future__ import annotations

from fairness.log.checkpoints import Checkpoint
from fairness.round.aids_check import AidFault, AidsCheck, in_a_row
from verifier.audit.bundles import Progress, authentic_bundles
from verifier.sources.source import Source


def compare_aids(source: Source, checkpoint: Checkpoint, progress: Progress | None = None) -> list[AidFault]:
    """Return what of the finding aids of an audited log is missing, old, false, or could not be read.

    All records are read again, also those that an earlier audit had checked. Raises `CheckFailed` or `Unreadable`.
    """
    check = AidsCheck(source.read, checkpoint.size)
    for base, records in authentic_bundles(source, checkpoint, progress=progress):
        for index, data in enumerate(records, base):
            check.take(index, data)
    return in_a_row(check.faults())
