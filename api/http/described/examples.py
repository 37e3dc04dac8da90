"""What calls send and are answered, for example: the blocks of ``docs/http.md``, which a test makes as calls of a
service.

``python -m tests.described`` takes them from there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import cast

from api.answers.schemas import Json, JsonObject

_OF_CALLS: Mapping[str, Mapping[str, Sequence[Json]]] = json.loads(
    resources.files("api.http.described").joinpath("examples.json").read_text("utf-8")
)
"""By the name of the call: bodies (``body``), and answers by their status."""


def with_examples(operation: JsonObject) -> JsonObject:
    """Add the examples of its call to an ``operation`` of OpenAPI."""
    found = dict(_OF_CALLS.get(str(operation["operationId"]), {}))
    shown = dict(operation)
    if body := found.pop("body", ()):
        shown["requestBody"] = _with(operation["requestBody"], body)
    responses = cast("JsonObject", operation["responses"])
    return {
        **shown,
        "responses": {**responses, **{status: _with(responses[status], found[status]) for status in found}},
    }


def _with(sent: Json, values: Sequence[Json]) -> JsonObject:
    described = cast("JsonObject", sent)
    ((kind, content),) = cast("Mapping[str, JsonObject]", described["content"]).items()
    examples: JsonObject = {f"example-{number}": {"value": value} for number, value in enumerate(values, 1)}
    return {**described, "content": {kind: {**content, "examples": examples}}}
