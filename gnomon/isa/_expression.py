"""The expressions of a ``Meaning``: they are Python, and C is made from them.

All names stand for 32-bit words without sign: ``a`` and ``b`` what rs1 and rs2 hold, ``i`` the
immediate, ``pc``, ``m`` what was read from memory (zero-extended), ``x`` and ``y`` elements of
vectors (sign-extended to a word), ``n`` a shift amount. The value of an expression is its low 32
bits. The operators are those of Python on integers, as far as C has them on unsigned words, a
comparison counts as 0 or 1, and ``signed``, ``wide`` and ``signed_wide`` say how a word is read:
with its sign, or to 64 bits.
"""

from __future__ import annotations

import ast
from functools import cache
from typing import TYPE_CHECKING, Final

from gnomon.base.errors import GnomonError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import CodeType

_WORD: Final = 0xFFFF_FFFF


def _signed(value: int) -> int:
    return ((value & _WORD) ^ 0x8000_0000) - 0x8000_0000


def _quotient(a: int, b: int) -> int:
    """Divide towards zero; -1 for a zero divisor."""
    dividend, divisor = _signed(a), _signed(b)
    if divisor == 0:
        return -1
    size = abs(dividend) // abs(divisor)
    return -size if (dividend < 0) != (divisor < 0) else size


def _remainder(a: int, b: int) -> int:
    """Return what is left, with the sign of the dividend; the dividend for a zero divisor."""
    return _signed(a) if b & _WORD == 0 else _signed(a) - _quotient(a, b) * _signed(b)


_FUNCTIONS: Final[dict[str, Callable[..., int]]] = {
    "signed": _signed,
    "wide": lambda value: value & _WORD,
    "signed_wide": _signed,
    "div": _quotient,
    "rem": _remainder,
}

_C_FUNCTIONS: Final = """\
static inline int32_t op_signed(uint32_t v) { return (int32_t)v; }
static inline uint64_t op_wide(uint32_t v) { return v; }
static inline int64_t op_signed_wide(uint32_t v) { return (int32_t)v; }
static inline uint32_t op_div(uint32_t a, uint32_t b)
{
    if (b + 1 < 2) /* 0 or -1, whose quotient may not fit */
        return b == 0 ? ~0u : 0u - a;
    return (uint32_t)((int32_t)a / (int32_t)b);
}
static inline uint32_t op_rem(uint32_t a, uint32_t b)
{
    if (b + 1 < 2)
        return b == 0 ? a : 0;
    return (uint32_t)((int32_t)a % (int32_t)b);
}
"""


def c_functions() -> str:
    """Return the functions that the C of expressions calls, as static inline ones."""
    return _C_FUNCTIONS


_OPERATORS: Final[dict[type[ast.operator | ast.cmpop], str]] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "/", ast.Mod: "%",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.GtE: ">=",
}  # fmt: skip


@cache
def _parsed(expression: str) -> ast.expr:
    return ast.parse(expression, mode="eval").body


@cache
def _compiled(expression: str) -> CodeType:
    return compile(expression, "<meaning of an instruction>", "eval")


def evaluate(expression: str, **words: int) -> int:
    """Return the value of an expression as a word without sign.

    Args:
        expression: of a ``Meaning``.
        words: what its names stand for, 0 to 2**32 - 1 each.

    Raises:
        GnomonError: a name of the expression is not among them.
    """
    scope = {"__builtins__": {}, **_FUNCTIONS}
    try:
        return int(eval(_compiled(expression), scope, words)) & _WORD  # noqa: S307  # of the table
    except NameError as error:
        raise GnomonError(f"{expression!r}: {error}") from None


def c_expression(expression: str, names: Mapping[str, str] | None = None) -> str:
    """Return the C of an expression; its value converted to uint32_t is that of ``evaluate``.

    Args:
        expression: of a ``Meaning``.
        names: C text by name of the expression; by default the names themselves. The text must be
            of type uint32_t and may be evaluated more than once.

    Raises:
        GnomonError: a name is not among those given, or something that has no C.
    """

    def text(node: ast.expr) -> str:
        match node:
            case ast.Name(id=name):
                if names is None:
                    return name
                if name not in names:
                    raise GnomonError(f"{expression!r}: nothing is given for {name}")
                return names[name]
            case ast.Constant(value=int(value)):
                return f"{value:#x}u" if value > 9 else f"{value}u"
            case ast.BinOp(left, operator, right) if type(operator) in _OPERATORS:
                return f"({text(left)} {_OPERATORS[type(operator)]} {text(right)})"
            case ast.Compare(left, [operator], [right]) if type(operator) in _OPERATORS:
                return f"({text(left)} {_OPERATORS[type(operator)]} {text(right)})"
            case ast.UnaryOp(ast.Invert(), operand):
                return f"(~{text(operand)})"
            case ast.IfExp(condition, value, other):
                return f"({text(condition)} ? {text(value)} : {text(other)})"
            case ast.Call(ast.Name(id=name), arguments) if name in _FUNCTIONS:
                return f"op_{name}({', '.join(text(argument) for argument in arguments)})"
        raise GnomonError(f"{expression!r}: {ast.unparse(node)} has no C")

    return text(_parsed(expression))
