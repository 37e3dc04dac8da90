"""``/ops/tables/add``: a new table."""

from __future__ import annotations

import logging
import re

from flask import abort, redirect, request
from werkzeug.wrappers import Response

from api.access.sessions import Session
from api.access.tokens import ALL_TABLES
from api.pages.ops.operators import for_operators, operators
from api.pages.shell.forms import read_session_form
from api.pages.shell.frame import show
from api.pages.shell.languages import gettext as _
from api.pages.shell.languages import number
from api.parts import part
from api.rounds.change import TableWriter
from api.rounds.tables import TableRefusedError, add_table
from api.settings import DEFAULT_TIMEOUT, LONGEST_TIMEOUT
from games import GAMES
from games.facts import facts_of

_FIELDS = {
    "name": "",
    "game": "",
    "lead": "",
    "timeout": str(DEFAULT_TIMEOUT),
    "bets": "optional",
    "rtp": "97.00",
    "cap": "10000.00",
}
"""The fields of the form, with their first values."""
_WITH_PARAMETERS = sorted(game for game in GAMES if len(facts_of(game).default_rules) > 1)

_logger = logging.getLogger("foredraw.ops")


class _NotANumberError(Exception):
    """A field of the form; the message is for its reader."""


@operators.get("/tables/add")
@for_operators
def add_page(session: Session) -> Response:
    """Show a form for all that ``foredraw table add`` takes."""
    return _page(session, _FIELDS)


@operators.post("/tables/add")
@for_operators
def add(session: Session) -> Response:
    """Queue the table's record."""
    form = {name: value.strip() for name, value in read_session_form(session, *_FIELDS).items()}
    _check_scope(session)
    try:
        add_table(
            part(TableWriter),
            form["name"],
            form["game"],
            lead=_whole(form["lead"], _("The lead")) if form["lead"] else None,
            timeout=_whole(form["timeout"], _("The time-out")),
            rules=_rules(form) if form["game"] in _WITH_PARAMETERS else None,
            bets_required=_is_required(form["bets"]),
            by=session.operator.holder,
        )
    except _NotANumberError as error:
        return _page(session, form, wrong=str(error))
    except TableRefusedError as error:
        return _page(session, form, wrong=_why(error))
    _logger.warning("the operator %s added the table %s", session.operator.name, form["name"])
    return redirect(f"/ops#{form['name']}", 303)


def _page(session: Session, form: dict[str, str], *, wrong: str = "") -> Response:
    """Return the form; with what is ``wrong`` with it."""
    _check_scope(session)
    return show(
        "ops_add",
        status=400 if wrong else 200,
        form=form,
        wrong=wrong,
        games=GAMES.values(),
        with_parameters=_WITH_PARAMETERS,
        longest_timeout=LONGEST_TIMEOUT,
        form_token=session.form_token(request.path),
    )


def _why(error: TableRefusedError) -> str:
    words = {
        "name": _("A name is 1 to 32 of a-z, 0-9 and -."),
        "taken": _("There is a table of this name already; names are never used again."),
        "game": _("There is no such game."),
        "timeout": _("The time-out is 1 to %(most)s seconds.") % {"most": number(LONGEST_TIMEOUT)},
        "rules": _(
            "The return to players is above 0 and at most 100 percent, the largest multiplier 1.01 to 10000000."
        ),
        "paytable": _("Under these rules a bet would return more than 100 percent."),
        "log": _(
            "The log has ended: its last record names the log that follows it, and nothing is appended any more."
        ),
    }
    return words.get(error.field) or _("The lead is what the game demands, or more, and 1000 at most.")


def _check_scope(session: Session) -> None:
    if ALL_TABLES not in session.operator.tables:
        abort(403, _("The token that you signed in with is for some tables only, so it adds none."))


def _rules(form: dict[str, str]) -> dict[str, int]:
    return {
        "cap": _hundredths(form["cap"], _("The largest multiplier")),
        "rtp": _hundredths(form["rtp"], _("The return to players")),
        "version": 1,
    }


def _is_required(choice: str) -> bool:
    if choice not in ("optional", "required"):
        abort(400, _("This form is not one of this page. Nothing was done."))
    return choice == "required"


def _whole(text: str, what: str) -> int:
    if not re.fullmatch(r"0|[1-9][0-9]{0,8}", text, re.ASCII):
        raise _NotANumberError(_("%(what)s is a whole number.") % {"what": what})
    return int(text)


def _hundredths(text: str, what: str) -> int:
    if not re.fullmatch(r"(0|[1-9][0-9]{0,8})(\.[0-9]{1,2})?", text, re.ASCII):
        raise _NotANumberError(_("%(what)s is a number with two decimals at most.") % {"what": what})
    whole, _point, decimals = text.partition(".")
    return int(whole) * 100 + int(decimals.ljust(2, "0"))
