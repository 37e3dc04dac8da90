"""The parameters of a declaration's rules, and the check of a batch's rules (SPEC 3.6)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from fairness.draws.game import Rules, RulesRefused
from fairness.limits import MOST_PARAMETERS
from games.declared.scope import Family
from games.declared.values import Bounds, integer, items, members, refuse

_PARAMETER = re.compile(r"[a-z][a-z0-9-]{0,31}")
_FAMILY = re.compile(r"([a-z][a-z0-9-]{0,15})\*([a-z][a-z0-9-]{0,31})")
_VERSION = "version"


@dataclass(frozen=True, slots=True)
class Parameters:
    """Each parameter's range, and families, of which another parameter says how many they are."""

    plain: Mapping[str, Bounds]
    families: Mapping[str, tuple[str, Bounds]]

    @classmethod
    def read(cls, given: object) -> Self:
        """Read the parameters. Raises `Malformed` unless all names are different, and all ranges are some."""
        plain, families = dict[str, Bounds](), dict[str, tuple[str, Bounds]]()
        for key, bounds in members(given, "rules").items():
            low, high = map(integer, items(bounds, "least and most", least=2, most=2))
            if low > high:
                refuse("a range that does not fall", bounds)
            if family := _FAMILY.fullmatch(key):
                if family[1] in families:
                    refuse("families of different names", key)
                families[family[1]] = (family[2], Bounds(low, high))
            elif _PARAMETER.fullmatch(key) and key != _VERSION:
                plain[key] = Bounds(low, high)
            else:
                refuse("names like seats and w*runners, and not version", key)
        found = cls(plain, families)
        found._check_names()
        return found

    def _check_names(self) -> None:
        names = [*self.plain, _VERSION]
        for prefix, (size, _) in self.families.items():
            if size not in self.plain or not 1 <= self.plain[size].least <= self.plain[size].most <= MOST_PARAMETERS:
                refuse(f"a parameter of 1 to {MOST_PARAMETERS} that says how many there are", f"{prefix}*{size}")
            names += [f"{prefix}{number}" for number in range(1, self.plain[size].most + 1)]
            if len(names) > MOST_PARAMETERS + 1:
                break
        if len(names) > MOST_PARAMETERS + 1 or len(set(names)) < len(names):
            refuse(f"at most {MOST_PARAMETERS} different names of parameters", f"{len(names)} or more")

    @property
    def ranges(self) -> dict[str, Family]:
        """The families, with how many they can be."""
        return {prefix: Family(self.plain[size], bounds) for prefix, (size, bounds) in self.families.items()}

    def check(self, rules: Rules) -> None:
        """Raise `RulesRefused` unless these are version 1 and exactly the parameters, each in its range."""
        if any(type(each) is not int for each in rules.values()):
            raise RulesRefused(str(self))
        wanted: dict[str, Bounds] = {_VERSION: Bounds(1, 1), **self.plain}
        for prefix, (size, bounds) in self.families.items():
            number = min(rules.get(size, 0), self.plain[size].most)
            wanted |= dict.fromkeys((f"{prefix}{at}" for at in range(1, number + 1)), bounds)
        if rules.keys() != wanted.keys() or any(not low <= rules[key] <= high for key, (low, high) in wanted.items()):
            raise RulesRefused(str(self))

    def of(self, rules: Rules) -> Parameters:
        """Return the parameters once the rules are chosen: each range is one number, but those of families stay
        ranges.
        """
        plain = {key: Bounds(rules[key], rules[key]) for key in self.plain}
        return Parameters(plain, self.families)

    def __str__(self) -> str:
        plain = [f"{key} {low} to {high}" for key, (low, high) in self.plain.items()]
        many = [
            f"{prefix}1, {prefix}2 … as many as {size} says, {low} to {high}"
            for prefix, (size, (low, high)) in self.families.items()
        ]
        return ", ".join([*plain, *many, "version 1"]) if plain else "version 1 and no parameters"
