"""Games whose rules have no parameters: only a version."""

from __future__ import annotations

from fairness.draws.game import Rules, RulesRefused


class PlainRules:
    """The check of ``{"version":1}``, for games to inherit. Their round is over with its draw."""

    has_flight = False
    unknown: tuple[str, ...] = ()
    declaration_text = ""

    def check_rules(self, rules: Rules) -> None:
        """Version 1 has no parameters."""
        if rules != {"version": 1}:
            raise RulesRefused("version 1 and no parameters")
