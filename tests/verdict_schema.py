"""The schema of every ``--json``: ``python -m tests.verdict_schema`` writes ``docs/verdict.schema.json`` anew, of the
types in `verifier.answers`.

It is open: keys, commands and verdicts may come. So it says of what it knows how that looks, and nothing of the rest.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import msgspec
from jsonschema import Draft202012Validator

from api.programs.commands.folder.doctor import Diagnosis
from tests.house import HOUSE
from verifier.answers import failures, logs, parts, rounds, tools
from verifier.commands import COMMANDS
from verifier.stats.output.answers import LogCounted

FILE = HOUSE / "docs" / "verdict.schema.json"
Json = dict[str, Any]
ANSWERS: Mapping[str, tuple[type, ...]] = {
    "audit": (logs.LogAudited,),
    "bet": (rounds.BetChecked,),
    "code": (rounds.RoundChecked, rounds.ProofChecked),
    "collect": (tools.SampleMade,),
    "compare": (logs.Compared,),
    "conform": (tools.Conformed,),
    "doctor": (Diagnosis,),
    "evidence": (logs.ForkProven,),
    "game": (tools.GameExplained,),
    "policy": (tools.PolicyExplained,),
    "proof": (rounds.ProofChecked,),
    "prove": (rounds.ProofChecked,),
    "receipt": (rounds.ProofChecked,),
    "stats": (LogCounted,),
    "watch": (logs.EventSeen,),
    "witness": (logs.EventSeen,),
    "witness-key": (tools.WitnessKeyMade,),
}
"""What each command prints if nothing fails."""
FAILURES: Mapping[str, type] = {
    "failed": failures.Failed,
    "mistyped": failures.Mistyped,
    "not-shown": failures.NotShown,
    "unknown": failures.OnlyUnknown,
    "unreadable": failures.Unreadable,
    "wrong-usage": failures.WrongUsage,
}
"""What any command prints, by the verdict."""
OTHERS: Mapping[tuple[str, str], type] = {
    ("conform", "failed"): tools.Conformed,
    ("game", "failed"): tools.NoDeclaration,
}
"""What a command has in its place."""
GOOD = ("held", "empty", "sandbox", "improbable", "known")
WITHOUT_COMMAND = tools.BetsDigested
"""What ``bets`` prints: the body of a call."""


def schema() -> Json:
    """The whole document."""
    every = {kind.__name__: kind for kind in (*_kinds(), WITHOUT_COMMAND, parts.Program)}
    _, components = msgspec.json.schema_components(every.values(), ref_template="#/$defs/{name}")
    assert every.keys() <= components.keys(), "two types of one name"
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What Foredraw's programs print with --json",
        "description": "Of `foredraw-verify COMMAND --json` and `foredraw doctor --json`. Keys, commands and verdicts"
        " may be added; an unknown verdict is none, and an unknown key is ignored.",
        "type": "object",
        "properties": {
            "v": {"const": 1},
            "command": {"type": "string", "x-extensible-enum": sorted({*ANSWERS, *COMMANDS} - {"bets"})},
            "verdict": {"type": "string", "x-extensible-enum": [*GOOD, *FAILURES]},
            "helped": {
                "type": "array",
                "items": {"type": "string"},
                "description": "what a file of the user had that is none of its format, and was left out",
            },
            "program": _ref(parts.Program),
        },
        "if": {"required": ["command"]},
        "then": {"required": ["v"], "allOf": [*_rules()]},
        "else": {"anyOf": [_ref(WITHOUT_COMMAND), _ref(failures.WrongUsage)]},
        "$defs": {name: _without_nulls(component) for name, component in sorted(components.items())},
    }


def _kinds() -> Iterator[type]:
    for kinds in ANSWERS.values():
        yield from kinds
    yield from (*FAILURES.values(), *OTHERS.values())


def _rules() -> Iterator[Json]:
    failing = {"verdict": {"enum": [*FAILURES]}}
    for command, kinds in ANSWERS.items():
        of_command = {"properties": {"command": {"const": command}}}
        # With something unknown, the same is printed as without, if anything could be checked.
        checked = {"anyOf": [{"not": {"required": ["verdict"], "properties": failing}}, {"required": ["log"]}]}
        yield {"if": {"allOf": [of_command, checked]}, "then": {"anyOf": [_ref(kind) for kind in kinds]}}
    for verdict, kind in FAILURES.items():
        of_verdict = {"required": ["verdict"], "properties": {"verdict": {"const": verdict}}}
        others = [command for command, at in OTHERS if at == verdict]
        apart = [{"not": {"properties": {"command": {"enum": others}}}}] if others else []
        yield {"if": {"allOf": [of_verdict, *apart]}, "then": _ref(kind)}
    for (command, verdict), kind in OTHERS.items():
        both = {"command": {"const": command}, "verdict": {"const": verdict}}
        yield {"if": {"required": ["verdict"], "properties": both}, "then": _ref(kind)}


def _ref(kind: type) -> Json:
    return {"$ref": f"#/$defs/{kind.__name__}"}


def _without_nulls(component: Json) -> Json:
    """A type's schema. A value that may be `None` is a key that may be absent."""
    absent = [name for name, given in component.get("properties", {}).items() if {"type": "null"} in _choices(given)]
    found = {
        key: {name: _present(given) for name, given in value.items()} if key == "properties" else value
        for key, value in component.items()
    }
    found["required"] = [name for name in component.get("required", ()) if name not in absent]
    return found


def _choices(given: Json) -> list[Json]:
    choices: list[Json] = given.get("anyOf", [])
    return choices


def _present(given: Json) -> Json:
    choices = [choice for choice in _choices(given) if choice != {"type": "null"}]
    kept = {key: value for key, value in given.items() if key != "anyOf" and (key, value) != ("default", None)}
    return kept | (choices[0] if len(choices) == 1 else {"anyOf": choices} if choices else {})


def written() -> str:
    """The file."""
    return json.dumps(schema(), indent=1) + "\n"


@cache
def _closed() -> Draft202012Validator:
    """The schema, without keys to come: a key that nobody described is a mistake of ours."""
    document = schema()
    printed = {kind.__name__ for kind in (*_kinds(), WITHOUT_COMMAND, parts.Program)}
    for name, component in document["$defs"].items():
        if name not in printed and "properties" in component:
            component["additionalProperties"] = False
    return Draft202012Validator(document | {"unevaluatedProperties": False})


def check(answer: object) -> None:
    """Check what a program has printed: it is described, and has no key that is not. Raises `AssertionError`."""
    errors = sorted(_closed().iter_errors(answer), key=lambda error: error.json_path)
    assert not errors, "\n".join(f"{error.json_path}: {error.message}" for error in errors)


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
