"""The parameters behind the ``?`` of a call's address: which there are, and the refusal of all others.

A parameter that a call does not know would be dropped in silence: whoever writes ``form=41`` would read the first
page for the forty-first. Of one that is there twice, two readers of the same address might take different values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flask import request

from api.answers.rounds import MOST_ROUNDS
from api.answers.schemas import JsonObject
from api.http.answers import whole_number
from api.problems import Code, Problem
from fairness.hashing import U48_LIMIT

_OF_PROGRAMS = "/v1"
_LONGEST_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Parameter:
    """A whole number that a call takes: from 1 to ``most``, and ``default`` if it is not there."""

    name: str
    most: int
    default: int

    def given(self) -> int:
        """Return the number in the present request. Raises `Problem` for any second spelling of it."""
        return whole_number(request.args.get(self.name, str(self.default)), self.name, self.most)

    def described(self) -> JsonObject:
        """Return the parameter as OpenAPI has it."""
        schema: JsonObject = {"type": "integer", "minimum": 1, "maximum": self.most, "default": self.default}
        return {"name": self.name, "in": "query", "schema": schema}


FROM = Parameter("from", U48_LIMIT - 1, 1)
LIMIT = Parameter("limit", MOST_ROUNDS, 50)

TAKEN: Mapping[str, tuple[Parameter, ...]] = {"public.list_rounds": (FROM, LIMIT)}
"""What each call of programs takes, by the name of its view; the others take nothing."""


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
