"""docs/compatibility.md: each list is frozen or open there as in OpenAPI and in the programs, in the same words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from api.answers.service import FEATURES
from tests.house import HOUSE
from tests.support.descriptions import DOCUMENT
from tests.support.documents import PAGES
from verifier.commands import command

SCHEMA: Any = json.loads((HOUSE / "docs" / "verdict.schema.json").read_text("utf-8"))
PAGE = PAGES[Path("docs/compatibility.md")]
BODIES = {name for name, form in DOCUMENT["components"]["schemas"].items() if "additionalProperties" in form}
IN_OPENAPI = {"status of a round", "result of a settled bet", "forms of odds", "code of a problem", "features"} | {
    "beacon of a table, and of a salt",
    "order of a table",
    "checks of /health/ready",
    "why_not of a table",
    "stopped of a table in the live feed",
}
"""The open lists that OpenAPI has; the others are the programs', the badge's, or names that people choose."""
ELSEWHERE = {"features", "checks of /health/ready", "code of a problem", "forms of odds"}
"""Lists whose values stand in another table, or have a number in them."""


class Row(NamedTuple):
    """A list: its values, whether it is frozen, and what a program does with another one."""

    values: tuple[str, ...]
    is_frozen: bool
    another: str


def rows() -> dict[str, Row]:
    """The table, by the names of the lists."""
    found = re.findall(r"^\| ([^|]+) \| ([^|]+) \| (frozen|open) \| ([^|]*?) ?\|$", PAGE, re.MULTILINE)
    return {
        name.replace("`", ""): Row(tuple(re.findall("`([^`]+)`", values)), kind == "frozen", another.replace("`", ""))
        for name, values, kind, another in found
    }


def nodes(value: object) -> Iterator[dict[str, Any]]:
    """All objects of a part of the description, without conditions, which describe no value."""
    if isinstance(value, dict):
        yield value
        value = [each for key, each in value.items() if key != "if"]
    if isinstance(value, list):
        for each in value:
            yield from nodes(each)


def of_answers() -> list[dict[str, Any]]:
    """All that is described of the values of answers."""
    forms = DOCUMENT["components"]["schemas"]
    return [node for name, form in forms.items() if name not in BODIES for node in nodes(form)]


def test_frozen_lists_are_those_of_the_descriptions() -> None:
    """Each `enum` and `const` of an answer, and of the forms of `--json`, is a frozen row; there are no others."""
    of_http = {
        tuple(node.get("enum", [node.get("const")])) for node in of_answers() if {"enum", "const"} & node.keys()
    }
    of_json = {tuple(node["enum"]) for node in nodes(SCHEMA["$defs"]) if len(node.get("enum", ())) > 1}
    assert of_http | of_json == {row.values for row in rows().values() if row.is_frozen}


def test_open_lists_say_the_same_in_the_description() -> None:
    """Each is a plain string there, with the row's words for another value; together they have the row's values."""
    by_words: dict[str, set[str]] = {}
    for node in of_answers():
        words = str(node.get("description", "")).partition("another: ")[2].replace("`", "")
        assert bool(words) >= ("x-extensible-enum" in node), node
        assert "x-extensible-enum" not in node or node["type"] == "string"
        if words:
            by_words.setdefault(words, set()).update(node.get("x-extensible-enum", []))
    table = {name: row for name, row in rows().items() if name in IN_OPENAPI}
    assert table.keys() == IN_OPENAPI
    assert not any(row.is_frozen for row in table.values())
    assert {row.another for row in table.values()} == by_words.keys()
    for name in IN_OPENAPI - ELSEWHERE:
        assert by_words[table[name].another] == set(table[name].values), name


def test_every_feature_is_explained() -> None:
    """Those that the service names, in its order."""
    section = PAGE.partition("## Features")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `([a-z-]+)` \|", section, re.MULTILINE) == list(FEATURES)


def test_the_programs_lists_are_complete() -> None:
    """The verifier's verdicts and exit statuses, and the states of the badge."""
    table = rows()
    assert sorted(table["verdict of --json"].values) == sorted(SCHEMA["properties"]["verdict"]["x-extensible-enum"])
    shown = re.findall(r"^  (\d)  ", command.EXITS, re.MULTILINE)
    assert table["exit statuses of foredraw-verify"].values == (*shown, str(command.INTERRUPTED))
    badge = (HOUSE / "api" / "pages" / "static" / "badge.js").read_text("utf-8")
    (marks,) = re.findall(r"^const MARKS = \{(.*)\};$", badge, re.MULTILINE)
    assert set(table["state of a badge"].values) == set(re.findall(r"\"?([\w-]+)\"?: \"", marks))


@pytest.mark.parametrize("name", ["events", "digest", "sandbox", "fdse_", "label"])
def test_what_is_kept_for_later_is_not_used_yet(name: str) -> None:
    """It is named on the page, and no call, key or parameter of today has it."""
    section = PAGE.partition("## Names")[2].partition("\n## ")[0]
    assert name in section
    described = [*DOCUMENT["paths"], *(key for node in of_answers() for key in node.get("properties", {}))]
    assert [each for each in described if each.endswith(f"/{name}") or each == name] == (
        ["sandbox"] if name == "sandbox" else []
    )
