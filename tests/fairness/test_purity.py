"""The protocol and the games are pure, as far as their text can show it; the import rules show the rest."""

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
    """No float and no division that makes one, no check that `-O` removes, no clock, no file, no global state."""
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
    """The house has its two pure floors, and every folder of them."""
    assert {file.parent.name for file in FILES} == {
        "fairness",
        "beacon",
        "log",
        "draws",
        "records",
        "round",
        "player",
        "games",
        "bets",
        "facts",
    }
    assert len(FILES) > 20
