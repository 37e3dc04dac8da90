"""How the vectors of every format are made: recipes with names, and the bug that each invalid one catches.

``python -m tests.recipes`` writes ``verifier/conformance/vectors``, which is also ``tests/vectors/formats``; a test
makes them again and compares. Values are taken from an implementation that shares no code with this one
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
    is_judged: bool = False
    """Whether every input is valid, because the result is a verdict on it; ``catches`` is then the bug that gives
    another.
    """

    @property
    def spelled_name(self) -> str:
        """The name as the file of the format has it."""
        return self.name.replace(" ", "-").replace(",", "")

    @property
    def is_valid(self) -> bool:
        """Whether the input must be accepted."""
        return self.is_judged or self.catches is None

    def as_json(self, packed: Json | None = None) -> Json:
        """The case as JSON, with keys in a readable order; ``packed`` is its input as the file has it."""
        case: Json = {"name": self.spelled_name, "input": _packed(self.given) if packed is None else packed}
        case["valid"] = self.is_valid
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
        packed = _without_files_of_others(self.cases)
        rows = (case.as_json(given) for case, given in zip(self.cases, packed, strict=True))
        cases = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
        return f'{{{head}"cases":[\n{cases}\n]}}\n'


def _without_files_of_others(cases: Sequence[Case]) -> list[Json]:
    """The inputs as the file has them: with ``files``, only those that differ from an earlier case's, which ``like``
    names.

    `verifier.conformance.driver` completes them.
    """
    before: list[tuple[str, Json]] = []
    packed = list[Json]()
    for case in cases:
        given = _packed(case.given)
        if "files" in given and case.is_judged:
            files = given["files"]
            likes = ((name, _difference(files, other)) for name, other in before)
            like, differs = min(likes, key=lambda each: _size(each[1]), default=("", files))
            before.append((case.spelled_name, files))
            if _size(differs) < _size(files):
                given = given | {"like": like, "files": differs}
        packed.append(given)
    return packed


def _difference(files: Json, other: Json) -> Json:
    gone: Json = dict.fromkeys(sorted(other.keys() - files.keys()))
    return {path: data for path, data in files.items() if other.get(path) != data} | gone


def _size(files: Json) -> int:
    return sum(len(path) + len(data or "") for path, data in files.items())


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


def judged(name: str, given: Json, result: Json, catches: str | None = None) -> Case:
    """An input that gets a verdict; if it is bad news, ``catches`` is the bug of a verifier that does not find it."""
    return Case(name, given, catches, result, is_judged=True)


def spelled(data: bytes) -> Json:
    """Bytes in a vector: as text if they are text, otherwise in hexadecimal."""
    try:
        return {"text": data.decode()}
    except UnicodeDecodeError:
        return {"hex": data.hex()}
