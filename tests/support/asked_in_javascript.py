"""Bets and paytables, asked of the verifier in JavaScript."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairness.draws.game import Outcome, Rules
from games.bets import BETS
from games.bets.catalogue import data
from games.bets.paytable.source import paytable_of
from games.declared.catalogue import listed
from tests.oracles.second_verifier import SecondVerifier

Settled = tuple[str, str | None, str]
"""The result, the odds as text, and what is paid for 1, or how an open bet goes on."""


def declared(game: str) -> str | None:
    """What a table of this game of the catalogue declares; `None` for a game that is known by its name."""
    return None if game in BETS else listed(game).declaration.text.decode()


def settled_there(
    second: SecondVerifier,
    game: str,
    rules: Rules,
    texts: Sequence[str],
    drawn: Sequence[Outcome],
    before: Sequence[Outcome] = (),
    file: bytes | None = None,
) -> list[list[Settled | None]]:
    """What became of each bet with each outcome, by the game's paytable or another ``file``; `None` for a bet that
    was not offered.
    """
    asked: dict[str, Any] = {"game": game, "declaration": declared(game), "rules": rules, "before": before}
    asked |= {"file": (file or paytable_of(data(), game)).decode(), "texts": texts, "outcomes": drawn}
    answer = second.ask("settlements", **asked)
    assert "settled" in answer, answer
    return [[found and tuple(found) for found in row] for row in answer["settled"]]
