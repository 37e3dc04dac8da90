"""The files ``witnessed/<batch id>``: the proof that a batch stood in a cosigned checkpoint (SPEC 5.8).

Each is durable before the first checkpoint with its batch is published, and never changes. A crash between the two
leaves a file whose checkpoint was not published; the published one extends it, so the file stays. So a file that is
missing although its batch is published was lost: it can only be brought back, for the witnesses would cosign another
one too late.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

from api.findings.states import lost_witnessed_file
from api.log.publishing import SaltedBatch
from api.world.published.log_folder import LogFolder
from fairness.errors import CheckFailed, Malformed, Missing
from fairness.log.checkpoints import CHECKPOINT
from fairness.log.notes import VerifierKey
from fairness.log.proof import Inclusion, TlogProof
from fairness.log.tiles import AuthenticTiles
from fairness.policy.head import Head
from fairness.policy.policy import Policy
from fairness.policy.witnessed import check_witnessed, witnessed_path

_TOO_LATE = "was cosigned too late, so its rounds cannot be opened, and audits with this policy refuse the log"

_logger = logging.getLogger("foredraw.witnesses")


class WitnessedFiles:
    """Writes the witnessed files of the batches that it expects."""

    def __init__(self, log: LogFolder, policy: Policy | None) -> None:
        """``policy`` is that of the start."""
        self._log = log
        self._awaiting: dict[bytes, SaltedBatch] = {}
        self._had_files = _published_size(log, policy)
        """How many records were published before this start: each batch among them has its file already."""

    def expect(self, batches: Iterable[SaltedBatch]) -> None:
        """Expect these batches, which get files with the next quorum that covers them, unless they have some."""
        self._awaiting |= {batch.batch_id: batch for batch in batches}

    def write(self, tiles: AuthenticTiles, note: bytes, policy: Policy) -> None:
        """Write the files of all batches in the log of ``tiles``, whose checkpoint ``note`` is about to be
        published.
        """
        for batch in list(self._awaiting.values()):
            if batch.position < tiles.checkpoint.size:
                if not self._has(batch, policy.log):
                    self._make(batch, tiles, note, policy)
                del self._awaiting[batch.batch_id]

    def _make(self, batch: SaltedBatch, tiles: AuthenticTiles, note: bytes, policy: Policy) -> None:
        if batch.position < self._had_files:
            lost = lost_witnessed_file(witnessed_path(batch.batch_id), f"batch {batch.number} of {batch.table}")
            _logger.error("%s", lost)
            return
        if tiles.leaf(batch.position) != batch.batch_id:
            _logger.error(
                "table %s: where batch %d stands is not known, so it gets no witnessed file",
                batch.table,
                batch.number,
            )
            return
        data = bytes(TlogProof(Inclusion(batch.position, tuple(tiles.inclusion_path(batch.position))), note))
        self._log.write(witnessed_path(batch.batch_id), data)
        if batch.is_salted:
            _logger.error("table %s: batch %d %s", batch.table, batch.number, _TOO_LATE)
            return
        try:
            check_witnessed(data, batch_id=batch.batch_id, index=batch.position, pulse=batch.pulse, policy=policy)
        except CheckFailed as error:
            _logger.error("table %s: batch %d %s: %s", batch.table, batch.number, _TOO_LATE, error)  # noqa: TRY400 -- a sentence for the operator, who needs no traceback

    def _has(self, batch: SaltedBatch, key: VerifierKey) -> bool:
        """Return whether there is a file that this log's key vouches for; under which policy it was made does not
        matter.
        """
        try:
            TlogProof.parse(self._log.read(witnessed_path(batch.batch_id))).check(batch.batch_id, key)
        except (Missing, Malformed, CheckFailed):
            return False
        return True


def _published_size(log: LogFolder, policy: Policy | None) -> int:
    """Return how many records the present checkpoint covers with the policy's quorum."""
    if policy is None:
        return 0
    try:
        return Head.open(log.read(CHECKPOINT), policy).checkpoint.size
    except (Missing, Malformed, CheckFailed):
        return 0
