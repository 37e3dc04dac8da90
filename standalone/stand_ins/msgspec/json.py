"""JSON, to and from bytes."""

from __future__ import annotations

import json
import math
from typing import Any, Generic, Literal, NoReturn, TypeVar

from .errors import DecodeError
from .readers import reader_of
from .structs import spelled, to_builtins

Value = TypeVar("Value")
_SURROGATE = "\\ud"


class Decoder(Generic[Value]):
    """Decodes values of one type. Raises `DecodeError` for bytes that are no JSON or of another type."""

    def __init__(self, type: Any = Any) -> None:
        self._read = reader_of(type)

    def decode(self, data: bytes | str) -> Value:
        """One value."""
        try:
            text = data if isinstance(data, str) else data.decode("utf-8")
            plain = json.loads(text, parse_constant=_no_constant, parse_float=_finite)
            if _SURROGATE in text.lower():
                _check_text(plain)
        except (ValueError, RecursionError) as error:
            raise DecodeError(str(error)) from error
        value: Value = self._read(plain)
        return value

    def decode_lines(self, data: bytes) -> list[Value]:
        """One value from each line; blank lines are skipped."""
        return [self.decode(line) for line in data.split(b"\n") if line.strip()]


class Encoder:
    """Encodes values, in one spelling."""

    def __init__(self, *, order: Literal["deterministic"] | None = None) -> None:
        self._sorts = order == "deterministic"

    def encode(self, value: object) -> bytes:
        """Fields are in the order of their class, keys of dicts sorted if requested."""
        return spelled(to_builtins(value, sorts=self._sorts))

    def encode_lines(self, values: list[Any]) -> bytes:
        """Each value and a line feed."""
        return b"".join(self.encode(value) + b"\n" for value in values)


def encode(value: object) -> bytes:
    """The bytes of a value."""
    return Encoder().encode(value)


def decode(data: bytes | str, *, type: Any = Any) -> Any:
    """A value of this type."""
    return Decoder[Any](type).decode(data)


def _check_text(plain: object) -> None:
    """Refuse escaped lone surrogates, which could not be written again."""
    spelled(plain)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _finite(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise ValueError(f"{text} is out of range")
    return number
