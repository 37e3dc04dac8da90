"""A process that has no time for the public says when to ask again; on a busy machine tests do so, as readers
would.
"""

from __future__ import annotations

from collections.abc import Mapping

from api.problems import RETRY_SECONDS, Code

ASK_AGAIN_SECONDS = RETRY_SECONDS[Code.BUSY]


def is_busy(status: int, headers: Mapping[str, str]) -> bool:
    """Whether this answer is the refusal of a process whose share for the public is used up; of no other trouble."""
    after = {name.lower(): value for name, value in headers.items()}.get("retry-after")
    return status == Code.BUSY.status and after == str(ASK_AGAIN_SECONDS)
