"""A function's docstring begins with a verb, as one says what to do; a property's is a noun, and `__init__` describes its arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house import HOUSE

PACKAGES = ("api", "fairness", "games", "verifier")
NOT_YET = (
    *(
        f"api/{name}"
        for name in ("custody", "http", "integrity", "log", "operations", "parts.py", "paytables", "programs")
    ),
    *(
        f"api/{name}"
        for name in ("restore", "rounds", "server", "service.py", "settings.py", "sharing", "sql", "store")
    ),
    *(f"api/{name}" for name in ("problems.py", "traces.py", "witnesses", "world")),
    "games/facts",
    "verifier/stats",
)
"""Folders and files whose docstrings are older than this rule."""
_VERBS = """
    Accept Act Add Advance Answer Append Apply Ask Audit Begin Build Calculate Call Check Choose Close Commit
    Compare Compile Complain Compress Compute Continue Copy Cosign Cost Count Deal Decline Describe Do Draw End
    Explain Fill Find Finish Forget Give Go Group Halt Have Hold Join Judge Keep Kill Let List Look Lose Make Match
    Name Note Open Pack Parse Pause Pay Place Play Prepare Price Print Put Queue Raise Rank Read Refer Refuse Remember
    Replay Report Return Revoke Run Save Say Send Separate Serve Settle Show Sign Silence Spell Start Step
    Strike Take Translate Transpose Turn Wait Warn Write Yield
    """
VERBS = frozenset(_VERBS.split())
"""The first words that there are: a new verb comes here."""
PROPERTIES = {"property", "cached_property"}


def first_words(source: str) -> Iterator[tuple[str, str]]:
    """The name of each function with a docstring, and the docstring's first word."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.name == "__init__":
            continue
        decorators = {ast.unparse(each).rpartition(".")[2] for each in node.decorator_list}
        docstring = ast.get_docstring(node)
        if docstring and not decorators & (PROPERTIES | {"setter"}):
            yield node.name, docstring.split()[0].rstrip(",.:;")


def sources() -> Iterator[Path]:
    """The files for which the rule holds."""
    for path in (path for package in PACKAGES for path in sorted((HOUSE / package).rglob("*.py"))):
        name = path.relative_to(HOUSE)
        if not any(name.is_relative_to(each) for each in NOT_YET):
            yield path


def test_a_functions_docstring_begins_with_a_verb() -> None:
    """In every file but those that are older than the rule, which are there."""
    words = [(path, name, word) for path in sources() for name, word in first_words(path.read_text("utf-8"))]
    assert len(words) > 1000
    assert [f"{path.relative_to(HOUSE)}: {name}: {word}" for path, name, word in words if word not in VERBS] == []
    assert [each for each in NOT_YET if not (HOUSE / each).exists()] == []


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ('def f():\n    """The same, for others."""', ["The"]),
        ('class C:\n    async def f(self):\n        """Read: it."""', ["Read"]),
        ('class C:\n    @property\n    def f(self):\n        """The size."""', []),
        ('class C:\n    def __init__(self):\n        """``size`` is in bytes."""', []),
    ],
)
def test_the_first_word_is_found(source: str, words: list[str]) -> None:
    """Of functions and methods, not of properties."""
    assert [word for _, word in first_words(source)] == words
