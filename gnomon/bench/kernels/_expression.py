"""Arithmetic of ``kernel.yaml``: whole numbers, extents, ``+ - * // **``, ``min`` and ``max``."""

from __future__ import annotations

import ast
import operator
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Pow: operator.pow,
}
_FUNCTIONS = {"min": min, "max": max}


def evaluate(text: str | int, extents: Mapping[str, int]) -> int:
    """The value of an expression.

    Raises:
        ValueError: it has something else in it; says what.
    """
    return _value(_parsed(str(text)), extents)


@cache
def _parsed(text: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        raise ValueError(f"{text!r} is no arithmetic expression") from None


def _value(node: ast.expr, extents: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(value=int(value)):
            return value
        case ast.Name(id=name) if name in extents:
            return extents[name]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            value = _OPERATORS[type(op)](_value(left, extents), _value(right, extents))
            return int(value)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS:
            return int(_FUNCTIONS[name](_value(each, extents) for each in args))
    raise ValueError(
        f"{ast.unparse(node)!r} is none of: whole numbers, {', '.join(extents)}, + - * // **,"
        " min(), max()"
    )
