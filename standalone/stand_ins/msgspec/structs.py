"""The classes for JSON objects, made with the standard library's dataclasses."""

from __future__ import annotations

import base64
import dataclasses
import json
from collections.abc import Callable
from enum import Enum
from typing import Any, Final, dataclass_transform


class UnsetType(Enum):
    """The type of `UNSET`."""

    UNSET = "UNSET"

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = UnsetType.UNSET
"""Stands for a key that is absent."""


class Raw(bytes):
    """A part of some JSON, as bytes in the spelling that `json.encode` gives."""

    __slots__ = ()


def field(*, default_factory: Callable[[], Any]) -> Any:
    """A field whose default is created for each value."""
    return dataclasses.field(default_factory=default_factory)


@dataclasses.dataclass(frozen=True)
class Config:
    """The options of a class."""

    frozen: bool = False
    kw_only: bool = False
    forbid_unknown_fields: bool = False
    tag: str | None = None


@dataclass_transform(field_specifiers=(field,))
class StructMeta(type):
    """Makes every class a dataclass, with its options; `forbid_unknown_fields` is inherited."""

    config: Config

    def __new__(  # noqa: D102 -- as `type` has it
        mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: bool | str
    ) -> StructMeta:
        made = super().__new__(mcs, name, bases, namespace)
        strict = any(isinstance(base, StructMeta) and base.config.forbid_unknown_fields for base in bases)
        made.config = Config(**{"forbid_unknown_fields": strict, **options})  # type: ignore[arg-type]  # only `tag` is a text
        if bases:
            # Without slots, `dataclass` changes the class itself and makes no new one.
            dataclasses.dataclass(frozen=made.config.frozen, kw_only=made.config.kw_only)(made)  # type: ignore[arg-type]  # a class
        return made

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: bool | str) -> None:
        del options
        super().__init__(name, bases, namespace)


class Struct(metaclass=StructMeta):
    """An object with fields."""


replace = dataclasses.replace
"""The same value with some fields changed."""

TAG = "type"
"""The key that names an object's class, for classes with a tag."""


def to_builtins(value: object, *, sorts: bool = False) -> Any:
    """A value converted to dicts, lists, strings, numbers, booleans and `None`.

    Fields are in the order of their class; with ``sorts``, the keys of dicts are sorted.
    """
    if value is None or isinstance(value, str | int | float):
        return value.value if isinstance(value, Enum) else value
    if isinstance(value, bytes):
        return json.loads(value) if isinstance(value, Raw) else base64.b64encode(value).decode()
    if isinstance(value, list | tuple):
        return [to_builtins(each, sorts=sorts) for each in value]
    if isinstance(value, dict):
        items = sorted(value.items()) if sorts else value.items()
        return {key: to_builtins(each, sorts=sorts) for key, each in items}
    if isinstance(value, Struct):
        tag = type(value).config.tag
        plain = {} if tag is None else {TAG: tag}
        own = ((name, getattr(value, name)) for name in value.__dataclass_fields__)
        return plain | {name: to_builtins(each, sorts=sorts) for name, each in own if each is not UNSET}
    raise TypeError(f"no JSON for {type(value).__name__}")


def spelled(plain: object) -> bytes:
    """A value as `to_builtins` gives it, as JSON in one spelling."""
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode()
