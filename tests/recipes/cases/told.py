"""A case: a folder with what an operator signed, the commands to run in it, and what every verifier must say."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from fairness.checks import MEANING, Check
from tests.house import HOUSE
from tests.recipes import Json
from tests.support.dishonest_operator import KEY
from verifier.typing_error import CHECKS_OF_CODES

FOLDER = HOUSE / "tests" / "cases"
VKEY = str(KEY.verifier_key)

CHANGED = "change the outcome after the bets"
LATE = "commit late, after seeing the bets"
TWO_FACES = "show different commitments to different people; rewrite history"
SKIPPED = "skip, hang or void the rounds that would cost money"
RULES = "change the game's rules, edge or cap afterwards"
CHOSEN = "try many seeds and keep a favourable batch"
PEEK = "peek at outcomes fixed ahead, and bet on them (insider)"
BETS = "add or drop bets once the outcome is known"
BIASED = "biased or lossy mapping from seed to outcome"
TRUSTING = "a verifier that trusts the operator"
CHEATS = (CHANGED, LATE, TWO_FACES, SKIPPED, RULES, CHOSEN, PEEK, BETS, BIASED, TRUSTING)
"""The cheats that the design answers, each shown by at least one case."""


@dataclass(frozen=True)
class Told:
    """One folder of ``tests/cases``."""

    what: str
    cheat: str | None
    files: dict[str, bytes]
    """The files by their paths in the folder."""
    commands: list[list[str]]
    """The commands to run in the folder, in order, each with `trust` and ``--json``; all but the last hold."""
    check: Check | None = None
    """The check that fails; `None` if the log can only make the cheat visible."""
    record: int | None = None
    in_proof: Check | None = None
    """The check that fails, at the same record, in the round's proof file, if that also shows the lie."""
    tells: Json = field(default_factory=dict)
    """Keys and values that the last verdict must contain."""
    is_shown: bool = True
    """Whether records show that the check fails. What only finding aids say accuses nobody, and is not shown."""

    @property
    def name(self) -> str:
        """``<check>_<what>_fail``, ``<check>_<what>_not-shown``, or ``<what>_told`` if no check can fail."""
        what = self.what.replace(",", "").replace("'", "").replace(" ", "-")
        if self.check is None:
            return f"{what}_told"
        return f"{self.check.value}_{what}_{'fail' if self.is_shown else 'not-shown'}"

    @property
    def trust(self) -> list[str]:
        """The arguments that say whom to believe: the file ``policy``, if there is one, or the log's key."""
        return ["--policy", "policy"] if "policy" in self.files else ["--key", VKEY]

    @property
    def expected(self) -> Json:
        """``expected.json``: what happened, what to run, and the verdict."""
        expected: Json = {"what": self.what, "cheat": self.cheat, "key": VKEY, "commands": self.commands}
        expected |= {"policy": "policy"} if "policy" in self.files else {}
        if self.check is None:
            status = {"unknown": 6, "sandbox": 6, "unreadable": 4}.get(str(self.tells.get("verdict")), 0)
            return expected | {"status": status, "tells": self.tells}
        status = 8 if self.check in CHECKS_OF_CODES else 3 if self.is_shown else 7
        verdict = {"status": status, "check": self.check.value, "meaning": MEANING[self.check], "record": self.record}
        proof = {"proof": {"check": self.in_proof.value, "record": self.record}} if self.in_proof else {}
        return expected | verdict | proof

    def all_files(self) -> dict[str, bytes]:
        """Everything in the folder."""
        return self.files | {"expected.json": (json.dumps(self.expected, indent=1) + "\n").encode()}


def below(folder: str, files: dict[str, bytes]) -> dict[str, bytes]:
    """The same files in a folder."""
    return {f"{folder}/{path}": data for path, data in files.items()}
