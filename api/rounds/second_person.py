"""Voiding by two people: one asks, and another one confirms within a time.

A request is an entry of the journal and nothing else, so nobody can change or remove it, and it survives a rebuild.
Of a table only the last one counts. Who somebody is, the machine says: its account, and whom sudo acts for.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from api.answers.rounds import Ended, Pending
from api.journal.chain import note
from api.journal.entry import Act, Deed, values_of
from api.refusal import RefusalError
from api.rounds.calls import Rounds, reason_for_the_log
from api.rounds.change import TableWriter
from api.rounds.reading import table_row
from api.store import statements as sql
from fairness.times import format_time


class NotConfirmedError(RefusalError):
    """A request cannot be confirmed like this; the message says why, and what to do."""


def ask_to_void(writer: TableWriter, table: str, number: int, reason: str, *, by: str, within: timedelta) -> str:
    """Store the request. Returns until when it can be confirmed. Raises `Problem` if there is no such table, or for a
    blank reason.
    """
    table_row(writer.database, table)
    sent, reason = reason, reason_for_the_log(reason)
    said = {} if sent == reason else {"sent": sent.encode("utf-8", "backslashreplace").decode()}
    now = writer.timekeeper.shown()
    until = format_time(datetime.fromisoformat(now) + within)
    note(
        writer.database,
        now,
        Deed(by, Act.ROUND_VOID_ASK, table, after={"round": number, "until": until, **said}, reason=reason),
    )
    return until


def confirm_void(writer: TableWriter, rounds: Rounds, table: str, number: int, *, by: str) -> Ended | Pending:
    """Void the round that somebody else asked to void. Raises `NotConfirmedError` or `Problem`."""
    with writer.database.read() as connection:
        asked = sql.LAST_OF_ACT_ON.find(connection, act=Act.ROUND_VOID_ASK.value, subject=table)
    values = None if asked is None else values_of(asked.after)
    if asked is None or values is None or asked.reason is None or values["round"] != number:
        raise NotConfirmedError(
            f"nobody has asked to void round {number} of {table}, or another request of the table came after it: see"
            " `foredraw journal`"
        )
    if _person(asked.who) == _person(by):
        raise NotConfirmedError(
            f"{by} has asked to void round {number} of {table}, so somebody else has to confirm it"
        )
    if writer.timekeeper.shown() > str(values["until"]):
        raise NotConfirmedError(
            f"the request to void round {number} of {table} could be confirmed until {values['until']}: ask again with"
            " `foredraw round void`"
        )
    return rounds.void(table, number, asked.reason, operator=by, asked_by=asked.who)


def _person(who: str) -> str:
    """Return whom sudo acts for, if anybody: one person may use several accounts."""
    person = re.fullmatch(r"account \S+ \(sudo (.+)\)", who)
    return f"account {person[1]}" if person is not None else who
