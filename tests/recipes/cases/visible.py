"""Cheats that break no rule, and what a verdict says about them nevertheless."""

from __future__ import annotations

from tests.lies import started_salted
from tests.recipes import Json
from tests.recipes.cases.small import small
from tests.recipes.cases.told import CHOSEN, PEEK, RULES, SKIPPED, TRUSTING, TWO_FACES, Told, below
from tests.support import sandbox
from tests.support.dishonest_operator import Operator
from verifier.sentences import NotChecked, Unknown


def visible() -> list[Told]:
    """Cheats that break no rule, and what a verdict says about them nevertheless."""
    locked, voids, reruled, plain = small(), small(), Operator(), small()
    locked.lock("keno-1")
    voids.drop("keno-1")
    voids.batch("keno-1", 6)
    voids.give_up("keno-1", was_open=True)
    voids.reveal("keno-1")
    voids.lock("keno-1")
    voids.void("keno-1")
    reruled.table("crash-1", "crash")
    reruled.batch("crash-1", 11)
    reruled.play("crash-1")
    reruled.batch("crash-1", 11, rules={"cap": 1_000_000, "rtp": 9500, "version": 1})
    # A seed shared with an insider, and a batch chosen among many, leave no trace in a log.
    audit = [["audit", "log"]]

    def told(what: str, cheat: str, operator: Operator, tells: Json) -> Told:
        return Told(what, cheat, below("log", operator.files()), audit, tells=tells)

    lock = locked.tables["keno-1"].latest
    unfinished = {"table": "keno-1", "what": "locked-round", "begun_at": lock, "round": 3}
    salted = started_salted()
    since = salted.tables["salty-1"].latest
    awaiting = {"table": "salty-1", "what": "awaits-salt", "begun_at": since, "batch": 3}
    rules = {"cap": 1_000_000, "rtp": 9700, "version": 1}
    newer, beyond = Operator(), small()
    newer.table("jumps-1", "jumps", declared={"draw": [["height", "jump", 3]]})
    newer.batch("jumps-1", 4)
    newer.play("jumps-1")
    beyond.append(b'{"paused":3,"table":"new-1","type":"table","v":2}')
    game = Unknown.GAME.fill(table="jumps-1", what="the kind jump")
    records = Unknown.RECORDS.fill(table="new-1", what="tables of version 2")
    policy = f"log {sandbox.VKEY}\nquorum none\n".encode()
    tried = below("log", sandbox.files_of(sandbox.played())) | {"policy": policy}
    return [
        Told("a log for trying things out", TRUSTING, tried, audit, tells={"verdict": "sandbox"}),
        told("a game that is newer than the verifier", TRUSTING, newer, {"verdict": "unknown", "unknown": [game]}),
        told(
            "a record that is newer than the verifier", TRUSTING, beyond, {"verdict": "unknown", "unknown": [records]}
        ),
        told("a round that is not revealed", SKIPPED, locked, {"unfinished": [unfinished]}),
        told("void rounds", SKIPPED, voids, {"tables": [{"void": {"never_opened": 1, "opened": 1, "locked": 1}}]}),
        told(
            "rules changed",
            RULES,
            reruled,
            {"tables": [{"rules_changes": [{"batch": 2, "old_rules": rules, "new_rules": rules | {"rtp": 9500}}]}]},
        ),
        told("no salt against chosen seeds", CHOSEN, plain, {"not_checked": [NotChecked.NO_SALT]}),
        told("a salt whose time is the operator's word", CHOSEN, salted, {"not_checked": [NotChecked.SALT_BY_CLOCK]}),
        told("a batch that awaits its salt", SKIPPED, salted, {"unfinished": [awaiting]}),
        told("one custodian who could peek", PEEK, plain, {"not_checked": [NotChecked.ONE_CUSTODIAN]}),
        told("no witness against two faces", TWO_FACES, plain, {"not_checked": [NotChecked.NO_WITNESS]}),
    ]
