"""Well-formed lies: a fuzzer's bytes choose what to change in an honest log, and how.

Raw bytes would nearly always break the spelling of a record or the hash of a file, and never get past
these checks. So records are changed key by key and signed again, and files are changed piece by piece.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from fairness.checks import Check
from fairness.errors import CheckFailed, Missing, Unreadable
from fairness.log.checkpoints import Checkpoint
from fairness.log.edge import LogEdge
from fairness.log.tiles import AuthenticTiles
from fairness.records.replay import Replay, read_record
from games import GAMES
from tests.lies import BEFORE_PULSES
from tests.support.dishonest_operator import KEY, ORIGIN, Operator
from verifier.audit.audit import replay_log

_MOST_EDITS = 6
_RECORDS = 300
"""Enough records for a full tile and bundle, a partial one, and a level above."""
LIMITS: tuple[Any, ...] = (
    *(0, 1, 65_536, 65_537, 2**32, 2**48 - 1, 2**48, 2**53 - 1, 2**53, -1, 1.0, True, None, [], {}),
    *(
        "",
        "none",
        "quicknet",
        "table",
        "lock",
        "salt",
        "pause",
        "constructor",
        "__proto__",
        "\x7f",
        '"',
        "\\",
        "\u00e9",
    ),
    *("x" * 32, "x" * 33, "x" * 200, "x" * 201, "0" * 64, "F" * 64, "c0" + "0" * 94),
    *("2026-11-20T23:59:60.000Z", "2028-02-29T00:00:00.000Z", "2027-02-29T00:00:00.000Z"),
    *("1999-12-31T23:59:59.999Z", "2000-01-01T00:00:00.000Z", "2999-12-31T23:59:59.999Z", "3000-01-01T00:00:00.000Z"),
)
"""Values at the limits of what records may have, and one beyond."""


class Choices:
    """A fuzzer's bytes, read as a sequence of choices; after the last byte all are 0."""

    def __init__(self, data: bytes) -> None:
        self._bytes = iter(data)

    def below(self, limit: int) -> int:
        """A number in 0 … ``limit`` - 1, for limits up to 2**16."""
        high, low = next(self._bytes, 0), next(self._bytes, 0)
        return (high << 8 | low) % limit

    def rest(self, most: int) -> bytes:
        """Some of the remaining bytes themselves."""
        return bytes(byte for byte, _ in zip(self._bytes, range(most), strict=False))


class MemorySource:
    """A log whose files are in memory."""

    address = "memory"

    def __init__(self, files: dict[str, bytes]) -> None:
        self._files = files

    def read(self, path: str) -> bytes:
        """The file at ``path``. Raises `Missing`."""
        if path not in self._files:
            raise Missing(path, "no such file")
        return self._files[path]


@lru_cache(maxsize=1)
def honest_records() -> list[bytes]:
    """Tables with every type of record: one closes, one has a salt, one declares its game, and two have what is newer
    than us.
    """
    operator = Operator(start=BEFORE_PULSES)
    operator.table("salty-1", "keno-express", salted_by="quicknet")
    operator.batch("salty-1", 4)
    operator.salt("salty-1")
    operator.table("keno-1", "keno-express", ["house", "lab"])
    operator.table("crash-1", "crash")
    for _ in range(2):
        operator.batch("keno-1", 4)
        operator.batch("crash-1", 9)
    operator.play("salty-1")
    operator.play("keno-1", 2).drop("keno-1")
    operator.play("crash-1", 3)
    operator.table("lotto-1", "lotto", rules={"count": 3, "of": 20}, requires_bets=True)
    operator.table("kind-1", "jumps", declared={"draw": [["height", "jump", 3], ["dice", "numbers", 2, 1, 6]]})
    for name in ("lotto-1", "kind-1"):
        operator.batch(name, 3)
        operator.play(name)
    operator.append(b'{"at":"noon","table":"newer-1","type":"note","v":1}')
    operator.lock("keno-1")
    operator.void("keno-1")
    operator.end("keno-1")
    operator.close("keno-1")
    operator.lock("crash-1")
    return operator.records


@lru_cache(maxsize=1)
def _large() -> Operator:
    operator = Operator()
    operator.table("keno-1", "keno-express")
    operator.batch("keno-1", 200)
    while len(operator.records) < _RECORDS:
        operator.play("keno-1")
    return operator


@lru_cache(maxsize=1)
def honest_files() -> dict[str, bytes]:
    """The files of a log of 300 records."""
    return _large().files()


def check_edited_records(data: bytes) -> None:
    """Edit some records, sign that log, and compare both ways of replaying it."""
    choices, records = Choices(data), list(honest_records())
    for _ in range(1 + choices.below(_MOST_EDITS)):
        _edit(choices, records)
    assert _audited(records) == _replayed(records)


def _edit(choices: Choices, records: list[bytes]) -> None:
    at = choices.below(len(records) + 1)
    if at == len(records):
        return
    edits: tuple[Callable[[], object], ...] = (
        lambda: records.insert(choices.below(len(records)), records[at]),
        lambda: records.pop(at) if len(records) > 1 else None,
        lambda: records.append(records.pop(at)),
        lambda: records.__setitem__(at, _respelled(choices, records[at])),
        lambda: records.__setitem__(at, _with_another_value(choices, records, at)),
        lambda: records.__setitem__(at, _with_another_value(choices, records, at)),
    )
    edits[choices.below(len(edits))]()


def _respelled(choices: Choices, data: bytes) -> bytes:
    start = choices.below(len(data) + 1)
    return data[:start] + choices.rest(choices.below(8)) + data[start + choices.below(8) :]


def _with_another_value(choices: Choices, records: list[bytes], at: int) -> bytes:
    """A value somewhere in a record becomes another record's, a neighbouring one, or one at a limit; or it is
    removed.
    """
    values, other = _object(records[at]), _object(records[choices.below(len(records))])
    places, others = places_in(values), places_in(other)
    holder, key = places[choices.below(len(places))]
    there, name = others[choices.below(len(others))]
    match choices.below(7), holder[key]:
        case 0, _:
            del holder[key]
        case 1, int(value):
            holder[key] = value + 1
        case 2, int(value):
            holder[key] = value - 1
        case 3, list(value):
            holder[key] = [*value, *value[: choices.below(3)]][choices.below(2) :]
        case 4, _:
            holder[key] = LIMITS[choices.below(len(LIMITS))]
        case 5, _ if isinstance(name, str):
            values[name] = there[name]
        case _:
            holder[key] = there[name]
    return json.dumps(values, sort_keys=True, separators=(",", ":")).encode()


def places_in(value: object) -> list[tuple[Any, Any]]:
    """Every object and array in a value, with each of its keys or indexes."""
    if not isinstance(value, dict | list):
        return []
    keys: list[Any] = list(value) if isinstance(value, dict) else list(range(len(value)))
    return [(value, key) for key in keys] + [place for key in keys for place in places_in(value[key])]


def _object(data: bytes) -> dict[str, object]:
    """A record's keys and values; none if it was changed so that it is no object."""
    try:
        value = json.loads(data)
    except ValueError:
        return {"v": 1}
    return value if isinstance(value, dict) and value else {"v": 1}


Verdict = tuple[Check, int | None] | None
"""The check that failed, and the record; `None` if no check failed."""


def _audited(records: list[bytes]) -> Verdict:
    edge = LogEdge()
    files: dict[str, bytes] = {}
    for data in records:
        files.update(edge.append(data))
    files.update(edge.partial_files())
    files["checkpoint"] = Checkpoint(ORIGIN, edge.size, edge.root).sign(KEY)
    try:
        replay_log(MemorySource(files), KEY.verifier_key)
    except CheckFailed as error:
        return error.check, error.index
    return None


def _replayed(records: list[bytes]) -> Verdict:
    replay = Replay(ORIGIN, GAMES)
    for index, data in enumerate(records):
        try:
            # What is newer than this program is no failure: an audit goes on after it, too.
            replay.apply(read_record(data), data)
        except CheckFailed as error:
            return error.check, index
    return None


def check_edited_files(data: bytes) -> None:
    """Edit some files of a log, and read records from it under its honest checkpoint."""
    choices, files = Choices(data), dict(honest_files())
    records = _large().records
    checkpoint = Checkpoint.open(files["checkpoint"], KEY.verifier_key)
    paths = sorted(path for path in files if path.startswith("tile/"))
    for _ in range(1 + choices.below(_MOST_EDITS)):
        path = paths[choices.below(len(paths))]
        old = files.get(path, b"")
        start = choices.below(len(old) + 1)
        files[path] = old[:start] + choices.rest(choices.below(40)) + old[start + choices.below(40) :]
        if choices.below(8) == 1:
            del files[path]
    try:
        tiles = AuthenticTiles(checkpoint, MemorySource(files).read)
        for index in (0, choices.below(len(records)), len(records) - 1):
            assert tiles.record(index) == records[index]
            assert tiles.inclusion_path(index)
    except (CheckFailed, Unreadable):
        return
