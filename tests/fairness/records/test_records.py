"""Records and their one spelling, against a second reader that is slow and literal."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from fairness.errors import Malformed, Unknown
from fairness.limits import LARGEST_RECORD
from fairness.records.record import (
    BatchRecord,
    BatchSeeds,
    Bets,
    CloseRecord,
    EndRecord,
    LockRecord,
    Record,
    RevealRecord,
    SaltRecord,
    TableRecord,
    encode_record,
    parse_record,
    parse_records,
    table_and_type,
)
from fairness.times import format_time
from tests.oracles.moments import moments
from tests.oracles.record_oracle import is_record
from tests.tiers.selection import Lattice

HEX = "5df18e101e0df0b60672821e8c12f69ed94cb5f44c41f16dcf519f742e26fb76"
TIME = "2026-11-20T22:49:01.123Z"

names = st.text("abcdefghijklmnopqrstuvwxyz0123456789-", min_size=1, max_size=32)
table_names = names.filter(lambda name: name != "-")
hashes = st.binary(min_size=32, max_size=32).map(bytes.hex)
per_custodian = st.lists(hashes, min_size=1, max_size=8)
times = moments.map(format_time)
printable = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E))
integers = st.integers(0, (1 << 53) - 1)
numbers = st.integers(1, (1 << 53) - 1)
rounds = st.integers(1, (1 << 48) - 1)
reasons = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), min_size=1, max_size=200)
bets = st.builds(Bets, count=integers, root=hashes)

declarations = st.dictionaries(
    printable,
    st.recursive(printable | integers, lambda each: st.lists(each) | st.dictionaries(printable, each), max_leaves=8),
)
tables = st.builds(
    TableRecord,
    created=times,
    custodians=st.lists(names, min_size=1, max_size=8, unique=True),
    declaration=st.just(UNSET) | declarations,
    game=names,
    lead=integers,
    log=printable,
    paytable=st.just(UNSET) | hashes,
    salt=st.sampled_from(["none", "quicknet"]),
    table=table_names,
)
batches = st.builds(
    BatchRecord,
    anchors=per_custodian,
    batch=numbers,
    beacon=st.just(UNSET) | numbers,
    commitments=per_custodian,
    committed=times,
    count=st.integers(1, 65_536),
    first=numbers,
    previous=hashes,
    rules=st.dictionaries(printable, integers, max_size=4),
    table=table_names,
)
salts = st.builds(
    SaltRecord,
    batch=numbers,
    salted=times,
    signature=st.binary(min_size=48, max_size=48).map(bytes.hex),
    table=table_names,
)
locks = st.builds(
    LockRecord, bets=st.just(UNSET) | bets, locked=times, opened=times, round=rounds, table=table_names
) | st.builds(
    LockRecord, locked=times, opened=st.just(UNSET) | times, reason=reasons, round=rounds, table=table_names
)
reveals = st.builds(
    RevealRecord,
    outcome=st.dictionaries(printable, printable | integers | st.lists(integers, max_size=4), max_size=3),
    reason=st.just(UNSET) | reasons,
    revealed=times,
    round=rounds,
    seeds=per_custodian,
    status=st.sampled_from(["played", "void"]),
    table=table_names,
)
ends = st.builds(EndRecord, ended=times, table=table_names)
closes = st.builds(
    CloseRecord,
    closed=times,
    seeds=st.lists(st.builds(BatchSeeds, batch=numbers, seeds=per_custodian), max_size=4),
    table=table_names,
)
records = st.one_of(tables, batches, salts, locks, reveals, ends, closes)

GOOD: dict[str, dict[str, Any]] = {
    "table": {
        "created": TIME,
        "custodians": ["house", "lab-2"],
        "game": "crash",
        "lead": 10,
        "log": "fore.example/log",
        "salt": "none",
    },
    "batch": {
        "anchors": [HEX],
        "batch": 1,
        "beacon": 24840000,
        "commitments": [HEX],
        "committed": TIME,
        "count": 1000,
        "first": 1,
        "previous": HEX,
        "rules": {"cap": 1000000, "rtp": 9700, "version": 1},
    },
    "salt": {"batch": 1, "salted": TIME, "signature": HEX + HEX[:32]},
    "lock": {"bets": {"count": 3, "root": HEX}, "locked": TIME, "opened": TIME, "round": 1},
    "given up": {"locked": TIME, "reason": 'a "reason" \\', "round": 3, "type": "lock"},
    "reveal": {
        "outcome": {"dice": [1, 5, 2], "multiplier": "21.23", "number": 37},
        "reason": "engine failure",
        "revealed": TIME,
        "round": 2,
        "seeds": [HEX],
        "status": "void",
    },
    "end": {"ended": TIME},
    "close": {"closed": TIME, "seeds": [{"batch": 1, "seeds": [HEX]}]},
}
GOOD = {name: {"type": name, **record, "table": "crash-1", "v": 1} for name, record in GOOD.items()}


def spelled(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode(
        "utf-8", "surrogatepass"
    )


HONEST = [spelled(record) for record in GOOD.values()]
PARSED = [parse_record(data) for data in HONEST]


def accepts(data: bytes) -> bool:
    """Whether `parse_record` accepts ``data``; it may only raise `Malformed`, or `Unknown` for a type or version that
    is newer.

    Before, between and after honest records, `parse_records` must give the same result.
    """
    run = [data, *HONEST, data, *HONEST, data]
    try:
        record = parse_record(data)
    except (Malformed, Unknown) as error:
        with pytest.raises(type(error)):
            parse_records(run)
        return False
    assert encode_record(record) == data
    assert parse_records(run) == [record, *PARSED, record, *PARSED, record]
    return True


@given(record=records)
@settings(max_examples=300, deadline=None)
def test_what_is_written_is_read(record: Record) -> None:
    """Every record that can exist has one spelling, which the other reader accepts as well."""
    data = encode_record(record)
    if len(data) <= LARGEST_RECORD:
        assert parse_record(data) == record
        assert is_record(data)
        assert table_and_type(data) == (record.table, record.type.encode())


@pytest.mark.slow
@pytest.mark.parametrize("name", GOOD)
def test_every_change_of_one_byte_is_refused_or_is_a_record(name: str, lattice: Lattice) -> None:
    """Each place, each of 256 values, one byte more and one less: the literal reader must agree."""
    good = spelled(GOOD[name])
    assert accepts(good)
    assert is_record(good)
    for at in lattice(range(len(good))):
        shorter = good[:at] + good[at + 1 :]
        assert accepts(shorter) == is_record(shorter)
        for value in range(256):
            changed = good[:at] + bytes([value]) + good[at + 1 :]
            assert accepts(changed) == is_record(changed), changed
    for at in lattice(range(len(good) + 1)):
        for value in b' 0\t\n"\\,:{}[]-+.eEx\x00\xff':
            longer = good[:at] + bytes([value]) + good[at:]
            assert accepts(longer) == is_record(longer), longer


WRONG: list[object] = [
    None,
    True,
    -1,
    0,
    1.0,
    1e300,
    float("nan"),
    1 << 53,
    10**400,
    "",
    "x",
    "x" * 201,
    "é",
    "\ud800",
    "\x7f",
    "\n",
    HEX.upper(),
    HEX[:-1],
    HEX + "0",
    f" {HEX[1:]}",
    TIME.lower(),
    TIME + "\n",
    "2026-02-30T00:00:00.000Z",
    "crash_1",
    [],
    [[]],
    [HEX] * 9,
    ["house", "house"],
    [None],
    {},
    {"a": {}},
    {"a": None},
    {"a": 1.5},
    {"a": [True]},
    {"a": "\u00a0"},
    {"é": 1},
]


def places(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The paths of all values within a record."""
    found = [path] if path else []
    if isinstance(value, dict):
        found += [place for key in value for place in places(value[key], (*path, key))]
    elif isinstance(value, list):
        found += [place for i, part in enumerate(value) for place in places(part, (*path, i))]
    return found


def changed(record: dict[str, Any], path: tuple[str | int, ...], new: object) -> dict[str, Any]:
    copy: dict[str, Any] = json.loads(json.dumps(record))
    holder: Any = copy
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = new
    return copy


@pytest.mark.parametrize("name", GOOD)
def test_every_wrong_value_in_every_place_is_refused(name: str) -> None:
    """Each value of each key is replaced by three dozen others, some at the limits: the literal reader must agree."""
    for path in places(GOOD[name]):
        for new in WRONG:
            data = spelled(changed(GOOD[name], path, new))
            assert accepts(data) == is_record(data), data


@pytest.mark.parametrize("name", GOOD)
def test_every_missing_and_every_unknown_key_is_refused(name: str) -> None:
    """Only optional keys may be absent, and no key may be added, at any depth."""
    record = GOOD[name]
    for path in [(), *places(record)]:
        holder: Any = record
        for step in path:
            holder = holder[step]
        if isinstance(holder, dict):
            for key in holder:
                less = {other: value for other, value in holder.items() if other != key}
                data = spelled(changed(record, path, less) if path else less)
                assert accepts(data) == is_record(data), data
            for key in ("a", "zz", "", "Type"):
                more = {**holder, key: 1}
                data = spelled(changed(record, path, more) if path else more)
                assert accepts(data) == is_record(data), data


@pytest.mark.parametrize(
    ("name", "path", "last"),
    [
        ("table", ("lead",), (1 << 53) - 1),
        ("batch", ("count",), 65_536),
        ("batch", ("batch",), (1 << 53) - 1),
        ("batch", ("first",), (1 << 53) - 1),
        ("batch", ("beacon",), (1 << 53) - 1),
        ("batch", ("rules", "rtp"), (1 << 53) - 1),
        ("salt", ("batch",), (1 << 53) - 1),
        ("lock", ("round",), (1 << 48) - 1),
        ("lock", ("bets", "count"), (1 << 53) - 1),
        ("reveal", ("round",), (1 << 48) - 1),
        ("reveal", ("outcome", "number"), (1 << 53) - 1),
        ("close", ("seeds", 0, "batch"), (1 << 53) - 1),
        ("given up", ("reason",), "x" * 200),
        ("reveal", ("reason",), "x" * 200),
        ("reveal", ("seeds",), [HEX] * 8),
        ("table", ("custodians",), [str(i) for i in range(8)]),
        ("table", ("table",), "x" * 32),
    ],
)
def test_limits(name: str, path: tuple[str | int, ...], last: int | str | list[str]) -> None:
    """The limit itself is accepted, and one above it is refused."""
    above = last + 1 if isinstance(last, int) else last + "x" if isinstance(last, str) else [*last, "f" * 64]
    assert accepts(spelled(changed(GOOD[name], path, last)))
    assert not accepts(spelled(changed(GOOD[name], path, above)))


@pytest.mark.parametrize("bets", [True, False])
@pytest.mark.parametrize("opened", [True, False])
@pytest.mark.parametrize("reason", [True, False])
def test_a_lock_says_that_bets_are_over_or_why_there_are_none(bets: bool, opened: bool, reason: bool) -> None:
    """All combinations of its optional keys: `opened` or a reason, never a reason together with bets."""
    present = {"bets": bets, "opened": opened, "reason": reason}
    whole = {**GOOD["lock"], "reason": "engine never came"}
    data = spelled({key: value for key, value in whole.items() if present.get(key, True)})
    assert accepts(data) == is_record(data) == ((opened or reason) and not (bets and reason))


def test_the_longest_record() -> None:
    """65,535 bytes are a record; 65,536 are none."""
    room = LARGEST_RECORD - len(spelled(changed(GOOD["table"], ("log",), "")))
    assert accepts(spelled(changed(GOOD["table"], ("log",), "x" * room)))
    assert not accepts(spelled(changed(GOOD["table"], ("log",), "x" * (room + 1))))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"round":1,', b'"round":1,"round":1,'),
        (b'"round":1,', b'"round":01,'),
        (b'"round":1,', b'"round":1.0,'),
        (b'"round":1,', b'"round":1e0,'),
        (b'"round":1,', b'"round":-0,'),
        (b'"round":1,', b'"round": 1,'),
        (b'"round"', b'"roun\\u0064"'),
        (b'"round":1,', b'"reason":null,"round":1,'),
        (b'"crash-1"', b'"crash\\u002d1"'),
        (b'"crash-1"', b'"crash\\/1"'),
        (b'"v":1}', b'"v":1}\n'),
        (b'"v":1}', b'"v":1} '),
        (b'"v":1}', b'"v":1}}'),
        (b'"v":1}', b'"v":1,}'),
        (b'"v":1}', b'"v":true}'),
        (b'"v":1}', b'"v":2}'),
        (b'{"bets"', b'\xef\xbb\xbf{"bets"'),
        (b'{"bets"', b'[{"bets"'),
    ],
)
def test_a_second_spelling_is_refused(old: bytes, new: bytes) -> None:
    """Duplicate keys, other numbers, escapes, white space, null: valid JSON, but no record."""
    good = spelled(GOOD["lock"])
    assert good.count(old) == 1
    assert not accepts(good.replace(old, new))


TAIL = b',"table":"t","type":"reveal","v":1}'


@given(
    data=st.binary()
    | st.binary().map(lambda data: data + TAIL)
    | st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
        lambda parts: st.lists(parts) | st.dictionaries(st.text(), parts),
    ).map(spelled)
)
@example(data=b'{"a":' + b"[" * 60_000 + TAIL)
@example(data=b'{"outcome":{"a":' + b"[" * 60_000 + TAIL)
@example(data=b'{"outcome":' + b'{"a":' * 10_000 + TAIL)
@example(data=b'{"outcome":{"a":' + b"9" * 60_000 + b"}" + TAIL)
@example(data=b'{"outcome":{"a":1e999999999}' + TAIL)
@example(data=b"[" * 65_535)
@settings(deadline=None)
def test_any_bytes_are_a_record_or_malformed(data: bytes) -> None:
    """Hostile bytes, deep nesting and huge numbers raise only our own error."""
    assert not accepts(data)


LOCK = spelled(GOOD["lock"])
REVEAL = spelled(GOOD["reveal"])
NESTED = spelled(GOOD["reveal"] | {"outcome": {"table": "crash-1", "type": "reveal", "v": 1}})
CUT = NESTED.index(b',"reason"')


@pytest.mark.parametrize(
    "run",
    [
        [LOCK + b"\n" + LOCK],
        [LOCK + b"\n" + LOCK, LOCK],
        [REVEAL, REVEAL + b"\n"],
        [REVEAL, b"\n" + REVEAL],
        [NESTED[:CUT], NESTED[CUT:]],
        # As many records as entries, but divided at other places.
        [NESTED[:CUT], NESTED[CUT:], REVEAL + b"\n" + REVEAL],
        [REVEAL + b"\n" + REVEAL, NESTED[:CUT] + b"\n", NESTED[CUT:]],
        [LOCK, b""],
        [LOCK + b" "],
        [LOCK, REVEAL, LOCK.replace(b'"lock"', b'"reveal"')],
    ],
)
def test_records_do_not_run_into_one_another(run: list[bytes]) -> None:
    """Bytes that only a reader of joined lines could take for records are refused."""
    with pytest.raises(Malformed):
        parse_records(run)


def test_no_records_are_no_records() -> None:
    """A run may be empty."""
    assert parse_records([]) == []


@pytest.mark.parametrize("name", ["a table", "k%eno-1", "K", "", "x" * 33, "keno_1"])
def test_every_tables_name_is_matched_in_a_run(name: str) -> None:
    """Also after a record with a valid name: `parse_records` refuses what `parse_record` refuses. Found by
    fuzzing.
    """
    good = encode_record(EndRecord(ended="2026-11-20T22:49:28.000Z", table="keno-1"))
    bad = good.replace(b"keno-1", name.encode())
    with pytest.raises(Malformed):
        parse_record(bad)
    for run in ([good, bad], [bad, good], [good, good, bad], [bad]):
        with pytest.raises(Malformed):
            parse_records(run)
