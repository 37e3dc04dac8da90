"""Formulas of whole numbers, such as ``x + min(size, 7 * t0) / 2``.

They have ``+ - * / %``, ``min``, ``max`` and parentheses, and are read as Python reads them. A quotient is rounded
down. A name of words stands for their length.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import cache
from typing import TypeAlias

Names: TypeAlias = Mapping[str, int | str]
Calculation: TypeAlias = Callable[[Names], int]

_OPERATORS: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.floordiv,
    ast.Mod: operator.mod,
}


def calculated(formula: int | str, names: Names) -> int:
    """Calculate a formula."""
    return formula if isinstance(formula, int) else _read(formula)(names)


@cache
def _read(formula: str) -> Calculation:
    return _calculation(ast.parse(formula, mode="eval").body)


def _calculation(tree: ast.expr) -> Calculation:
    """Read a formula once, so that no drawing goes through its tree again."""
    match tree:
        case ast.Constant(int(number)):
            return lambda _: number
        case ast.Name(name):
            return lambda names: _number(names[name])
        case ast.BinOp(left, operation, right):
            act, first, second = _OPERATORS[type(operation)], _calculation(left), _calculation(right)
            return lambda names: act(first(names), second(names))
        case ast.Call(ast.Name("min" | "max" as name), arguments):
            choose, several = (min if name == "min" else max), [_calculation(argument) for argument in arguments]
            return lambda names: choose(each(names) for each in several)
    raise ValueError(f"pictures.json: {ast.unparse(tree)!r} is not a formula")


def _number(found: int | str) -> int:
    return len(found) if isinstance(found, str) else found
