"""The expressions of a ``Meaning``: Python expressions, from which C is generated.

All names are unsigned 32-bit words: ``a`` and ``b`` the values of rs1 and rs2, ``i`` the immediate,
``pc``, ``m`` the value read from memory (zero-extended) or a CSR, ``x`` and ``y`` elements of
vectors (sign-extended to a word), ``n`` a shift amount. The value of an expression is its low 32
bits. The operators are those of Python on integers, as far as C has them on unsigned words. A
comparison counts as 0 or 1. ``signed``, ``wide`` and ``signed_wide`` interpret a word as signed, as
64 bits, or both. ``div`` and ``rem`` are those of RV32M, signed. ``div_shifted(x, y, n)`` is
x * 2**n / y, rounded towards zero and saturated to 32 bits, as is x / 0; 0 / 0 is 0.

``ops.h`` has one list for each timing class: a macro that takes a macro ``X`` and applies it to
every instruction of the class. Both tiers of the engine use it.
"""

import ast
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from gnomon.base.errors import GnomonError
from gnomon.isa._instruction import INSTRUCTIONS, OPTIONAL_EXTENSIONS, Instruction, Meaning

_FUNCTIONS: Final = ("signed", "wide", "signed_wide", "div", "rem", "div_shifted")

_OPERATORS: Final[dict[type[ast.operator | ast.cmpop], str]] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "/", ast.Mod: "%",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.GtE: ">=",
}  # fmt: skip


@cache
def _parse_expression(expression: str) -> ast.expr:
    return ast.parse(expression, mode="eval").body


def meaning_in_c(meaning: Meaning, part: str, names: Mapping[str, str] | None = None) -> str:
    """Return the C of a part such as ``result``; converted to uint32_t it has its value.

    Args:
        meaning: of an instruction.
        part: one that the meaning has.
        names: C text by name of the expression; by default the names themselves. The text must
            be of type uint32_t and may be evaluated more than once.

    Raises:
        GnomonError: if a name has no C text, or an operation has no equivalent in C.
    """
    expression = getattr(meaning, part)
    assert expression is not None, part
    return c_expression(expression, names)


def c_expression(expression: str, names: Mapping[str, str] | None = None) -> str:
    """Return the C of an expression, see :func:`meaning_in_c`."""

    def text(node: ast.expr) -> str:
        match node:
            case ast.Name(id=name):
                if names is None:
                    return name
                if name not in names:
                    raise GnomonError(f"{expression!r}: {name} has no C text")
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

    return text(_parse_expression(expression))


_TITLE = """\
/*
 * ops.h: numbers and meanings of the instructions. Generated from the instruction table; do not
 * edit. Each list applies X to every instruction of one timing class; its arguments are named
 * above it. In them, a and b are the values of rs1 and rs2, i the immediate, m the value read
 * (zero-extended), x and y elements (sign-extended), n a shift amount; all are uint32_t.
 * Convert each value to uint32_t.
 */
#ifndef GNOMON_OPS_H
#define GNOMON_OPS_H
#include <stdint.h>
"""

_LISTS: Final[dict[str, tuple[str, ...]]] = {
    "alu": ("result",),
    "mul": ("result",),
    "mulh": ("result",),
    "div": ("result",),
    "load": ("address", "size", "result"),
    "store": ("address", "size", "stored"),
    "amo": ("address", "size", "result", "stored"),
    "branch": ("taken", "target"),
    "jump": ("result", "target"),
    "csr": ("stored",),
    "kdsp": ("element",),
    "kdsp_optional": ("element",),
}
"""The parts of the meaning in each list, in this order."""


def _get_list_name(row: Instruction) -> str:
    return row.timing_class + ("_optional" if row.extension in OPTIONAL_EXTENSIONS else "")


def _format_argument(row: Instruction, part: str) -> str:
    value = getattr(row.meaning, part)
    return str(value) if part == "size" else c_expression(value)


def number_ranges(rows: Collection[Instruction]) -> dict[str, range]:
    """Return the numbers of each timing class except ``alu``, and of each optional extension.

    ``kdsp`` contains all vector instructions, including optional ones.

    Args:
        rows: all instructions, as ``number_rows`` returns them.
    """
    numbers: dict[str, list[int]] = {}
    for row in rows:
        for name in (row.timing_class, row.family):
            if name not in ("alu", "upper"):
                numbers.setdefault(name, []).append(row.number)
    return {name: range(min(each), max(each) + 1) for name, each in numbers.items()}


def c_name(row: Instruction) -> str:
    """Return the name of an instruction in C: the number is ``OP_`` and this name."""
    return row.mnemonic.upper().replace(".", "_")


@cache
def operations_header() -> str:
    """Return the text of ``ops.h``.

    It includes only ``<stdint.h>`` and defines

    * the numbers ``OP_<NAME>`` and how many there are, ``OP_INSTRUCTIONS``;
    * the first and last number of each family, ``OP_FIRST_<FAMILY>`` and ``OP_LAST_<FAMILY>``, see
      :func:`number_ranges`;
    * the functions of the expressions and the lists ``OPS_<TIMING CLASS>(X)``; vector instructions
      not every machine has are in ``OPS_KDSP_OPTIONAL(X)``.

    Instructions without results (traps, fences, transfers) have a number and are in no list.
    """
    numbers = [f"#define OP_{c_name(row)} {row.number}" for row in INSTRUCTIONS]
    ranges = [
        f"#define OP_FIRST_{name.upper()} {each[0]}\n#define OP_LAST_{name.upper()} {each[-1]}"
        for name, each in number_ranges(INSTRUCTIONS).items()
    ]
    parts = [
        _TITLE,
        "\n".join([*numbers, f"#define OP_INSTRUCTIONS {len(INSTRUCTIONS)}", *ranges, ""]),
        Path(__file__).with_name("_operations.h").read_text(encoding="utf-8"),
    ]
    for timing, names in _LISTS.items():
        rows = [
            (c_name(row), *(_format_argument(row, name) for name in names))
            for row in INSTRUCTIONS
            if _get_list_name(row) == timing and row.meaning.expressions
        ]
        lines = " \\\n".join(f"    X({', '.join(row)})" for row in rows)
        parts.append(
            f"/* X(NAME, {', '.join(names)}) */\n#define OPS_{timing.upper()}(X) \\\n{lines}\n"
        )
    return "\n".join([*parts, "#endif\n"])
