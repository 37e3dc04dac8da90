"""Whether the witnesses allow a round to be opened: the log's head is cosigned, and the batch was seen before its
pulse.

Without a policy that demands witnesses, everything is allowed.
"""

from __future__ import annotations

from api.findings.states import lost_witnessed_file
from api.log.policy_file import PolicyFile
from api.problems import Code, Problem
from api.settings import Settings
from api.sharing.bounded import BoundedCache
from api.world.published.published_log import PublishedLog
from api.world.statuses import read_status, write_status
from api.world.timekeeper import Timekeeper
from fairness.errors import CheckFailed, Missing
from fairness.policy.policy import Policy
from fairness.policy.witnessed import check_witnessed, witnessed_path

NOT_SINCE_THE_START = "the witnesses have not cosigned the log's head since the service was started"
_REMEMBERED = 4096


class Gate:
    """Asked by those who open rounds, and by those who commit batches with a salt."""

    def __init__(self, settings: Settings, policy: PolicyFile, log: PublishedLog, timekeeper: Timekeeper) -> None:
        self._status, self._policy, self._log, self._timekeeper = settings.witnesses_trouble, policy, log, timekeeper
        self._good: BoundedCache[bytes, Policy] = BoundedCache(_REMEMBERED)
        """By the ids of batches that were found to be witnessed in time, the policy by which they were."""

    def trouble(self) -> str | None:
        """Return why nothing is published at present, as the publisher says; `None` if the witnesses are there."""
        if self._policy.policy() is None:
            return None
        status = read_status(self._status, self._timekeeper)
        if status is None:
            # A status that cannot be read is one.
            return NOT_SINCE_THE_START if self._status.exists() else None
        return status.trouble

    def close_until_cosigned(self) -> None:
        """Close the gate, before any part of the service is started: no round is opened until the publisher has the
        head cosigned.
        """
        if self._policy.policy() is not None:
            write_status(self._status, self._timekeeper, NOT_SINCE_THE_START)

    def needs_witnessed(self, batch_id: bytes) -> bool:
        """Return whether `check_witnessed` has to be asked about a batch with a beacon."""
        policy = self._policy.policy()
        return policy is not None and self._good.get(batch_id) is not policy

    def check_witnessed(self, table: str, number: int, batch_id: bytes, index: int, pulse: int | None) -> None:
        """Raise `Problem` (`NOT_WITNESSED`) unless the batch of a round was witnessed before its pulse (SPEC 5.8).

        ``index`` is where the batch stands in the log, ``pulse`` when its pulse came.
        """
        policy = self._policy.policy()
        if policy is None:
            return
        try:
            data = self._log.read(path := witnessed_path(batch_id))
        except Missing as error:
            detail = f"{table} round {number}: {lost_witnessed_file(path, 'its batch')}"
            raise Problem(Code.NOT_WITNESSED, detail) from error
        try:
            check_witnessed(data, batch_id=batch_id, index=index, pulse=pulse, policy=policy)
        except CheckFailed as error:
            detail = (
                f"{table} round {number}: by the present policy its batch was not witnessed before its pulse ({error})."
                f" If log/{path} was damaged, bring it back from a copy of the log. Otherwise whoever audits with this"
                " policy refuses the whole log, closing the table does not help, and a new log is needed, as docs/trust.md"
                " describes"
            )
            raise Problem(Code.NOT_WITNESSED, detail) from error
        self._good.put(batch_id, policy)
