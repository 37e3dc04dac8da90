"""Removes the checks of the verifier in JavaScript, one at a time, and finds which vectors notice; as
`removed_checks` does in Python.

A check is a condition behind which an error is thrown, or the call of a function that is named for a check:
``must(…)``, ``rules.checkOpened(…)``, ``mustFollow(…)``. A copy of the modules gets a switch at each, by their text:
they are written in one style, and a check that the patterns do not find is missed by `test_removed_checks_js`, which
counts them.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.oracles.second_verifier import BROWSER, node
from verifier.conformance.driver import load_vectors

RUNNER = Path(__file__).with_suffix(".mjs")
SWITCHED = (
    *("check/audit.js", "check/audit-witnesses.js", "check/bet.js", "check/code.js", "check/code-proof.js"),
    *("check/consistency.js", "check/custody.js", "check/lead.js", "check/log-check.js", "check/proof.js"),
    *("check/witnessed.js", "round/finder.js", "round/placed.js", "round/proof.js"),
    *("records/replay.js", "records/rules.js", "records/salts.js"),
    *(
        "declared/declaration.js",
        "declared/deals.js",
        "declared/kinds.js",
        "declared/parameters.js",
        "declared/scope.js",
    ),
    *("declared/spelling.js", "declared/values.js"),
    *("paytable/context.js", "paytable/form.js", "paytable/read.js", "paytable/words.js", "check/paytable.js"),
    *("policy/custody.js", "policy/head.js", "policy/witnessed.js", "forks/history.js"),
)
"""The modules that take the steps of SPEC 8, and that read declarations and paytables."""
_CALL = re.compile(r"(?<![\w.$#])(?:\w+\.)*#?(?:must|require|demand|mustFollow|mustNotDecrease|check[A-Z]\w*)\(")
_STATEMENT = re.compile(r"(?:^|[;{}]|=>|\)|\*/|else|//[^\n]*)\s*(?:await\s+)?$")
_THROWS = re.compile(r"\s*(?:\{(?:\s*(?:const|let) [^;]*;)*\s*)?(?:throw |refuse\w*\()")
_NO_CHECKS = ("!(error instanceof ", "!holds", "!condition", "must(false,", "demand(false,", "require(end >= 0,")
"""How texts begin that are none of their own: another kind of error goes on, the functions by which all checks throw,
and one without which the reader of a file would never end.
"""
_PAIRS = {"(": ")", "[": "]", "{": "}"}


def _after_string(text: str, at: int) -> int:
    """Where a string, a template, a comment or a pattern that begins at ``at`` has ended; ``at`` if none begins
    there.
    """
    if text.startswith("//", at):
        return text.index("\n", at)
    if text.startswith("/*", at):
        return text.index("*/", at) + 2
    mark = text[at]
    if mark == "/" and text[:at].rstrip()[-1:] in "(,=:!&|?{};[":
        found = re.compile(r"/(?:\\.|\[(?:\\.|[^\]])*\]|[^/\\\[\n])+/\w*").match(text, at)
        return found.end() if found else at
    if mark in "\"'`":
        end = at + 1
        while text[end] != mark:
            if mark == "`" and text.startswith("${", end):
                end = _closing(text, end + 1)
            end += 2 if text[end] == "\\" else 1
        return end + 1
    return at


def _closing(text: str, at: int) -> int:
    """Where the bracket that opens at ``at`` is closed."""
    closes, here = [_PAIRS[text[at]]], at + 1
    while closes:
        if (end := _after_string(text, here)) > here:
            here = end
            continue
        if text[here] in _PAIRS:
            closes.append(_PAIRS[text[here]])
        elif text[here] == closes[-1]:
            closes.pop()
        here += 1
    return here - 1


def _code(text: str) -> Iterator[int]:
    """Every place that is neither in a string nor in a comment."""
    at = 0
    while at < len(text):
        if (end := _after_string(text, at)) > at:
            at = end
            continue
        yield at
        at += 1


def _edits(text: str) -> Iterator[tuple[int, int, str, str]]:
    """For every check: where its expression begins and ends, its kind, and its name."""
    for at in _code(text):
        if text.startswith("if (", at) and not re.match(r"[\w$.]", text[at - 1 : at] or " "):
            end = _closing(text, at + 3)
            if _THROWS.match(text, end + 1) and not text.startswith(_NO_CHECKS, at + 4):
                yield at + 4, end, "refuses", " ".join(text[at + 4 : end].split())
        elif (call := _CALL.match(text, at)) and _is_statement(text, at) and not text.startswith(_NO_CHECKS, at):
            end = _closing(text, call.end() - 1) + 1
            yield at, end, "run", f"calls {' '.join(text[at:end].split())}"


def _is_statement(text: str, at: int) -> bool:
    return (
        _STATEMENT.search(text[max(0, at - 200) : at]) is not None
        and not re.search(r"(?:function|async|static)\s*$", text[:at])
        and not re.match(r"\s*\{", text[_closing(text, text.index("(", at)) + 1 :])
    )


def switched(text: str, first: int) -> tuple[str, list[str]]:
    """A module with a switch at each check, numbered from ``first``; and their names."""
    edits, names = sorted(_edits(text)), list[str]()
    # From the last to the first, so that places stay; a check within another's expression is inside it.
    closing: list[tuple[int, str]] = []
    opening: list[tuple[int, str]] = []
    for begin, end, kind, name in edits:
        number = first + len(names)
        names.append(name)
        is_async = "async " if "await " in text[begin:end] else ""
        lead = f"__switches.refuses({number}, " if kind == "refuses" else f"__switches.run({number}, {is_async}() => "
        opening.append((begin, lead))
        closing.append((end, ")"))
    for place, part in sorted([*opening, *closing], key=lambda each: each[0], reverse=True):
        text = text[:place] + part + text[place:]
    return text, names


def checks() -> list[str]:
    """The names of all checks, with their modules; nothing is executed."""
    found = list[str]()
    for module in SWITCHED:
        _, names = switched((BROWSER / module).read_text("utf-8"), 0)
        found += _distinct(module, names)
    return found


def _distinct(module: str, names: list[str]) -> list[str]:
    """Identical checks in one module get different names."""
    told = list[str]()
    for name in names:
        whole = f"{module}: {name}"
        alike = sum(each == whole or each.startswith(f"{whole} #") for each in told)
        told.append(f"{whole} #{alike + 1}" if alike else whole)
    return told


def noticed() -> dict[str, list[str]]:
    """For every check: the vectors that it refuses and that are answered wrongly without it."""
    with TemporaryDirectory() as folder:
        copy, names = Path(folder, "browser"), list[str]()
        shutil.copytree(BROWSER, copy)
        for module in SWITCHED:
            text, found = switched((copy / module).read_text("utf-8"), len(names))
            (copy / module).write_text(text, "utf-8")
            names += _distinct(module, found)
        program = copy / "conform.js"
        body, loop, _ = program.read_text("utf-8").rpartition("\nfor await (const line of ")
        assert loop
        program.write_text(f"{body}\nexport {{ answer }};\n", "utf-8")
        vectors = Path(folder, "vectors.json")
        vectors.write_text(
            json.dumps([_requests(each.format, each.operation, each.cases) for each in load_vectors()])
        )
        command = [node(), str(RUNNER), str(program), str(vectors), str(len(names))]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    wrong: list[list[str]] = json.loads(done.stdout)
    return dict(zip(names, wrong, strict=True))


def _requests(name: str, operation: str, cases: list[dict[str, object]]) -> list[dict[str, object]]:
    return [
        {"name": f"{name}: {case['name']}", "format": name, "operation": operation, "input": case["input"]}
        for case in cases
    ]


if __name__ == "__main__":
    json.dump(noticed(), sys.stdout, indent=1, sort_keys=True)
