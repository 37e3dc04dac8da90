"""``GET /metrics``: figures for the operator's own monitoring, in the text format of Prometheus (version 0.0.4).

Like the operator's page it shows nothing of a round that is not over. It has the figures of the tables that the token is for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache

from flask import Blueprint, Response, request

from api.access.tokens import ALL_TABLES, Role, find_token
from api.operations.drift import FALSE_ALARMS, BetNow
from api.operations.overview import Observer, Overview, TableNow
from api.parts import part
from api.sql.database import Database
from api.world.shared_count import SharedCount

metrics = Blueprint("metrics", __name__)

_KIND = "text/plain; version=0.0.4; charset=utf-8"
Value = tuple[dict[str, str], float | int | None]
"""Labels, and a value; `None` if there is none yet."""


@metrics.get("/metrics")
def show() -> Response:
    """Everything at one moment, for a token of the role ``operator``."""
    token = find_token(part(Database), request.headers.get("Authorization"))
    token.check_role(Role.OPERATOR)
    seen = part(Observer).overview()
    mine = [table for table in seen.tables if ALL_TABLES in token.tables or table.state.name in token.tables]
    response = Response("".join(_lines(seen, mine)), content_type=_KIND)
    response.headers["Cache-Control"] = "no-store"
    return response


def _lines(seen: Overview, tables: list[TableNow]) -> Iterator[str]:
    background = seen.background
    ages: list[Value] = [({"part": part}, age) for part, age in background.ages.items()]
    ages.append(({"part": "monitor"}, background.monitor))
    yield from _gauge("sign_of_life_age_seconds", "Since a part of the background program was last at work.", ages)
    yield from _gauge("queue_records", "Records that wait to be published.", [({}, background.waiting)])
    yield from _gauge("log_records", "Records that the log has.", [({}, background.size)])
    yield from _gauge(
        "publication_age_seconds", "Since the last checkpoint was signed.", [({}, background.checkpoint)]
    )
    # The name of a counter ends so (the format's own convention).
    help_text = "Requests that were not HTTP, on both listeners, since the service was started."
    yield from _figure("malformed_requests_total", help_text, [({}, _malformed_requests().total)], kind="counter")
    ahead = 0.0 if seen.jump is None else seen.jump.ahead.total_seconds()
    yield from _gauge(
        "clock_jump_seconds", "By how much the machine's date has jumped ahead; 0 if it has not.", [({}, ahead)]
    )
    help_text = "1 if batches have got no salts for a minute, from whichever beacon."
    yield from _gauge("beacon_failing", help_text, [({}, int(seen.beacon is not None))])
    yield from _of_witnesses(seen)
    yield from _of_tables(tables)
    yield from _of_bets(seen, tables)


def _of_witnesses(seen: Overview) -> Iterator[str]:
    help_text = "1 if nothing is published because the policy's quorum is not met."
    yield from _gauge("witnesses_failing", help_text, [({}, int(seen.unwitnessed is not None))])
    values: list[Value] = [
        ({"witness": _escaped(witness.name)}, age.total_seconds())
        for witness, age in zip(seen.witnesses, seen.away, strict=True)
    ]
    yield from _gauge(
        "witness_away_seconds", "Since a witness last cosigned when it was asked; 0 if it does.", values
    )


def _escaped(name: str) -> str:
    """A witness's name as a label: policies allow quotes and backslashes."""
    return name.replace("\\", r"\\").replace('"', r"\"")


@cache
def _malformed_requests() -> SharedCount:
    return SharedCount()


def _of_tables(tables: list[TableNow]) -> Iterator[str]:
    gauges: tuple[tuple[str, str, Callable[[TableNow], float]], ...] = (
        ("rounds_per_minute", "Rounds locked, over the last five minutes.", lambda table: table.pace.per_minute),
        ("next_round", "The round that is opened next, or is open.", lambda table: table.state.next_round),
        ("committed_ahead", "Rounds committed and not locked yet.", lambda table: table.ahead),
        ("playable", "Of these, how many can be played before the next batch.", lambda table: table.playable),
        ("halted", "1 where replay refused a record, or the table's row is damaged.", _is_halted),
        ("paused", "1 where the operator lets no round be opened.", lambda table: int(table.condition == "paused")),
        (
            "hanging_rounds",
            "Rounds that should be revealed by now.",
            lambda table: sum(now.hangs for now in table.rounds),
        ),
    )
    for name, help_text, value in gauges:
        values = [({"table": table.state.name}, value(table)) for table in tables]
        yield from _gauge(f"table_{name}", help_text, values)


def _is_halted(table: TableNow) -> int:
    return int(table.condition == "halted" or table.damaged)


def _of_bets(seen: Overview, tables: list[TableNow]) -> Iterator[str]:
    gauges: tuple[tuple[str, str, Callable[[BetNow], float | None]], ...] = (
        ("rounds", "Played rounds that offered the bet.", lambda bet: bet.rounds),
        ("return_expected", "Its exact return, for a stake of 1.", lambda bet: bet.expected),
        ("return_observed", "What it returned on average.", lambda bet: bet.returned),
        (
            "drift_evidence",
            "The largest so far; its chance to ever reach x is at most 1/x.",
            lambda bet: bet.evidence,
        ),
        ("drift_alarm_round", "The round of its alarm, or 0.", lambda bet: bet.alarm),
    )
    bets = [(table.state.name, bet) for table in tables for bet in seen.drifts.get(table.state.name, ())]
    help_text = "The chance that a good table ever has an alarm, at most."
    yield from _gauge("drift_false_alarms", help_text, [({}, FALSE_ALARMS)])
    for name, help_text, value in gauges:
        yield from _gauge(
            f"bet_{name}", help_text, [({"table": table, "bet": bet.name}, value(bet)) for table, bet in bets]
        )


def _gauge(name: str, help_text: str, values: Iterable[Value]) -> Iterator[str]:
    return _figure(name, help_text, values, kind="gauge")


def _figure(name: str, help_text: str, values: Iterable[Value], *, kind: str) -> Iterator[str]:
    yield f"# HELP foredraw_{name} {help_text}\n# TYPE foredraw_{name} {kind}\n"
    for labels, value in values:
        if value is not None:
            # Names of tables and bets have neither quotes nor backslashes, which the format would want escaped.
            shown = ",".join(f'{key}="{text}"' for key, text in labels.items())
            yield f"foredraw_{name}{{{shown}}} {value}\n" if shown else f"foredraw_{name} {value}\n"
