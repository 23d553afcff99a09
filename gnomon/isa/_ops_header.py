"""``ops.h``: what the instructions compute, as the C that both tiers of the engine use.

For each timing class there is one list, a macro that takes a macro ``X`` and applies it to every
instruction of the class. The expressions in it are of type uint32_t after conversion and name
``a``, ``b``, ``i``, ``pc``, ``m``, ``x``, ``y``, ``n`` as ``Meaning`` says.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from gnomon.isa._expression import C_FUNCTIONS, c_expression
from gnomon.isa._table import INSTRUCTIONS, OPTIONAL_EXTENSIONS

if TYPE_CHECKING:
    from gnomon.isa._instruction import Instruction

_TITLE = """\
/*
 * ops.h: numbers and meanings of the instructions. Generated from the instruction table; do not
 * edit. Each list applies X to every instruction of one timing class; its arguments are named
 * above it. In them, a and b are what rs1 and rs2 hold, i the immediate, m what was read (zero-
 * extended), x and y elements (sign-extended), n a shift amount; all of them uint32_t. A value is
 * to be converted to uint32_t.
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
"""Which parts of the meaning a list has, in this order."""


def _list_of(row: Instruction) -> str:
    return row.timing_class + ("_optional" if row.extension in OPTIONAL_EXTENSIONS else "")


def _argument(row: Instruction, part: str) -> str:
    value = getattr(row.meaning, part)
    return str(value) if part == "size" else c_expression(value)


def c_name(row: Instruction) -> str:
    """Return the name of an instruction in C: the number is ``OP_`` and this name."""
    return row.mnemonic.upper().replace(".", "_")


@cache
def operations_header() -> str:
    """Return the text of ``ops.h``.

    It needs nothing but ``<stdint.h>`` and defines the numbers ``OP_<NAME>``, ``OP_INSTRUCTIONS``
    (how many there are), the functions of the expressions and the lists ``OPS_<TIMING CLASS>(X)``;
    vector instructions that not every machine has are in ``OPS_KDSP_OPTIONAL(X)``. Instructions
    that compute nothing (traps, fences, transfers) have a number and are in no list.
    """
    numbers = [f"#define OP_{c_name(row)} {row.number}" for row in INSTRUCTIONS]
    parts = [
        _TITLE,
        "\n".join([*numbers, f"#define OP_INSTRUCTIONS {len(INSTRUCTIONS)}\n"]),
        C_FUNCTIONS,
    ]
    for timing, names in _LISTS.items():
        rows = [
            (c_name(row), *(_argument(row, name) for name in names))
            for row in INSTRUCTIONS
            if _list_of(row) == timing and row.meaning.expressions
        ]
        lines = " \\\n".join(f"    X({', '.join(row)})" for row in rows)
        parts.append(
            f"/* X(NAME, {', '.join(names)}) */\n#define OPS_{timing.upper()}(X) \\\n{lines}\n"
        )
    return "\n".join([*parts, "#endif\n"])
