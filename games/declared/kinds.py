"""The kinds by their names (SPEC 3.7), and steps of kinds that this program does not know."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from games.declared.deals import DEALS
from games.declared.scope import NOTHING, Drawing, Scope, Step, Weight
from games.declared.takes import Pick, Take
from games.declared.throws import Ends, Flight, Numbers, One, Reels
from games.declared.values import Members, items, name, refuse
from games.declared.wheels import Chosen, Race, Spin, Wheel, Wheels

ANYWHERE = "*"
"""The place of a step whose results name their places themselves."""

_KINDS: Mapping[str, Callable[[str, list[object]], Step]] = {
    "number": Numbers.one,
    "numbers": Numbers.many,
    "one": One.read,
    "flight": Flight.read,
    "reels": Reels.read,
    "wheel": Wheel.read,
    "wheels": Wheels.read,
    "spin": Spin.read,
    "chosen": Chosen.read,
    "race": Race.read,
    "take": Take.read,
    "pick": Pick.read,
}
_ANYWHERE_KINDS = ("ends", "deal")
NAMES = (
    "number",
    "numbers",
    "one",
    "ends",
    "flight",
    "reels",
    "wheel",
    "wheels",
    "spin",
    "chosen",
    "race",
    "take",
    "pick",
    "deal",
)
"""All kinds, in the order of SPEC 3.7."""


@dataclass(frozen=True, slots=True)
class UnknownStep:
    """A step of a kind, or a deal, that this program does not know. It is never drawn."""

    places: tuple[str, ...]
    what: str

    def weigh(self, scope: Scope) -> Weight:
        """Return nothing: the step is unknown."""
        scope.counts.update(dict.fromkeys(self.places, NOTHING))
        scope.has_hidden_places |= not self.places
        return Weight(0, 0)

    def draw(self, drawing: Drawing) -> Members:
        """Refuse: no declaration with such a step is drawn."""
        raise NotImplementedError(self.what)


def read_step(given: object) -> Step:
    """Read one line of a draw: ``[place, kind, arguments…]``."""
    first, second, *arguments = items(given, "a step: place, kind and arguments", least=2)
    place = first if first == ANYWHERE else name(first, "a place")
    kind = name(second, "a kind")
    if kind in _KINDS:
        return _KINDS[kind](name(place, "a place"), arguments)
    if kind not in _ANYWHERE_KINDS:
        return UnknownStep((place,) if place != ANYWHERE else (), f"the kind {kind}")
    if place != ANYWHERE:
        refuse(f"the place {ANYWHERE} of {kind}", place)
    if kind == "ends":
        return Ends.read(arguments)
    (given_deal,) = items(arguments, "the name of a deal", least=1, most=1)
    deal = name(given_deal, "a deal")
    return DEALS[deal] if deal in DEALS else UnknownStep((), f"the deal {deal}")
