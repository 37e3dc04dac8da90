"""Games whose rules have no parameters: only a version."""

from __future__ import annotations

from fairness.game import Rules, RulesRefused


class PlainRules:
    """The check of ``{"version":1}``, for games to inherit."""

    __slots__ = ()

    def check_rules(self, rules: Rules) -> None:
        """Version 1 has no parameters."""
        if rules != {"version": 1}:
            msg = "version 1 and no parameters"
            raise RulesRefused(msg)
