"""Lies about what bets pay: the file that a table's record names (SPEC 5.10)."""

from __future__ import annotations

from collections.abc import Callable

from fairness.checks import Check
from tests.recipes import Json
from tests.recipes.cases.told import RULES, Told, below
from tests.support.codes import code_of
from tests.support.dishonest_operator import Operator
from tests.support.hostile_paytables import WRONG_BESIDE_NEW, looks, option, paytable, spelled
from verifier.sentences import Unknown

GENEROUS = paytable(option(form="small", pays=[[[{"from": 3, "to": 10}], ["to", 110]]]))
"""A paytable of an operator's own, for Sic Bo."""
MEAN = paytable(option(form="small", pays=[[[{"from": 3, "to": 10}], ["to", 50]]]))
RETURNS = "At dice-1 the bet small returns 105.00% of what is staked, on average. No rule forbids that: an operator may be generous."
NEWER_WORD = looks("median", "dice")
NEWER_VERSION = spelled({"bets": [], "version": 2})

Change = Callable[[str, dict[str, bytes]], dict[str, bytes]]


def about_paytables() -> list[Told]:
    """What is refused, shown, or unknown about what bets pay."""
    return [
        _told("the catalogue's paytable", "catalogue", tells={"verdict": "held"}),
        _told("a paytable of the operator's own", MEAN, tells={"verdict": "held", "remarks": []}),
        _told(
            "a paytable that returns more than is staked", GENEROUS, tells={"verdict": "held", "remarks": [RETURNS]}
        ),
        _told("a paytable that is not there", GENEROUS, Check.PAYTABLE_FILE, _without),
        _told(
            "a paytable that was exchanged afterwards",
            GENEROUS,
            Check.PAYTABLE_FILE,
            lambda path, log: log | {path: MEAN},
        ),
        _told("a paytable with white space", GENEROUS.replace(b":", b": "), Check.PAYTABLE_FORM),
        _told("a paytable whose game does not draw its cards", looks("sum", "cards"), Check.PAYTABLE_FORM),
        _told("a wrong option beside a newer word", WRONG_BESIDE_NEW["a wrong option"], Check.PAYTABLE_FORM),
        _told("a paytable with a newer word", NEWER_WORD, tells=_unknown("the figure median")),
        _told("a paytable of a later version", NEWER_VERSION, tells=_unknown("paytables of version 2")),
        _told("a bet that pays by the catalogue's paytable", "catalogue", tells=_by(catalogue=True), bet="small"),
        _told("a bet that pays by the operator's own paytable", GENEROUS, tells=_by(catalogue=False), bet="small"),
        _told("a bet by a paytable with a newer word", NEWER_WORD, tells=_unknown("the figure median"), bet="small"),
        _told(
            "a bet by a paytable that was exchanged afterwards",
            GENEROUS,
            Check.PAYTABLE_FILE,
            lambda path, log: log | {path: MEAN},
            bet="small",
        ),
    ]


def _unknown(what: str) -> Json:
    return {"verdict": "unknown", "unknown": [Unknown.PAYTABLE.fill(table="dice-1", what=what)]}


def _by(*, catalogue: bool) -> Json:
    return {"verdict": "held", "paytable_in_catalogue": catalogue}


def _without(path: str, log: dict[str, bytes]) -> dict[str, bytes]:
    return {each: data for each, data in log.items() if each != path}


def _dice(betting: bytes | str) -> tuple[Operator, str]:
    operator = Operator()
    operator.table("dice-1", "sic-bo", betting="catalogue" if isinstance(betting, str) else betting)
    operator.batch("dice-1", 20)
    operator.play("dice-1")
    (path,) = operator.paytables
    return operator, path


def _told(
    what: str,
    betting: bytes | str,
    check: Check | None = None,
    change: Change | None = None,
    tells: Json | None = None,
    *,
    bet: str | None = None,
) -> Told:
    operator, path = _dice(betting)
    log = operator.files() if change is None else change(path, operator.files())
    asked = ["code", str(code_of(operator, "dice-1", 1)), "--log", "log", "--bet", bet] if bet else ["audit", "log"]
    return Told(what, RULES, below("log", log), [asked], check, tells=tells or {})
