"""What ``import verifier`` offers, and the example of its docstring, run on a log."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import verifier
from fairness.player.round_code import RoundCode
from tests.lies import started
from tests.support.dishonest_operator import KEY


def test_every_name_is_offered_and_described() -> None:
    """In alphabetical order, each with its own docstring."""
    assert sorted(verifier.__all__) == verifier.__all__
    for name in verifier.__all__:
        assert inspect.getdoc(getattr(verifier, name)), name


def test_the_example_holds(tmp_path: Path) -> None:
    """Its lines are run; only key, folder and code are replaced by those of a real log."""
    operator = started()
    table = operator.tables["crash-1"]
    code = RoundCode.of(table.game, table.table_id, 1, table.seeds_of(1))
    lines = [line[4:] for line in (verifier.__doc__ or "").splitlines() if line.startswith(">>> ")]
    example = "\n".join(lines[:3])
    for shown, real in (
        ("casino.example/log+3f9ba1e0+AX…", KEY.verifier_key),
        ("copy-of-the-log", operator.write(tmp_path)),
        ("fd1crash…", code),
    ):
        assert shown in "\n".join(lines)
        example = example.replace(shown, str(real))
        lines = [line.replace(shown, str(real)) for line in lines]
    names: dict[str, Any] = {}
    exec(example, names)  # noqa: S102 -- the document's example
    assert [eval(line, names) for line in lines[3:]] == [len(operator.records), table.outcome_of(1)]  # noqa: S307 -- the document's example
