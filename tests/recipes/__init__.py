"""How the vectors of every format are made: recipes with names, and the bug that each invalid one catches.

``python -m tests.recipes`` writes ``verifier/conformance/vectors``, which is also ``tests/vectors/formats``; a test makes
them again and compares. Values are taken from an implementation that shares no code with this one
(``tests/vectors/protocol.json``), if it has them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """One input and its required result."""

    name: str
    given: Json
    catches: str | None = None
    """The bug that lets an invalid input through; `None` if the input is valid."""
    result: Json | None = None

    def as_json(self) -> Json:
        """The case as JSON, with keys in a readable order."""
        case: Json = {"name": self.name.replace(" ", "-").replace(",", ""), "input": _packed(self.given)}
        case["valid"] = self.catches is None
        if self.result is not None:
            case["result"] = self.result
        if self.catches is not None:
            case["catches"] = self.catches
        return case


@dataclass(frozen=True)
class Format:
    """All cases of one format, its operation, and where SPEC describes it."""

    name: str
    operation: str
    spec: str
    make: Callable[[], Sequence[Case]]
    """Makes the cases; not before somebody asks for them, because that signs and draws thousands of times."""

    @cached_property
    def cases(self) -> Sequence[Case]:
        """All cases, made once."""
        return self.make()

    def file(self) -> str:
        """The file of the format, one case per line."""
        head = "".join(
            f"{json.dumps(key)}:{json.dumps(value)},\n"
            for key, value in (("format", self.name), ("operation", self.operation), ("spec", self.spec))
        )
        cases = ",\n".join(json.dumps(case.as_json(), separators=(",", ":")) for case in self.cases)
        return f'{{{head}"cases":[\n{cases}\n]}}\n'


_LONG_RUN = re.compile(r"((.)\2{9999,})", re.DOTALL)


def _packed(given: Json) -> Json:
    """A text with a long run of one character as ``pieces``, which `verifier.conformance.driver` joins again."""
    text = given.get("text")
    if not isinstance(text, str) or not _LONG_RUN.search(text):
        return given
    parts = _LONG_RUN.split(text)
    # Between the runs: the run, its character, and what follows.
    pieces: list[list[object]] = [[parts[0], 1]]
    for run, character, rest in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        pieces += [[character, len(run)], [rest, 1]]
    return {key: value for key, value in given.items() if key != "text"} | {"pieces": pieces}


def valid(name: str, given: Json, result: Json | None = None) -> Case:
    """An input that must be accepted, with the required result, if there is one."""
    return Case(name, given, None, result)


def invalid(name: str, given: Json, catches: str, result: Json | None = None) -> Case:
    """An input that must be refused."""
    return Case(name, given, catches, result)


def spelled(data: bytes) -> Json:
    """Bytes in a vector: as text if they are text, otherwise in hexadecimal."""
    try:
        return {"text": data.decode()}
    except UnicodeDecodeError:
        return {"hex": data.hex()}
