"""Records that are not spelled as the protocol requires: other spellings of the same content, and other contents."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from fairness.checks import Check
from fairness.limits import DEEPEST_RECORD
from tests.lies import Lie, changed, misplaced, respelled
from tests.support.dishonest_operator import ABSENT, BETS, Operator

DIGITS = "ab" * 32
CRASH: dict[str, object] = {"cap": 1_000_000, "rtp": 9700, "version": 1}
_TELL: dict[str, Callable[..., object]] = {
    "table": lambda op, **lies: op.table("x", "crash", **lies),
    "batch": lambda op, **lies: op.batch("keno-1", 4, **lies),
    "crash batch": lambda op, **lies: op.batch("crash-1", 4, **lies),
    "lock": lambda op, **lies: op.lock("keno-1", **lies),
    "reveal": lambda op, **lies: (op.lock("keno-1"), op.reveal("keno-1", **lies)),
    "end": lambda op, **lies: op.end("keno-1", **lies),
    "close": lambda op, **lies: (op.end("keno-1"), op.close("keno-1", **lies)),
}
"""For each type of record, the steps that lead to an honest one."""

_KEYS = {
    "table": "created custodians game lead log salt table type v",
    "batch": "anchors batch commitments committed count first previous rules table type v",
    "lock": "locked opened round table type v",
    "reveal": "outcome revealed round seeds status table type v",
    "end": "ended table type v",
    "close": "closed seeds table type v",
}


def _false(name: str, kind: str, **lies: object) -> Lie:
    return changed(name, Check.RECORD_FORM, lambda op: _TELL[kind](op, **lies))


def _spelled(name: str, old: str, new: str, kind: str = "lock") -> Lie:
    """A record of some kind in which the first occurrence of ``old`` is replaced."""
    return _false(name, kind, respelled=respelled(old, new))


def _instead(name: str, data: bytes) -> Lie:
    return misplaced(name, Check.RECORD_FORM, lambda op: op.append(data))


def _spelling(value: dict[str, object]) -> str:
    return json.dumps(value, separators=(",", ":"))


KEY_LIES: list[Lie] = [
    *(
        _false(f"a {kind} without its {key}", kind, **{key: ABSENT})
        for kind, keys in _KEYS.items()
        for key in keys.split()
    ),
    *(_false(f"a {kind} with a key more", kind, note="all is well") for kind in _KEYS),
    *(_false(f"a {kind} with null for an absent key", kind, reason=None) for kind in ("lock", "reveal")),
    _false("a batch with null for its beacon", "batch", beacon=None),
    _false("a batch with bets", "batch", bets={"count": 0, "root": DIGITS}),
    _false("a close with an entry without seeds", "close", seeds=[{"batch": 2}, {"batch": 3}]),
    _false(
        "a close with an entry with a key more", "close", seeds=lambda told: [entry | {"count": 4} for entry in told]
    ),
    _false("a version 0", "lock", v=0),
    _false("a version that is text", "lock", v="1"),
    _false("a version that is true", "lock", v=True),
    _false("another record's type", "lock", type="reveal"),
    _false("a type in upper case", "lock", type="LOCK"),
    _false("a key in upper case", "lock", Locked=lambda _: "2027-01-01T00:00:00.000Z", locked=ABSENT),
]

BYTES_LIES: list[Lie] = [
    _spelled("a space after a colon", ":", ": "),
    _spelled("a space after a comma", ",", ", "),
    _spelled("a space before a brace", '"}', '" }'),
    _spelled("a space at the start", '{"bets"', ' {"bets"'),
    _spelled("a byte order mark", '{"bets"', '\ufeff{"bets"'),
    _spelled("a space at the end", '"v":1}', '"v":1} '),
    _spelled("a line feed at the end", '"v":1}', '"v":1}\n'),
    _spelled("a carriage return at the end", '"v":1}', '"v":1}\r'),
    _spelled("a NUL at the end", '"v":1}', '"v":1}\0'),
    _spelled("a tab between keys", ',"locked"', ',\t"locked"'),
    _spelled("a line feed between keys", ',"locked"', ',\n"locked"'),
    _spelled("a comma at the end", '"v":1}', '"v":1,}'),
    _spelled("two records in one", '"v":1}', '"v":1}{"v":1}'),
    _spelled("a comment", '"v":1}', '"v":1/**/}'),
    _spelled("no brace at the end", '"v":1}', '"v":1'),
    _spelled("keys out of order", '"type":"lock","v":1}', '"v":1,"type":"lock"}'),
    _spelled("keys out of order within", _spelling(BETS), _spelling(dict(reversed(BETS.items())))),
    _spelled("rules out of order", _spelling(CRASH), _spelling(dict(reversed(CRASH.items()))), "crash batch"),
    _spelled("a key twice, alike", '"type":"lock"', '"type":"lock","type":"lock"'),
    _spelled("a key twice, different", '"round":6', '"round":7,"round":6'),
    _spelled("a key twice within", '"count":3', '"count":4,"count":3'),
    _spelled("a rule twice", '"version":1', '"version":1,"version":1', "batch"),
    _spelled("an outcome twice", '"number":', '"number":1,"number":', "reveal"),
    _spelled("apostrophes for quotation marks", '"bets"', "'bets'"),
    _spelled("a key without quotation marks", '"bets"', "bets"),
    _spelled("a letter escaped", '"lock"', '"\\u006cock"'),
    _spelled("a letter escaped in a key", '"bets"', '"\\u0062ets"'),
    _false("a line feed escaped in a declaration's key", "table", declaration={"a\nb": 1}),
    _spelled("a letter escaped in the table's name", '"keno-1"', '"\\u006beno-1"'),
    _spelled("a hyphen in the table's name that is none", '"keno-1"', '"keno\u20101"'),
]

_REASON = '"engine failure"'


def _reason(name: str, spelling: bytes) -> Lie:
    """A void round with the reason in this spelling."""

    def tell(operator: Operator) -> object:
        operator.lock("keno-1")
        return operator.void("keno-1", respelled=respelled(_REASON, spelling))

    return changed(f"a reason with {name}", Check.RECORD_FORM, tell)


TEXT_LIES: list[Lie] = [
    _reason("a letter escaped", rb'"\u0041ll broke"'),
    _reason("a slash escaped", rb'"a\/b"'),
    _reason("a quotation mark escaped by number", rb'"a\u0022b"'),
    _reason("a line feed escaped", rb'"a\nb"'),
    _reason("a tab escaped", rb'"a\tb"'),
    _reason("a line feed", b'"a\nb"'),
    _reason("a control character", b'"a\x1fb"'),
    _reason("a NUL", b'"a\0b"'),
    _reason("a DEL", b'"a\x7fb"'),
    _reason("an escaped DEL", rb'"a\u007fb"'),
    _reason("a character above ASCII", '"caf\N{LATIN SMALL LETTER E WITH ACUTE}"'.encode()),
    _reason("an escaped character above ASCII", rb'"caf\u00e9"'),
    _reason("bytes that are no UTF-8", b'"a\xffb"'),
    _reason("half a surrogate pair", rb'"a\ud800b"'),
    _reason("an unknown escape", rb'"a\xb"'),
    _reason("an escape at its end", rb'"a\"'),
    _reason("a quotation mark not escaped", b'"a"b"'),
    _reason("no quotation marks", b"storm"),
    _reason("a number in its place", b"7"),
    _reason("null in its place", b"null"),
    _reason("true in its place", b"true"),
]

NUMBER_LIES: list[Lie] = [
    _spelled("a count with a point", '"count":3', '"count":3.0'),
    _spelled("a count with a fraction", '"count":3', '"count":3.5'),
    _spelled("a count with an exponent", '"count":3', '"count":3e0'),
    _spelled("a count of 1e3", '"count":3', '"count":1e3'),
    _spelled("a count of 1E3", '"count":3', '"count":1E3'),
    _spelled("a count of minus zero", '"count":3', '"count":-0'),
    _spelled("a negative count", '"count":3', '"count":-3'),
    _spelled("a count with a plus", '"count":3', '"count":+3'),
    _spelled("a count with a leading zero", '"count":3', '"count":03'),
    _spelled("a count with an underscore", '"count":3', '"count":1_000'),
    _spelled("a hexadecimal count", '"count":3', '"count":0x3'),
    _spelled("a count of 2 to the 53rd", '"count":3', f'"count":{1 << 53}'),
    _spelled("a count of 2 to the 64th plus 3", '"count":3', f'"count":{(1 << 64) + 3}'),
    _spelled("a count of a thousand digits", '"count":3', f'"count":{"9" * 1000}'),
    _spelled("a count that is text", '"count":3', '"count":"3"'),
    _spelled("a count that is true", '"count":3', '"count":true'),
    _spelled("a count that is null", '"count":3', '"count":null'),
    _spelled("a count that is not a number", '"count":3', '"count":NaN'),
    _spelled("a count that is infinite", '"count":3', '"count":Infinity'),
    _spelled("a count in a list", '"count":3', '"count":[3]'),
    _spelled("a round with a point", '"round":6', '"round":6.0'),
    _spelled("a round that is text", '"round":6', '"round":"6"'),
    _spelled("a version with a point", '"v":1}', '"v":1.0}'),
    _spelled("a rule with a point", '"version":1', '"version":1.0', "batch"),
    _spelled("a rule that is true", '"version":1', '"version":true', "batch"),
    _spelled("a rule of 2 to the 53rd", '"version":1', f'"version":{1 << 53}', "batch"),
    _spelled("an outcome with a point", '"number":', '"number":0.', "reveal"),
    _spelled("an outcome that is negative", '"number":', '"number":-', "reveal"),
    _false("an outcome that is true", "reveal", outcome={"number": True}),
    _false("an outcome that is null", "reveal", outcome={"number": None}),
    _false("a lead that is negative", "table", lead=-10),
    _false("a batch's number as text", "batch", batch="4"),
    _false("a beacon that is negative", "batch", beacon=-1),
    _false("a beacon 0", "batch", beacon=0),
    _false("a beacon of 2 to the 53rd", "batch", beacon=1 << 53),
    _false("a batch's number of 2 to the 53rd", "batch", batch=1 << 53),
    _false("a batch from round 2 to the 53rd", "batch", first=1 << 53),
    _false("a lead of 2 to the 53rd", "table", lead=1 << 53),
]


def _seeds(lie: Callable[[str], object]) -> Callable[[list[str]], list[object]]:
    return lambda told: [*told[:-1], lie(told[-1])]


def _hex_lies(kind: str, key: str, each: Callable[[Callable[[str], object]], Any]) -> list[Lie]:
    return [
        _false(f"{key} of a {kind} in upper case", kind, **{key: each(lambda _: DIGITS.upper())}),
        _false(f"{key} of a {kind} of 63 digits", kind, **{key: each(lambda told: told[:-1])}),
        _false(f"{key} of a {kind} of 65 digits", kind, **{key: each(lambda told: told + "0")}),
        _false(f"{key} of a {kind} of 66 digits", kind, **{key: each(lambda told: told + "00")}),
        _false(f"{key} of a {kind} with a g", kind, **{key: each(lambda told: "g" + told[1:])}),
        _false(f"{key} of a {kind} with a space", kind, **{key: each(lambda told: told[:62] + " " + told[62:])}),
        _false(f"{key} of a {kind} empty", kind, **{key: each(lambda _: "")}),
    ]


def _itself(lie: Callable[[str], object]) -> Callable[[str], object]:
    return lie


def _last_entry(lie: Callable[[str], object]) -> Callable[[list[dict[str, Any]]], list[dict[str, Any]]]:
    return lambda told: [*told[:-1], told[-1] | {"seeds": _seeds(lie)(told[-1]["seeds"])}]


HEX_LIES: list[Lie] = [
    *_hex_lies("batch", "previous", _itself),
    *_hex_lies("batch", "anchors", _seeds),
    *_hex_lies("batch", "commitments", _seeds),
    *_hex_lies("reveal", "seeds", _seeds),
    *_hex_lies("close", "seeds", _last_entry),
    _false("a root of bets in upper case", "lock", bets={"count": 3, "root": DIGITS.upper()}),
    misplaced("a salt of 95 digits", Check.RECORD_FORM, lambda op: op.salt("keno-1", signature="5" * 95)),
    misplaced("a salt without digits", Check.RECORD_FORM, lambda op: op.salt("keno-1", signature="")),
    misplaced("a salt of 16386 digits", Check.RECORD_FORM, lambda op: op.salt("keno-1", signature="5a" * 8193)),
    _false("a paytable in upper case", "table", paytable=DIGITS.upper()),
    _false("a paytable of 63 digits", "table", paytable=DIGITS[:-1]),
    _instead("a record of an unknown type", b'{"table":"keno-1","type":"pause","v":1}'),
    _instead("an aside of version 2", b'{"table":"keno-1","type":"aside-note","v":2}'),
    _instead("an aside with a key behind the last three", b'{"table":"keno-1","type":"aside-note","v":1,"w":1}'),
    _instead(
        "an aside nested too deep", b'{"a":' + b"[" * 16 + b"]" * 16 + b',"table":"-","type":"aside-note","v":1}'
    ),
    _instead("a record of a later version under the log's own name", b'{"table":"-","type":"pause","v":2}'),
    misplaced("a salt in upper case", Check.RECORD_FORM, lambda op: op.salt("keno-1", signature="5A" * 48)),
    misplaced("a salt of batch 0", Check.RECORD_FORM, lambda op: op.salt("keno-1", batch=0)),
    misplaced(
        "a salt at hour 24", Check.RECORD_FORM, lambda op: op.salt("keno-1", salted="2027-01-01T24:00:00.000Z")
    ),
    misplaced("a salt with a key more", Check.RECORD_FORM, lambda op: op.salt("keno-1", round=24_840_000)),
    misplaced("a salt without its signature", Check.RECORD_FORM, lambda op: op.salt("keno-1", signature=ABSENT)),
]

_DEEP = 30_000

NO_RECORDS: list[Lie] = [
    _instead("an empty record", b""),
    _instead("an empty object", b"{}"),
    _instead("a list", b"[]"),
    _instead("text", b'"lock"'),
    _instead("null", b"null"),
    _instead("a line feed alone", b"\n"),
    _instead("bytes that are no text", bytes(range(256))),
    _instead("lists nested 30000 deep", b"[" * _DEEP + b"]" * _DEEP),
    _instead(
        "an outcome nested 30000 deep",
        b'{"outcome":' + b"[" * _DEEP + b"]" * _DEEP + b',"table":"keno-1","type":"reveal","v":1}',
    ),
    _instead(
        "objects nested 5000 deep",
        b'{"outcome":' + b'{"x":' * 5000 + b"1" + b"}" * 5000 + b',"table":"keno-1","type":"reveal","v":1}',
    ),
    _instead("only the end of a record", b'"table":"keno-1","type":"lock","v":1}'),
    _instead("a record of nothing but its type", b'{"table":"keno-1","type":"lock","v":1}'),
    _instead("65535 spaces", b" " * 65_535),
]

NEWER_LIES: list[Lie] = [
    _instead("a newer record with a line feed escaped in a key", rb'{"a\nb":1,"table":"new-1","type":"pause","v":2}'),
    _instead(
        "a newer record with a tab escaped in an inner key", rb'{"a":{"\t":1},"table":"new-1","type":"pause","v":2}'
    ),
    _instead(
        "a newer record without its table, but with a key that ends in it",
        rb'{"a\"table":"new-1","type":"pause","v":2}',
    ),
    _instead("a newer record with keys out of order", b'{"b":1,"a":2,"table":"new-1","type":"pause","v":2}'),
    _instead(
        "a newer record one array too deep",
        b'{"a":' + b"[" * DEEPEST_RECORD + b"]" * DEEPEST_RECORD + b',"table":"new-1","type":"pause","v":2}',
    ),
    _instead("a newer record with a key behind the last three", b'{"table":"new-1","type":"pause","v":2,"w":1}'),
    _instead("a newer record with a key among the last three", b'{"table":"new-1","tint":1,"type":"pause","v":2}'),
    _instead("a newer record whose table is no name", b'{"table":"New 1","type":"pause","v":2}'),
    _instead("a newer record whose type is no name", b'{"table":"new-1","type":"Pause","v":2}'),
    _instead("a newer record whose type is an object", b'{"table":"keno-1","type":{"toString":1,"valueOf":1},"v":2}'),
]
"""Records of no type that is known, and not spelled as newer ones must be (SPEC 4.9)."""

VERSION_LIES: list[Lie] = [
    _instead("a record of a later version in a table of version 1", b'{"table":"keno-1","type":"pause","v":2}'),
]
"""Records whose form alone is right, but not in their table (SPEC 4.9)."""

LIES = KEY_LIES + BYTES_LIES + TEXT_LIES + NUMBER_LIES + HEX_LIES + NO_RECORDS + NEWER_LIES + VERSION_LIES
