"""The protocol and the games are pure, as far as their source can show it; the import contracts show the rest."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.house import HOUSE

FILES = sorted([*(HOUSE / "fairness").rglob("*.py"), *(HOUSE / "games").rglob("*.py")])

CALLS = {
    "breakpoint",
    "compile",
    "eval",
    "exec",
    "float",
    "hash",
    "id",
    "input",
    "open",
    "print",
    "round",
    "__import__",
}
ATTRIBUTES = {"now", "today", "utcnow", "urandom"}


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_a_module_of_the_protocol_is_pure(file: Path) -> None:
    """No float or division that gives one, no check that `-O` removes, no clock, no file, no global state."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        where = f"{file.name}:{getattr(node, 'lineno', 0)}"
        assert not isinstance(node, ast.Assert | ast.Global), where
        assert not (isinstance(node, ast.Constant) and isinstance(node.value, float | complex)), where
        assert not (isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div)), where
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in CALLS, where
        if isinstance(node, ast.Attribute):
            assert node.attr not in ATTRIBUTES, where


def test_all_modules_are_looked_at() -> None:
    """The test covers both pure packages with all their folders."""
    assert {file.parent.name for file in FILES} == {
        "fairness",
        "beacon",
        "log",
        "policy",
        "draws",
        "records",
        "round",
        "player",
        "games",
        "bets",
        "paytable",
        "declared",
        "facts",
        "outcome_schema",
        "laws",
    }
    assert len(FILES) > 20
