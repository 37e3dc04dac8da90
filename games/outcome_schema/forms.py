"""Numbers, texts and arrays as JSON Schema."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from games.declared.values import Bounds, Label

Schema = Mapping[str, object]


def number(low: int, high: int) -> Schema:
    """Return a whole number from ``low`` to ``high``."""
    return {"type": "integer", "minimum": low, "maximum": high}


def text(pattern: str) -> Schema:
    """Return a text of this form."""
    return {"type": "string", "pattern": pattern}


def one_of(labels: Iterable[Label]) -> Schema:
    """Return one of these words or numbers."""
    return {"enum": list(dict.fromkeys(labels))}


def array(items: Schema, count: Bounds, *, distinct: bool = False) -> Schema:
    """Make an array of so many items; each once, if they are ``distinct``."""
    schema = {"type": "array", "items": items, "minItems": count.least, "maxItems": count.most}
    return {**schema, "uniqueItems": True} if distinct else schema
