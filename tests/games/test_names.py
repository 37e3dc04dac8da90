"""Only a game's own files and those that draw its pictures know its name: all others ask for a property."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from games import GAMES
from tests.house import HOUSE

SEARCHED = ("api", "fairness", "standalone", "verifier")
KNOW_NAMES = (
    "api/programs/demo.py",
    "api/world/self_test.py",  # its known answer is a round of this game
    "verifier/commands/collect.py",  # a table must have a game
    "verifier/browser/games/*.js",
    "verifier/browser/pictures/data.js",
)
CARRIED = "api/pages/static/vendor"

_NAMES = "|".join(map(re.escape, GAMES))
_COMMENT = re.compile(r"/\*.*?\*/|(?<![:\"'`])//[^\n]*", re.DOTALL)
_QUOTED = rf"""(?P<quote>["'`])(?:{_NAMES})(?P=quote)"""
_IN_SCRIPT = re.compile(rf"{_QUOTED}|(?<![\w-])(?:{_NAMES})\s*:(?!:)|\.(?:{_NAMES})\b")
_IN_PAGE = re.compile(_QUOTED)
_IN_STYLE = re.compile(rf"[.\"'](?:{_NAMES})(?![\w-])")


def names_in(suffix: str, text: str) -> list[str]:
    """Each place at which a text in this language has the name of a game as a separate word."""
    match suffix:
        case ".py":
            nodes = ast.walk(ast.parse(text))
            return [node.value for node in nodes if isinstance(node, ast.Constant) and node.value in set(GAMES)]
        case ".js" | ".mjs":
            return [found[0] for found in _IN_SCRIPT.finditer(_COMMENT.sub("", text))]
        case ".html":
            return [found[0] for found in _IN_PAGE.finditer(text)]
    return [found[0] for found in _IN_STYLE.finditer(_COMMENT.sub("", text))]


def searched() -> Iterator[tuple[str, list[str]]]:
    """Every source file, with the names in it."""
    for file in sorted(path for folder in SEARCHED for path in (HOUSE / folder).rglob("*")):
        path = file.relative_to(HOUSE)
        if file.suffix in {".py", ".js", ".mjs", ".html", ".css"} and not path.is_relative_to(CARRIED):
            yield path.as_posix(), names_in(file.suffix, file.read_text("utf-8"))


def allowed() -> set[str]:
    """The files that may know names."""
    return {file.relative_to(HOUSE).as_posix() for pattern in KNOW_NAMES for file in HOUSE.glob(pattern)}


def test_nobody_else_knows_a_games_name() -> None:
    """What is asked about a game is a property of it (`games.facts`, `verifier/browser/games/games.js`)."""
    found = {path: names for path, names in searched() if names}
    assert {path: names for path, names in found.items() if path not in allowed()} == {}
    assert {
        "verifier/browser/games/games.js",
        "verifier/browser/pictures/data.js",
    } <= found.keys()


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".py", 'if game == "sic-bo":\n    pass'),
        (".py", 'match game:\n    case "crash" | "other":\n        pass'),
        (".py", 'LEADS = {"keno-express": 2}'),
        (".js", 'const flies = ["crash"].includes(game);'),
        (".js", "const LEADS = { penalty: 10 };"),
        (".js", "const lead = LEADS.rocketon;"),
        (".js", "const lead = LEADS['hi-lo']; // a comment"),
        (".html", '{% if game == "hi-lo" %}'),
        (".css", ".sic-bo .picture { height: 32px }"),
    ],
)
def test_a_name_is_found(suffix: str, text: str) -> None:
    """In a comparison, in a table by name, in a style sheet."""
    assert len(names_in(suffix, text)) == 1


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".py", '"""After a crash it starts again, as in crash."""\nEXAMPLE = "crash-1"'),
        (".js", "// crash: the multiplier\nconst example = 'crash1…'; /* \"crash\" */"),
        (".html", "<p>The code of a round of crash</p>"),
        (".css", ".crash-report { color: red } /* .crash */"),
    ],
)
def test_words_and_other_names_are_not_taken_for_one(suffix: str, text: str) -> None:
    """Programs also crash; and names of tables, and codes, contain the name of a game."""
    assert names_in(suffix, text) == []
