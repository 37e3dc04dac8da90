"""Whole logs that no case has: honest ones, missing files, and more than one bundle."""

from __future__ import annotations

from collections.abc import Iterator

from fairness.checks import Check
from fairness.log.checkpoints import Checkpoint
from tests.lies import history, salted_keno, started, started_salted
from tests.recipes import Case, Json, judged
from tests.recipes.cases.small import flip, small
from tests.recipes.verdicts.inputs import HELD, UNKNOWN, asked, failing, unreadable
from tests.support.beacons import OURS
from tests.support.codes import code_of
from tests.support.dishonest_operator import KEY, ORIGIN, Operator

_ASIDE = b'{"by":"somebody","table":"-","type":"aside-note","v":1}'


def audits() -> Iterator[Case]:
    """All of them."""
    aside = Operator()
    aside.append(_ASIDE)
    for name, log in (
        ("a log of three tables", started()),
        ("a log with salts", started_salted()),
        ("a log with every kind of end", history()),
        ("a log without records", Operator()),
        ("a log of asides", aside),
    ):
        yield judged(name, asked("audit", files=log.files()), {"status": HELD})
    unknown = asked("audit", files=salted_keno(OURS.chain_hash.hex()).files())
    yield judged("a log of a beacon that is not known", unknown, {"status": UNKNOWN})
    yield from _incomplete()
    yield from _of_nothing()
    yield from _two_bundles()


def _incomplete() -> Iterator[Case]:
    files = small().files()
    for part in ("tile/0/", "tile/entries/", "checkpoint"):
        left = {path: data for path, data in files.items() if not path.startswith(part)}
        yield unreadable(f"a log without {part}", asked("audit", files=left))


def _of_nothing() -> Iterator[Case]:
    """The root of a log without records is known, and no tile is read."""
    files = Operator().files() | {"checkpoint": Checkpoint(ORIGIN, 0, bytes(32)).sign(KEY)}
    yield failing("a log without records, and another root", asked("audit", files=files), Check.TILE)
    code = str(code_of(small(), "keno-1", 1))
    yield failing(
        "by code: a log without records, and another root", asked("code", files=files, code=code), Check.TILE
    )


def _two_bundles() -> Iterator[Case]:
    """What is wrong with a file comes before what is wrong with a record, whichever is first in the log."""
    operator = small()
    operator.lock("keno-1", round=9)
    for _ in range(256):
        operator.append(_ASIDE)
    files = operator.files()
    first, second = "tile/entries/000", f"tile/entries/001.p/{len(operator.records) - 256}"

    def of(path: str, data: bytes | None) -> Json:
        changed = {each: content for each, content in files.items() if each != path}
        return asked("audit", files=changed if data is None else changed | {path: data})

    given = of(second, flip(files[second], 9))
    yield failing("a lie, and a false bundle behind it", given, Check.BUNDLE)
    yield failing("a lie, and a bundle behind it that is missing", of(second, None), Check.LOCK_NEXT)
    yield unreadable("a lie, and its bundle is missing", of(first, None))
