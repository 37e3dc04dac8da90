"""From JSON values (dicts, lists, strings, integers, booleans, `None`) to values of exactly one type."""

from __future__ import annotations

import base64
import binascii
import dataclasses
import re
from collections.abc import Callable
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from .errors import ValidationError
from .structs import TAG, Raw, StructMeta, UnsetType, spelled

Reader = Callable[[Any], Any]
"""Returns the value, or raises `ValidationError`."""


@dataclasses.dataclass(frozen=True)
class Meta:
    """Constraints on a value in addition to its type. A pattern may match anywhere."""

    pattern: str | None = None
    ge: int | None = None
    le: int | None = None
    lt: int | None = None
    min_length: int | None = None
    max_length: int | None = None

    def holds(self, value: Any) -> bool:
        """Whether a value meets them."""
        return (
            (self.pattern is None or re.search(self.pattern, value) is not None)
            and (self.ge is None or value >= self.ge)
            and (self.le is None or value <= self.le)
            and (self.lt is None or value < self.lt)
            and (self.min_length is None or len(value) >= self.min_length)
            and (self.max_length is None or len(value) <= self.max_length)
        )


def reader_of(kind: Any) -> Reader:
    """The reader of values of this type."""
    if kind in _PLAIN:
        return _PLAIN[kind]
    if get_origin(kind) in _GENERIC:
        return _GENERIC[get_origin(kind)](*get_args(kind))
    if isinstance(kind, StructMeta):
        return _struct(kind)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _enum(kind)
    raise TypeError(f"no reader of {kind}")


def _refused(expected: object, value: object) -> ValidationError:
    return ValidationError(f"Expected {expected}, got {type(value).__name__}")


def _exactly(kind: type) -> Reader:
    def read(value: object) -> object:
        if type(value) is not kind:
            raise _refused(kind.__name__, value)
        return value

    return read


def _float(value: object) -> float:
    if type(value) is not int and type(value) is not float:
        raise _refused("float", value)
    return float(value)


def _annotated(kind: Any, *metas: Meta) -> Reader:
    read_plain = reader_of(kind)

    def read(value: object) -> object:
        plain = read_plain(value)
        for meta in metas:
            if not meta.holds(plain):
                raise ValidationError(f"Expected a value with {meta}")
        return plain

    return read


def _literal(*values: object) -> Reader:
    def read(value: object) -> object:
        for each in values:
            if type(value) is type(each) and value == each:
                return value
        raise ValidationError(f"Expected one of {values}")

    return read


def _list(kind: Any) -> Reader:
    read_each = reader_of(kind)

    def read(value: object) -> list[object]:
        if type(value) is not list:
            raise _refused("a list", value)
        return [read_each(each) for each in value]

    return read


def _tuple(kind: Any, rest: object) -> Reader:
    """Of any length."""
    if rest is not ...:
        raise TypeError(f"no reader of tuples of {kind} and {rest}")
    read_all = _list(kind)
    return lambda value: tuple(read_all(value))


def _dict(key_kind: Any, kind: Any) -> Reader:
    read_key, read_each = _key_reader(key_kind), reader_of(kind)

    def read(value: object) -> dict[object, object]:
        if type(value) is not dict:
            raise _refused("an object", value)
        return {read_key(key): read_each(each) for key, each in value.items()}

    return read


def _key_reader(kind: Any) -> Reader:
    """In JSON all keys are strings, also those of integer type."""
    if kind is not int:
        return reader_of(kind)

    def read(key: str) -> int:
        if not re.fullmatch(r"0|-?[1-9][0-9]{0,18}", key):
            raise _refused("int", key)
        return int(key)

    return read


def _enum(kind: type[Enum]) -> Reader:
    def read(value: object) -> Enum:
        try:
            return kind(value)
        except ValueError:
            raise _refused(kind.__name__, value) from None

    return read


def _bytes(value: object) -> bytes:
    try:
        return base64.b64decode(_exactly(str)(value), validate=True)
    except binascii.Error:
        raise _refused("Base64", value) from None


def _union(*members: Any) -> Reader:
    """The JSON type determines the member of a union; if there are several classes, the tag of the object does."""
    kinds = [each for each in members if each is not UnsetType]
    if len(kinds) == 1:
        return reader_of(kinds[0])
    tagged = {kind.config.tag: reader_of(kind) for kind in kinds if isinstance(kind, StructMeta)}
    plain = {_json_type(kind): reader_of(kind) for kind in kinds if not isinstance(kind, StructMeta)}
    if len(tagged) + len(plain) != len(kinds) or (dict in plain and tagged):
        raise TypeError(f"no telling {kinds} from one another")

    def read(value: Any) -> object:
        if type(value) is dict and tagged:
            tag = value.get(TAG)
            member = next(iter(tagged.values())) if tagged.keys() == {None} else tagged.get(tag)
        else:
            member = plain.get(type(value))
        if member is None:
            raise _refused("a member of a union", value)
        return member(value)

    return read


def _json_type(kind: Any) -> type:
    kind = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    kind = get_origin(kind) or kind
    if isinstance(kind, type) and kind in {int, str, bool, list, dict, NoneType}:
        return kind
    raise TypeError(f"no telling {kind} from others")


def _struct(kind: StructMeta) -> Reader:
    hints = get_type_hints(kind, include_extras=True)
    fields = dataclasses.fields(kind)  # type: ignore[arg-type]  # `StructMeta` makes it one
    readers = {each.name: reader_of(hints[each.name]) for each in fields}
    needed = {each.name for each in fields if each.default is each.default_factory is dataclasses.MISSING}
    tag, strict = kind.config.tag, kind.config.forbid_unknown_fields

    def read(value: object) -> object:
        if type(value) is not dict:
            raise _refused("an object", value)
        if tag is not None and value.get(TAG) != tag:
            raise ValidationError(f"Expected the tag {tag}")
        if not needed <= value.keys():
            raise ValidationError(f"Object misses {sorted(needed - value.keys())}")
        known = {}
        for key, each in value.items():
            if key in readers:
                known[key] = readers[key](each)
            elif strict and not (tag is not None and key == TAG):
                raise ValidationError(f"Object has the unknown key {key!r}")
        try:
            return kind(**known)
        except (ValueError, TypeError) as error:
            raise ValidationError(str(error)) from error

    return read


def _raw(value: object) -> Raw:
    return Raw(spelled(value))


_PLAIN: dict[Any, Reader] = {
    Any: lambda value: value,
    object: lambda value: value,
    Raw: _raw,
    bytes: _bytes,
    float: _float,
    **{kind: _exactly(kind) for kind in (int, str, bool, NoneType)},
}
_GENERIC: dict[Any, Callable[..., Reader]] = {
    Annotated: _annotated,
    Literal: _literal,
    Union: _union,
    UnionType: _union,
    list: _list,
    tuple: _tuple,
    dict: _dict,
}
