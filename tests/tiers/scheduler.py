"""Divides the tests between the processes of pytest-xdist: each gets whole units, the longest first."""

from __future__ import annotations

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from tests.tiers.selection import unit_of


class ByUnit(LoadScopeScheduling):  # type: ignore[misc]  # pytest-xdist has no types
    """Whole files, or whole groups of files that share something dear, in the order in which they were collected."""

    def __init__(self, config: pytest.Config, log: Producer) -> None:
        config.option.loadscopereorder = False
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)
