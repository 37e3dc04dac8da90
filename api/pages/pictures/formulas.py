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

_OPERATORS: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.floordiv,
    ast.Mod: operator.mod,
}


def calculated(formula: int | str, names: Names) -> int:
    """Calculate a formula."""
    return formula if isinstance(formula, int) else _value(_parsed(formula), names)


@cache
def _parsed(formula: str) -> ast.expr:
    return ast.parse(formula, mode="eval").body


def _value(tree: ast.expr, names: Names) -> int:
    match tree:
        case ast.Constant(int(number)):
            return number
        case ast.Name(name):
            found = names[name]
            return len(found) if isinstance(found, str) else found
        case ast.BinOp(left, operation, right):
            return _OPERATORS[type(operation)](_value(left, names), _value(right, names))
        case ast.Call(ast.Name("min" | "max" as name), arguments):
            return (min if name == "min" else max)(_value(argument, names) for argument in arguments)
    raise ValueError(f"pictures.json: {ast.unparse(tree)!r} is not a formula")
