"""``GET /metrics``: figures for the operator's own monitoring, in the text format of Prometheus (version 0.0.4).

Like the operator's page it shows nothing of a round that is not over. It has the figures of the tables that the token
is for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from flask import Blueprint, Response

from api.access.sessions import PEOPLE
from api.access.tokens import ALL_TABLES
from api.callers import present_token
from api.operations.counts import BOUNDS, counts
from api.operations.drift import FALSE_ALARMS, CountNow
from api.operations.health import Health
from api.operations.overview import Observer, Overview, TableNow
from api.parts import part
from api.world.published.published_log import PublishedLog
from api.world.storage_failures import free_bytes

metrics = Blueprint("metrics", __name__)

_KIND = "text/plain; version=0.0.4; charset=utf-8"
Value = tuple[dict[str, str], float | int | None]
"""Labels, and a value; `None` if there is none yet."""


@metrics.get("/metrics")
def show() -> Response:
    """Return everything at one moment, for a token of the role ``operator`` or ``auditor``."""
    token = present_token()
    token.check_role(*PEOPLE)
    seen = part(Observer).overview()
    mine = [table for table in seen.tables if ALL_TABLES in token.tables or table.state.name in token.tables]
    lines = [
        *_lines(seen, mine),
        *_of_parts(part(Health).failures(), free_bytes(part(PublishedLog).folder)),
        *_of_calls(),
    ]
    response = Response("".join(lines), content_type=_KIND)
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
    yield from _figure("malformed_requests_total", help_text, [({}, counts().malformed.total)], kind="counter")
    ahead = 0.0 if seen.jump is None else seen.jump.ahead.total_seconds()
    yield from _gauge(
        "clock_jump_seconds", "By how much the machine's date has jumped ahead; 0 if it has not.", [({}, ahead)]
    )
    help_text = "1 if batches have got no salts for a minute, from whichever beacon."
    yield from _gauge("beacon_failing", help_text, [({}, int(seen.failures["beacon"] is not None))])
    yield from _of_witnesses(seen)
    yield from _of_tables(tables)
    yield from _of_rounds(tables)
    yield from _of_drift(seen, tables)


def _of_witnesses(seen: Overview) -> Iterator[str]:
    help_text = "1 if nothing is published because the policy's quorum is not met."
    yield from _gauge("witnesses_failing", help_text, [({}, int(seen.failures.get("witnesses") is not None))])
    values: list[Value] = [
        ({"witness": _escaped(witness.name)}, age.total_seconds())
        for witness, age in zip(seen.witnesses, seen.away, strict=True)
    ]
    yield from _gauge(
        "witness_away_seconds", "Since a witness last cosigned when it was asked; 0 if it does.", values
    )
    failures: list[Value] = [({"witness": _escaped(each.name)}, each.failures) for each in seen.witnesses]
    help_text = "Requests to a witness that brought no cosignature, since the sequencer began."
    yield from _figure("witness_failures_total", help_text, failures, kind="counter")


def _escaped(name: str) -> str:
    """Return a witness's name as a label: policies allow quotes and backslashes."""
    return name.replace("\\", r"\\").replace('"', r"\"")


def _of_parts(failures: Mapping[str, str | None], free: int) -> Iterator[str]:
    help_text = "1 if a part of the service fails, as /health/ready reports it."
    yield from _gauge(
        "failing", help_text, [({"part": part}, int(why is not None)) for part, why in failures.items()]
    )
    yield from _gauge("log_disk_free_bytes", "Room on the disk of log/.", [({}, free)])


def _of_calls() -> Iterator[str]:
    seen = counts()
    refusals: list[Value] = [({"code": code.text}, refused.total) for code, refused in seen.refusals.items()]
    help_text = "Calls that were refused, by the code of the problem, since the service was started."
    yield from _figure("refusals_total", help_text, refusals, kind="counter")
    help_text = "From a lock to its outcome, of calls that locked a round; those answered 202 are above all bounds."
    yield f"# HELP foredraw_lock_seconds {help_text}\n# TYPE foredraw_lock_seconds histogram\n"
    cumulated = seen.locks.cumulated()
    for bound, number in zip((*map(str, BOUNDS), "+Inf"), cumulated, strict=True):
        yield f'foredraw_lock_seconds_bucket{{le="{bound}"}} {number}\n'
    yield f"foredraw_lock_seconds_sum {seen.locks.seconds}\nforedraw_lock_seconds_count {cumulated[-1]}\n"


def _of_rounds(tables: list[TableNow]) -> Iterator[str]:
    ways = ("played", "void_never_opened", "void_opened", "void_locked")
    ended: list[Value] = [
        ({"table": table.state.name, "how": way.replace("_", "-")}, getattr(table.state.counts, way))
        for table in tables
        for way in ways
    ]
    yield from _figure("table_ended_rounds_total", "Rounds that have ended, and how.", ended, kind="counter")


def _of_tables(tables: list[TableNow]) -> Iterator[str]:
    gauges: tuple[tuple[str, str, Callable[[TableNow], float | None]], ...] = (
        ("rounds_per_minute", "Rounds locked, over the last five minutes.", lambda table: table.pace.per_minute),
        ("next_round", "The round that is opened next, or is open.", lambda table: table.state.next_round),
        ("committed_ahead", "Rounds committed and not locked yet.", lambda table: table.ahead),
        ("playable", "Of these, how many can be played before the next batch.", lambda table: table.playable),
        ("lead", "Rounds that must be committed beyond one that is played.", lambda table: table.state.lead),
        ("playable_seconds", "How long those last at the present pace.", _lasts),
        ("halted", "1 if replay refused a record, or the table's row is damaged.", _is_halted),
        ("paused", "1 while the operator lets no round be opened.", lambda table: int(table.condition == "paused")),
        (
            "hanging_rounds",
            "Rounds that should be revealed by now.",
            lambda table: sum(now.hangs for now in table.rounds),
        ),
    )
    for name, help_text, value in gauges:
        values = [({"table": table.state.name}, value(table)) for table in tables]
        yield from _gauge(f"table_{name}", help_text, values)


def _lasts(table: TableNow) -> float | None:
    return None if table.lasts is None else table.lasts.total_seconds()


def _is_halted(table: TableNow) -> int:
    return int(table.condition == "halted" or table.damaged)


def _of_drift(seen: Overview, tables: list[TableNow]) -> Iterator[str]:
    gauges: tuple[tuple[str, str, Callable[[CountNow], float | None]], ...] = (
        ("rounds", "Played rounds that were looked at.", lambda each: each.rounds),
        ("expected", "How many a round has on average, by the exact law.", lambda each: each.expected),
        ("observed", "How many a round really had on average.", lambda each: each.observed),
        (
            "evidence",
            "The largest so far; its chance to ever reach x is at most 1/x.",
            lambda each: each.evidence,
        ),
        ("alarm_round", "The round of its alarm, or 0.", lambda each: each.alarm),
    )
    counts = [(table.state.name, each) for table in tables for each in seen.drifts.get(table.state.name, ())]
    help_text = "The chance that a good table ever has an alarm, at most."
    yield from _gauge("drift_false_alarms", help_text, [({}, FALSE_ALARMS)])
    for name, help_text, value in gauges:
        yield from _gauge(
            f"drift_{name}",
            help_text,
            [({"table": table, "count": each.name}, value(each)) for table, each in counts],
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
