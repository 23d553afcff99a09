"""Arithmetic expressions over named whole numbers, as descriptions of content write them."""

import ast
import operator
from collections.abc import Mapping
from functools import cache

_OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Pow: operator.pow,
}
_MOST_EXPONENT = 64
_MOST_BITS = 64  # of a value
_MOST_CHARACTERS = 200
_FUNCTIONS = {"min": min, "max": max}


def evaluate(text: str | int, names: Mapping[str, int]) -> int:
    """Return the value of an expression over names.

    It has whole numbers, names, ``+ - * // **``, ``min`` and ``max``.

    Raises:
        ValueError: if it holds any other element; the message names it.
    """
    if len(str(text)) > _MOST_CHARACTERS:
        raise ValueError(f"an expression has at most {_MOST_CHARACTERS} characters")
    return _value(_parsed(str(text)), names)


@cache
def _parsed(text: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        raise ValueError(f"{text!r} is not an arithmetic expression") from None


def _value(node: ast.expr, names: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(value=int(value)) if type(value) is int:
            return _bounded(node, value)
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            a, b = _value(left, names), _value(right, names)
            if isinstance(op, ast.FloorDiv) and b == 0:
                raise ValueError(f"{ast.unparse(node)!r} divides by 0")
            if isinstance(op, ast.Pow) and not 0 <= b <= _MOST_EXPONENT:
                raise ValueError(
                    f"the exponent of {ast.unparse(node)!r} is not 0 to {_MOST_EXPONENT}"
                )
            return _bounded(node, int(_OPERATORS[type(op)](a, b)))
        case ast.Call(func=ast.Name(id=name), args=[_, *_] as args, keywords=[]) if (
            name in _FUNCTIONS
        ):
            return int(_FUNCTIONS[name](_value(each, names) for each in args))
    raise ValueError(
        f"{ast.unparse(node)!r} is none of: whole numbers, {', '.join(names)}, + - * // **,"
        " min(), max()"
    )


def _bounded(node: ast.expr, value: int) -> int:
    if value.bit_length() > _MOST_BITS:
        raise ValueError(f"{ast.unparse(node)!r} is not below 2 ** {_MOST_BITS}")
    return value
