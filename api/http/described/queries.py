"""The parameters behind the ``?`` of a call's address: which there are, and the refusal of all others.

A parameter that a call does not know would be dropped in silence: whoever writes ``form=41`` would read the first
page for the forty-first. Of one that is there twice, two readers of the same address might take different values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from flask import request

from api.answers.rounds import MOST_ROUNDS
from api.answers.schemas import JsonObject
from api.answers.tables import MOST_TABLES
from api.http.answers import whole_number
from api.problems import Code, Problem
from fairness.hashing import U48_LIMIT

_OF_PROGRAMS = "/v1"
_LONGEST_SHOWN = 40
_NAME = "^[a-z0-9-]{1,32}$"
_POSITIVE = re.compile(r"[1-9][0-9]*", re.ASCII)
_LONGEST_READ = 16
"""Digits: what is longer, is above every limit."""


@dataclass(frozen=True, slots=True)
class Number:
    """A round's number that a call may take."""

    name: str
    description: str

    def given(self) -> int | None:
        """Return the number in the present request; `None` if it is not there. Raises `Problem` for any second
        spelling of it.
        """
        text = request.args.get(self.name)
        return None if text is None else whole_number(text, self.name, U48_LIMIT - 1)

    @property
    def schema(self) -> JsonObject:
        """What OpenAPI says of its values."""
        return {"type": "integer", "minimum": 1, "maximum": U48_LIMIT - 1}


@dataclass(frozen=True, slots=True)
class Name:
    """A table's name that a call may take."""

    name: str
    description: str

    def given(self) -> str:
        """Return the name in the present request; an empty one if it is not there. Raises `Problem` for what is no
        name.
        """
        text = request.args.get(self.name)
        if text is not None and not re.fullmatch(_NAME[1:-1], text, re.ASCII):
            detail = f"{self.name}: expected a table's name, found {text[:_LONGEST_SHOWN]!r}"
            raise Problem(Code.MALFORMED_REQUEST, detail, parameter=self.name)
        return text or ""

    @property
    def schema(self) -> JsonObject:
        """What OpenAPI says of its values."""
        return {"type": "string", "pattern": _NAME}


@dataclass(frozen=True, slots=True)
class Limit:
    """How many things a list has at most: ``default`` if the call does not say it, and never more than ``most``."""

    most: int
    default: int
    name: str = "limit"

    def given(self) -> int:
        """Return the limit of the present request: of a number above the most, the most. Raises `Problem` for what is
        no number.
        """
        text = request.args.get(self.name, str(self.default))
        if not _POSITIVE.fullmatch(text):
            detail = f"{self.name}: expected a number from 1, found {text[:_LONGEST_SHOWN]!r}"
            raise Problem(Code.MALFORMED_NUMBER, detail, parameter=self.name, minimum=1)
        return min(int(text[:_LONGEST_READ]), self.most)

    @property
    def description(self) -> str:
        """What it does."""
        return f"at most so many; more than {self.most} is taken as {self.most}"

    @property
    def schema(self) -> JsonObject:
        """What OpenAPI says of its values."""
        return {"type": "integer", "minimum": 1, "default": self.default}


Parameter = Number | Name | Limit

AFTER = Name("after", "the tables after this name, which need not be one's")
OF_TABLES = Limit(MOST_TABLES, 100)
FROM = Number("from", "the rounds from this one on, upwards; without it, and without `to`, from round 1")
TO = Number("to", "the rounds from this one on, downwards; not together with `from`")
OF_ROUNDS = Limit(MOST_ROUNDS, 50)

TAKEN: Mapping[str, tuple[Parameter, ...]] = {
    "reads.list_tables": (AFTER, OF_TABLES),
    "public.list_rounds": (FROM, TO, OF_ROUNDS),
}
"""What each call of programs takes, by the name of its view; the others take nothing."""


def described(parameter: Parameter) -> JsonObject:
    """Return a parameter as OpenAPI has it."""
    return {
        "name": parameter.name,
        "in": "query",
        "description": parameter.description,
        "schema": parameter.schema,
    }


def page_at(**parameters: str | int) -> str:
    """Return the address of another page of the list that the present request asks for."""
    return f"{request.path}?{urlencode(parameters)}"


def check_query() -> None:
    """Raise `Problem` if the present request is a call of programs with a parameter that it does not take, or with
    one twice.
    """
    if not request.query_string or not request.path.startswith(_OF_PROGRAMS) or request.url_rule is None:
        return
    if request.method == "OPTIONS":
        # A browser would not show its page why the question before the call was refused.
        return
    known = [parameter.name for parameter in TAKEN.get(request.url_rule.endpoint, ())]
    takes = f"this call takes {' and '.join(known) or 'no parameters'}"
    for name, values in request.args.lists():
        if name not in known:
            shown = name[:_LONGEST_SHOWN]
            raise Problem(Code.MALFORMED_REQUEST, f"there is no parameter {shown!r}: {takes}", parameter=shown)
        if len(values) > 1:
            detail = f"the parameter {name!r} is there {len(values)} times: {takes}, each once"
            raise Problem(Code.MALFORMED_REQUEST, detail, parameter=name)
