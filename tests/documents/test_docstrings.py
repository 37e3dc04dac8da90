"""A function's docstring begins with a verb, as one says what to do; a property's is a noun, and `__init__` describes
its arguments.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house import HOUSE

PACKAGES = ("api", "fairness", "games", "verifier")
_VERBS = """
    Accept Act Add Advance Allow Answer Append Apply Ask Audit Become Begin Bring Build Calculate Call Change
    Check Choose Clear Close Commit Compare Compile Complain Compress Compute Confirm Connect Continue Copy
    Correct Cosign Cost Count Create Deal Decline Delete Describe Do Draw Drop Empty End Expect Explain Fill
    Find Finish Follow Forget Fork Free Get Give Go Group Halt Hand Hang Have Hide Hold Inform Initialise Insert Join
    Judge Keep Kill Leave Lend Let List Load Lock Log Look Lose Make Mark Match Move Name Note Notice Open Order
    Pack Parse Pass Pause Pay Place Play Plot Prepare Price Print Publish Put Queue Raise Rank Read Recognise Refer Refuse
    Remember Remove Replace Replay Report Return Reveal Revoke Round Run Salt Save Say Scale Seal See Send
    Separate Serve Set Settle Show Sign Silence Spell Split Start Stay Step Stop Store Strike Sync Take Tell
    Test Trace Translate Transpose Try Turn Upload Void Wait Warn Weigh Work Write Yield
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
    return (path for package in PACKAGES for path in sorted((HOUSE / package).rglob("*.py")))


def test_a_functions_docstring_begins_with_a_verb() -> None:
    """In every file of the product."""
    words = [(path, name, word) for path in sources() for name, word in first_words(path.read_text("utf-8"))]
    assert len(words) > 1000
    assert [f"{path.relative_to(HOUSE)}: {name}: {word}" for path, name, word in words if word not in VERBS] == []


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
