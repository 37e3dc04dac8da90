"""The descriptions of both listeners' calls, for tests that ask neither whose call it is."""

from __future__ import annotations

from typing import Any

from api.http import openapi

BOTH: tuple[Any, Any] = (openapi.PUBLIC, openapi.ENGINES)
DOCUMENT: Any = {
    "paths": {path: item for each in BOTH for path, item in each["paths"].items()},
    "components": {"schemas": {name: form for each in BOTH for name, form in each["components"]["schemas"].items()}},
}
"""The addresses of both, of which none is in the other, and their forms."""
OPERATIONS: list[Any] = [operation for item in DOCUMENT["paths"].values() for operation in item.values()]
