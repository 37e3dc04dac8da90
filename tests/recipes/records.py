"""Records of every type: honest ones, and every lie about their form (``tests/lies``)."""

from __future__ import annotations

import json
import re

from fairness.checks import Check
from fairness.hashing import leaf_hash
from fairness.limits import LARGEST_RECORD, LONGEST_REASON
from fairness.records.record import parse_record
from tests.lies import started
from tests.lies.catalogue import LIES
from tests.lies.spelling import VERSION_LIES
from tests.recipes import Case, Format, invalid, spelled, valid
from tests.support.dishonest_operator import ABSENT, Operator

_BUGS = {
    "a key twice, alike": "a parser that takes one of two keys",
    "a key twice, different": "a parser that takes the last of two keys",
    "a key twice within": "a parser that takes the last of two keys",
    "a rule twice": "a parser that takes the last of two keys",
    "an outcome twice": "a parser that takes the last of two keys",
    "keys out of order": "a parser that takes keys in any order, so that one record has many spellings",
    "a letter escaped": "a parser that undoes escapes and does not compare",
    "half a surrogate pair": "a parser that lets half a character through",
    "a count with a point": "a parser for which 3.0 is an integer",
    "a count with an exponent": "a parser for which 3e0 is an integer",
    "a count of minus zero": "a parser for which -0 is 0",
    "a count of 2 to the 53rd": "a reader whose numbers are floating point, where 2^53 and 2^53 + 1 are one",
    "a count of 2 to the 64th plus 3": "a number of 64 bits that wraps around",
    "a count of a thousand digits": "a number without limit",
    "a count that is true": "a language in which true is an integer",
    "a version that is true": "a language in which true equals 1",
    "a rule that is true": "a language in which true equals 1",
    "a count that is not a number": "a parser that knows NaN, which JSON does not",
    "a count that is infinite": "a parser that knows Infinity, which JSON does not",
    "a byte order mark": "a reader that drops a byte order mark",
    "a line feed at the end": "a reader that trims",
    "two records in one": "a parser that stops after the first value",
    "a comment": "a parser for configuration files",
    "apostrophes for quotation marks": "a parser for another language's literals",
    "bytes that are no UTF-8": "a decoder that replaces what it cannot decode",
}


_KINDS = (
    (r" without its | without (seeds|a count|a root)$", "a default for a key that is missing"),
    (r" with a key more$|^a batch with bets$", "a reader that passes over keys that it does not know"),
    (r"\bnull\b", "null taken for an absent key"),
    (r" at hour 24$", "times that are checked in some types of records only"),
    (r"^a time that is ", "times that are not checked, or by a lenient library"),
    (r"^a count (of 1E3|with an underscore)", "a lenient parser of numbers"),
    (r" out of order", "a parser that takes keys in any order, so that one record has many spellings"),
    (
        r"digits|with a g$|hyphen|with a dot|with an underscore|with a space$|in upper case$|short root|long root",
        "hashes and names of any spelling or length",
    ),
    (r"escape|^a reason with ", "a parser that undoes escapes, or takes any character"),
    (r"^a (space|tab|line feed|carriage return|NUL) ", "a parser that skips white space"),
    (r"2 to the 5?\d|negative|fraction|point|exponent|1e3|plus|zero|hexadecimal", "a lenient parser of numbers"),
    (r"\btrue\b|\btext\b|\blist|number$|nested", "values of any type"),
    (r"\d{2,} |nine|empty|^no |without a name|round 0|number 0", "a limit that is not checked"),
)
"""The kind of bug that accepts a lie with such a name; the first that matches counts."""


def _bug(name: str) -> str:
    if name in _BUGS:
        return _BUGS[name]
    kind = next(
        (bug for pattern, bug in _KINDS if re.search(pattern, name)), "a rule of SPEC 4.2 that is not checked"
    )
    return f"{kind}: {name}"


def _honest() -> dict[str, bytes]:
    """A record of each kind."""
    operator = started()
    operator.lock("keno-1", bets=ABSENT)
    operator.void("keno-1", reason='a "storm" \\ and more')
    operator.give_up("keno-1")
    operator.reveal("keno-1")
    operator.give_up("keno-1", was_open=True)
    operator.reveal("keno-1")
    operator.salt("keno-1")
    for game in ("hi-lo", "penalty", "rocketon"):
        operator.table(game, game)
        operator.batch(game, 20)
        operator.play(game)
    operator.table("required", "keno-express", requires_bets=True)
    operator.end("keno-1")
    operator.close("keno-1")
    kinds: dict[str, bytes] = {}
    for data in operator.records:
        record = parse_record(data)
        keys = [key for key in ("opened", "bets", "reason") if f'"{key}":' in data.decode()]
        kinds.setdefault(" ".join([f"a {record.type}", *(f"with {key}" for key in keys)]), data)
    for game in ("crash", "hi-lo", "penalty", "rocketon", "sic-bo"):
        name = game if game in operator.tables else f"{game}-1"
        kinds[f"a table of {game}"] = operator.records[operator.tables[name].index]
    return kinds


def _edges() -> list[Case]:
    operator = Operator()
    operator.table("x" * 32, "keno-express", [f"custodian-{number}" for number in range(8)])
    operator.batch("x" * 32, 3)
    operator.lock("x" * 32, bets={"count": (1 << 53) - 1, "root": "00" * 32}, round=(1 << 48) - 1)
    operator.reveal("x" * 32, reason="r" * LONGEST_REASON, outcome={})
    names = ("the longest names", "eight custodians", "the largest integers", "the longest reason")
    found = [_accepted(name, data) for name, data in zip(names, operator.records, strict=True)]
    told = json.loads(operator.records[0]) | {"paytable": "5a" * 32}
    spelled_again = json.dumps(told, sort_keys=True, separators=(",", ":")).encode()
    return [*found, _accepted("a table with a paytable", spelled_again)]


def _accepted(name: str, data: bytes) -> Case:
    record = parse_record(data)
    result = {"leaf_hash": leaf_hash(data).hex(), "table": record.table, "type": record.type}
    return valid(name, spelled(data), result)


def _refused() -> list[Case]:
    cases = []
    for lie in LIES:
        if lie.check is Check.RECORD_FORM and lie not in VERSION_LIES:
            operator = started()
            lie.tell(operator)
            cases.append(invalid(lie.name, spelled(operator.records[-1]), _bug(lie.name)))
    return cases


def _too_large() -> Case:
    operator = started()
    operator.lock("keno-1")
    operator.reveal("keno-1", outcome={"number": [1] * (LARGEST_RECORD // 2)})
    return invalid("more than 65535 bytes", spelled(operator.records[-1]), "a reader without a limit")


_OF_OTHER_TYPES: dict[str, dict[str, object]] = {
    "table": {"bets": ["required"], "created": 3, "custodians": {"0": "house", "1": "lab"}, "log": 3, "table": 3},
    "batch": {"anchors": {}, "commitments": {}, "committed": 3, "previous": 3, "rules": []},
    "salt": {"salted": 3, "signature": 3},
    "lock": {"bets": {"count": 3, "root": 3}, "locked": 3, "opened": 3},
    "reveal": {"outcome": [], "revealed": 3, "seeds": {}},
    "end": {"ended": 3},
    "close": {"closed": 3, "seeds": {}},
}
"""Values that a lenient parser converts: an object in place of an array, a number in place of a text."""
_ARRAYS = (("table", "custodians"), ("batch", "anchors"), ("batch", "commitments"), ("reveal", "seeds"))
"""Arrays of texts."""


def _of_other_types() -> list[Case]:
    operator = started()
    operator.play("keno-1")
    operator.salt("keno-1")
    operator.end("keno-1")
    operator.close("keno-1")
    records: dict[str, bytes] = {parse_record(data).type: data for data in operator.records}

    def of(kind: str, key: str, value: object, shown: str) -> Case:
        data = json.dumps(json.loads(records[kind]) | {key: value}, sort_keys=True, separators=(",", ":"))
        return invalid(f"a {kind} whose {key} is {shown}", {"text": data}, "values of any type")

    shown = {list: "an array", dict: "an object of numbers", int: "a number"}
    return [
        *(
            of(kind, key, value, shown[type(value)])
            for kind, values in _OF_OTHER_TYPES.items()
            for key, value in values.items()
        ),
        *(of(kind, key, [3], "an array of a number") for kind, key in _ARRAYS),
        *(of(kind, key, [["5a" * 32]], "an array of arrays") for kind, key in _ARRAYS),
    ]


def _ordered_keys() -> list[Case]:
    """Keys are ordered by their bytes, not by their spelling."""
    operator = started()
    record = json.loads(operator.records[1]) | {"rules": {'"': 1, "A": 2, "version": 1}}
    data = json.dumps(record, sort_keys=True, separators=(",", ":")).encode()
    exchanged = data.replace(b'{"\\"":1,"A":2,', b'{"A":2,"\\"":1,')
    return [
        _accepted("a key that is spelled with an escape", data),
        invalid(
            "keys in the order of their spelling", spelled(exchanged), "keys that are sorted as they are spelled"
        ),
    ]


def _cases() -> list[Case]:
    return [
        *(_accepted(name, data) for name, data in _honest().items()),
        *_edges(),
        *_ordered_keys(),
        *_refused(),
        *_of_other_types(),
        _too_large(),
    ]


FORMATS = [Format("record", "parse", "4.1, 4.2", _cases)]
