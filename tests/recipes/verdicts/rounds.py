"""Round codes: of every kind of round that holds, of lies, and of what nobody can judge."""

from __future__ import annotations

import json
from collections.abc import Iterator

from fairness.checks import Check
from fairness.log.notes import SigningKey
from fairness.player.bech32m import encode
from fairness.player.round_code import RoundCode
from tests.lies import salted_keno
from tests.lies.rounds import LIES
from tests.recipes import Case, Json, judged
from tests.recipes.cases.small import flip, small
from tests.recipes.verdicts.inputs import UNKNOWN, asked, failing, known, unreadable, without_outcome
from tests.support import sandbox
from tests.support.beacons import OURS
from tests.support.codes import BESIDE, code_of, table_beside
from tests.support.dishonest_operator import KEY, ORIGIN, Operator

TABLE = "keno-1"


def codes() -> Iterator[Case]:
    """All of them."""
    for lie in LIES:
        files, code = lie.told()
        yield failing(f"by code: {lie.name}", asked("code", files=files, code=code), lie.check, is_shown=lie.is_shown)
    yield from _held()
    yield from _unknown()
    yield from _served()
    yield from _beside()
    yield from _of_a_table()


def _of(operator: Operator, name: str, number: int, trust: Json | None = None) -> Json:
    return asked("code", trust, operator.files(), code=str(code_of(operator, name, number)))


def _games() -> Operator:
    """Every kind of end; a flight, dice, cards that are declared; two custodians, and two batches."""
    operator = Operator()
    operator.table("crash-1", "crash")
    operator.table("sic-bo-1", "sic-bo", ["house", "lab"])
    operator.table("roulette-1", "roulette")
    for name in operator.tables:
        operator.batch(name, 12)
        operator.play(name)
    operator.batch("roulette-1", 4)
    operator.drop("sic-bo-1")
    operator.give_up("sic-bo-1", was_open=True)
    operator.reveal("sic-bo-1")
    operator.lock("sic-bo-1")
    operator.void("sic-bo-1")
    return operator.play("roulette-1", 12)


def _held() -> Iterator[Case]:
    games, salted, long = _games(), salted_keno(), Operator()
    for name in games.tables:
        yield judged(f"by code: round 1 of {name}", _of(games, name, 1), known(games, name, 1))
    for number in (2, 3, 4):
        told = known(games, "sic-bo-1", number, ended="void")
        yield judged(f"by code: void round {number}", _of(games, "sic-bo-1", number), told)
    for number in (12, 13):
        told = known(games, "roulette-1", number)
        yield judged(f"by code: round {number}, at the end of a batch", _of(games, "roulette-1", number), told)
    for number in (3, 5):
        told = known(salted, "keno", number)
        yield judged(f"by code: salted round {number}", _of(salted, "keno", number), told)
    # Two rounds of lead were given up in a row, and the batch stands where only a search finds the lock of its lead.
    long.table(TABLE, "keno-express")
    for count in (3, 2, 1, 30):
        long.batch(TABLE, count)
        long.play(TABLE, max(0, long.tables[TABLE].committed_through - 2 - long.tables[TABLE].round))
    for number in (1, 4, 6, 7, 30):
        yield judged(f"by code: round {number} of many", _of(long, TABLE, number), known(long, TABLE, number))


def _unknown() -> Iterator[Case]:
    stranger, newer, later, tried = salted_keno(OURS.chain_hash.hex()), Operator(), small(), sandbox.played()
    newer.table("jumps-1", "jumps", declared={"draw": [["height", "jump", 3]]})
    newer.batch("jumps-1", 4)
    newer.play("jumps-1")
    code = code_of(later, TABLE, 2)
    told = known(stranger, "keno", 5, status=UNKNOWN)
    yield judged("by code: a beacon that is not known", _of(stranger, "keno", 5), told)
    yield from _named_by_policy(stranger)
    told = without_outcome(known(newer, "jumps-1", 1, status=UNKNOWN))
    yield judged("by code: a game that is newer", _of(newer, "jumps-1", 1), told)
    again = encode(code.game, b"\x02" + code.table_prefix + code.round_number.to_bytes(6, "big") + code.seeds[0])
    given = asked("code", files=later.files(), code=again)
    yield judged("by code: a code of a later version", given, {"status": UNKNOWN})
    beyond = Operator()
    beyond.table(TABLE, "keno-express", v=2)
    given = asked(
        "code",
        files=beyond.files(),
        code=str(RoundCode.of("keno-express", beyond.tables[TABLE].table_id, 1, list(code.seeds))),
    )
    yield failing("by code: a table of a later version", given, Check.CODE_TABLE, is_shown=False)
    trust, tested = {"key": sandbox.VKEY}, sandbox.files_of(tried)
    given = asked("code", trust, tested, code=str(code_of(tried, TABLE, 2)))
    yield judged("by code: a sandbox", given, known(tried, TABLE, 2, status=UNKNOWN))
    lied = sandbox.played(outcome={"number": 101})
    given = asked("code", trust, sandbox.files_of(lied), code=str(code_of(lied, TABLE, 1)))
    yield failing("by code: a lie in a sandbox", given, Check.OUTCOME)


def _named_by_policy(stranger: Operator) -> Iterator[Case]:
    text = f"log {KEY.verifier_key}\nquorum none\nbeacon {OURS}\n"
    yield judged(
        "by code: a beacon of the policy", _of(stranger, "keno", 5, {"policy": text}), known(stranger, "keno", 5)
    )


def _served() -> Iterator[Case]:
    """Files that are false, missing, or of another log."""
    operator = small()
    files, code = operator.files(), str(code_of(operator, TABLE, 2))
    size = len(operator.records)
    tile, bundle = f"tile/0/000.p/{size}", f"tile/entries/000.p/{size}"
    stranger = SigningKey(ORIGIN, bytes(range(32)))

    def of(changes: dict[str, bytes | None]) -> Json:
        changed = {path: data for path, data in (files | changes).items() if data is not None}
        return asked("code", files=changed, code=code)

    yield failing("by code: a false tile", of({tile: flip(files[tile])}), Check.TILE)
    yield failing("by code: a false bundle", of({bundle: flip(files[bundle], 40)}), Check.BUNDLE)
    for name, path in (("tile", tile), ("bundle", bundle), ("checkpoint", "checkpoint")):
        yield unreadable(f"by code: no {name}", of({path: None}))
    yield unreadable("by code: a page in the place of a checkpoint", of({"checkpoint": b"<html>\n"}))
    trust = {"key": str(stranger.verifier_key)}
    yield unreadable("by code: a log that this key did not sign", asked("code", trust, files, code=code))
    for name, text, check in (
        ("nothing", "", Check.CODE_FORM),
        ("no 1", code.replace("1", "", 1), Check.CODE_FORM),
        ("its last character left out", code[:-1], Check.CODE_CHECKSUM),
        ("the name of another game", "crash1" + code.partition("1")[2], Check.CODE_CHECKSUM),
    ):
        yield failing(f"by code: {name}", asked("code", files=files, code=text), check)


def _beside() -> Iterator[Case]:
    """A table whose id begins with the same four bytes stands beside the code's."""
    for beside in BESIDE:
        for before in (False, True):
            place = "before" if before else "behind"
            operator, name, files = table_beside(beside, before=before)
            given = asked("code", files=files, code=str(code_of(operator, name, 2)))
            yield judged(f"by code: {beside} {place} it", given, known(operator, name, 2))
            operator, name, files = table_beside(beside, before=before, outcome={"number": 101})
            given = asked("code", files=files, code=str(code_of(operator, name, 3)))
            yield failing(f"by code: {beside} {place} it, and a false outcome", given, Check.OUTCOME)


def _of_a_table() -> Iterator[Case]:
    """The code must be one of a table that the reader names; so also if another table's id begins with the same four
    bytes.
    """

    def of(files: dict[str, bytes], code: object, table: str) -> Json:
        return asked("code", files=files, code=str(code), options={"table": table})

    operator = small()
    code, told = code_of(operator, TABLE, 2), known(operator, TABLE, 2)
    yield judged("by code: of the table that is named", of(operator.files(), code, TABLE), told)
    yield failing("by code: of another table than is named", of(operator.files(), code, "keno-2"), Check.CODE_TABLE)
    for before in (False, True):
        place = "before" if before else "behind"
        beside, name, files = table_beside("another table of its game", before=before)
        code = code_of(beside, name, 2)
        other = next(read["table"] for read in map(json.loads, beside.records[:2]) if read["table"] != name)
        told = known(beside, name, 2)
        yield judged(f"by code: of the table that is named, and one {place} it", of(files, code, name), told)
        yield failing(f"by code: of a table {place} the one that is named", of(files, code, other), Check.CODE_TABLE)
        again = RoundCode.of(code.game, beside.tables[name].table_id, 2, [bytes(32)])
        named = f"by code: another seed, of the table that is named, and one {place} it"
        yield failing(named, of(files, again, name), Check.CODE_SEED)
