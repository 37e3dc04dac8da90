"""The declaration whose rounds cost an auditor the most, as SECURITY.md says it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.made_log import COSTLIEST, declared, make_log
from benchmarks.verifier_logs import KEY
from fairness.errors import Malformed
from games.declared.declaration import Declaration
from games.declared.spelling import spelled
from verifier.cli import main


def test_the_costliest_declaration_is_played_and_audited(tmp_path: Path) -> None:
    """A log of it holds, so an operator can make every auditor draw it."""
    make_log(tmp_path, 2, KEY, batch=8, games=[COSTLIEST])
    assert main(["audit", str(tmp_path), "--key", str(KEY.verifier_key), "--json"]) == 0


def test_nothing_more_fits_into_the_limits() -> None:
    """One runner more, or one step more, and it is no declaration."""
    costliest = json.loads(declared(COSTLIEST))
    Declaration.parse(spelled(costliest))
    runners = costliest["rules"]["runners"][0]
    more = {**costliest["rules"], "runners": [runners + 1] * 2, "w*runners": [1, 1]}
    for changed in ({"rules": more}, {"draw": [*costliest["draw"], ["one-more", "chosen"]]}):
        with pytest.raises(Malformed):
            Declaration.parse(spelled({**costliest, **changed}))
