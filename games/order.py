"""The order that a round fixed, thing by thing: what a game deals while its players decide (SPEC 3.6, `moves`).

An outcome has places, and a place may have many things: the cards of a hand, one after the other. The order goes
through the places as the declaration draws them, and through each from its first thing to its last. Positions count
from 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from fairness.draws.game import Game, Outcome
from games.declared.throws import Flight
from games.registry import DeclaredGame


class Thing(NamedTuple):
    """A card, a bone, a number: where it is in the order, the place that it belongs to, and what it is."""

    position: int
    place: str
    thing: str | int


def order_of(game: Game, outcome: Outcome) -> list[Thing]:
    """Return all things of a round's ``outcome`` in their order."""
    things = ((place, thing) for place in _places(game, outcome) for thing in _things(outcome[place]))
    return [Thing(position, place, thing) for position, (place, thing) in enumerate(things, 1)]


def has_order(game: Game) -> bool:
    """Return whether a round's outcome is the order of a hand: the game is declared, and its players decide after
    the lock.
    """
    return game.has_flight and bool(game.declaration_text)


def can_be_kept(game: Game) -> bool:
    """Return whether a round's order can be given thing by thing while it is played: not if there is a flight in it,
    whose engine needs from the start to know where it stops.
    """
    if not isinstance(game, DeclaredGame) or not has_order(game):
        return False
    return not any(isinstance(step, Flight) for step in game.declaration.steps)


def order_to_show(game: Game, outcome: Outcome) -> list[Thing]:
    """Return the order for the history of a hand; empty for a game without one."""
    return order_of(game, outcome) if has_order(game) else []


def _places(game: Game, outcome: Outcome) -> Iterable[str]:
    """Return the places that the outcome has: records list them by name, and the declaration as they are drawn."""
    steps = game.declaration.steps if isinstance(game, DeclaredGame) else ()
    drawn = {place: None for step in steps for place in step.places if place in outcome}
    return drawn or sorted(outcome)


def _things(value: str | int | list[int]) -> Iterable[str | int]:
    if isinstance(value, str):
        return value.split(" ") if value else ()
    return value if isinstance(value, list) else (value,)
