"""``vcu.h``: the vector instructions as C functions, for the machine and for the host.

Functions, encodings and CSR addresses come from the tables. The arithmetic of the host emulation
is C, in ``_vcu_host.h`` and ``_vcu_host_vector.h``; the generated calls pass it the kinds of their
operands.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import Final, NamedTuple

from gnomon.isa._instruction import (
    CSR_ADDRESS,
    CSR_DESCRIPTION,
    INSTRUCTIONS,
    Extension,
    Instruction,
    Role,
    list_instructions,
)

_TITLE = """\
/*
 * vcu.h: the vector instructions of the Klessydra T13x, in C11. Generated; do not edit.
 *
 * On RISC-V each function is one instruction. Elsewhere it computes the same bits on the host.
 * Scratchpad addresses are 32-bit integers, VCU_SPM(i) + byte offset, on both. Results that are
 * vectors are written as whole words: ceil(MVSIZE / 4) of them.
 *
 * Division and post-scaled products are not in the public T13x: they exist if the machine has them
 * (VCU_HAS_DIVIDE, VCU_HAS_POSTSCALE), for 32-bit elements only, with the intended results.
 * kvdivps and its scalar form (VCU_HAS_DIVIDE_PRESHIFT) are a proposal of gnomon.
 */
"""

_HAS: Final[dict[Extension, str]] = {
    "kdiv": "VCU_HAS_DIVIDE", "kps": "VCU_HAS_POSTSCALE", "kdivps": "VCU_HAS_DIVIDE_PRESHIFT",
}  # fmt: skip
"""The macro that is 1 if the machine has an optional extension."""

_SIZES: Final = ("VCU_SPM_COUNT", "VCU_SPM_BYTES", "VCU_SPM_BASE", "VCU_SIMD")

_NAMES: Final[dict[tuple[str, str, Role], str]] = {
    ("kmem", "rd", "spm_vector"): "uint32_t spm_dst",
    ("kmem", "rd", "memory_address"): "void *dst",
    ("kmem", "rs1", "spm_vector"): "uint32_t spm_src",
    ("kmem", "rs1", "memory_address"): "const void *src",
    ("kmem", "rs2", "byte_count"): "uint32_t bytes",
    ("kdsp", "rs1", "register_scalar"): "uint32_t scalar",
    ("kdsp", "rs2", "register_scalar"): "uint32_t scalar",
    ("kdsp", "rs2", "shift_amount"): "uint32_t shift",
}
"""Declaration of a parameter by (format, field, role); ``uint32_t <field>`` if not listed."""

_HOST_KIND: Final[dict[Role, str]] = {
    "spm_vector": "VCU_VECTOR", "spm_scalar": "VCU_SPM_SCALAR", "register_scalar": "VCU_VALUE",
    "shift_amount": "VCU_VALUE",
}  # fmt: skip


class _Setter(NamedTuple):
    """A function that writes a CSR. On the host it writes ``kept`` to ``register``."""

    csr: str
    parameter: str
    register: str
    kept: str

    @property
    def opening(self) -> str:
        return (
            f"/* {self.csr.upper()}: {CSR_DESCRIPTION[self.csr]} */\n"
            f"static inline void vcu_set_{self.csr}({self.parameter})\n"
        )


_SETTERS = (
    _Setter("mvsize", "uint32_t bytes", "mvsize_bytes",
            "bytes & (2 * (uint32_t)(VCU_SPM_BYTES)-1)"),
    _Setter("mvtype", "enum vcu_type type", "mvtype", "(uint32_t)type & 3"),
    _Setter("mpsclfac", "uint32_t shift", "mpsclfac", "shift & 31"),
)  # fmt: skip


_LINES_OF_CALLERS = """\
/* In debug information, each of these instructions belongs to the line of its caller. */
#ifdef __clang__
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#endif
"""


@cache
def vcu_header(without_unit: str = "") -> str:
    """Return the text of ``vcu.h``.

    ``without_unit`` names a machine without a vector unit. Then VCU_AVAILABLE and the sizes are 0.
    A call that the compiler does not remove, as it does under ``if (VCU_AVAILABLE)``, is an error
    that names the machine.

    The header requires the macros VCU_SPM_COUNT, VCU_SPM_BYTES and VCU_SPM_BASE, and on the host
    VCU_SIMD, or gnomon's ``machine.h``; without them it does not compile. VCU_HAS_DIVIDE,
    VCU_HAS_POSTSCALE and VCU_HAS_DIVIDE_PRESHIFT (default 0) add the instructions of the optional
    extensions. On RISC-V it is freestanding.
    """
    rows = list_instructions(("kmem", "kdsp", *_HAS))
    if without_unit:
        return _build_rejecting_header(without_unit, rows)
    operations = ",\n".join(
        f"    VCU_{row.mnemonic.upper()} = {row.match >> 25}"
        for row in rows
        if row.format == "kdsp"
    )
    parts = [
        _TITLE,
        "#ifndef VCU_H\n#define VCU_H\n",
        _read_resource("_vcu_settings.h"),
        "#if defined(__riscv)\n",
        '#if __riscv_xlen != 32\n#error "vcu.h: the machine has 32-bit registers"\n#endif\n',
        _LINES_OF_CALLERS,
        *(_define_machine_setter(setter) for setter in _SETTERS),
        *_wrap_in_conditions(rows, _define_machine_function),
        "#ifdef __clang__\n#pragma clang attribute pop\n#endif\n",
        "#else /* host */\n",
        f"enum vcu_operation {{\n{operations}\n}};\n",
        _read_resource("_vcu_host.h"),
        _read_resource("_vcu_host_vector.h"),
        *(_define_host_setter(setter) for setter in _SETTERS),
        *_wrap_in_conditions(rows, _define_host_function),
        "#endif /* host */\n",
        "#endif /* VCU_H */\n",
    ]
    return "\n".join(parts)


def _build_rejecting_header(machine: str, rows: Iterable[Instruction]) -> str:
    refused = f'    __attribute__((error("vcu.h: {machine} has no vector unit")));\n'
    declared = [_declare_function(row) for row in rows]
    declared += [setter.opening.rstrip() for setter in _SETTERS]
    lines = [
        f"/* vcu.h for {machine}, which has no vector unit. Generated; do not edit. */",
        "#ifndef VCU_H\n#define VCU_H\n",
        "#include <stdint.h>\n",
        "#define VCU_AVAILABLE 0",
        *(f"#define {name} 0" for name in (*_SIZES, *_HAS.values())),
        "",
        "/* Element width, as MVTYPE takes it. */",
        "enum vcu_type { VCU_8_BIT = 0, VCU_16_BIT = 1, VCU_32_BIT = 2 };\n",
        f"uint32_t VCU_SPM(uint32_t i)\n{refused}",
        *(f"{text.replace('static inline ', '')}\n{refused}" for text in declared),
        "#endif /* VCU_H */\n",
    ]
    return "\n".join(lines)


def _wrap_in_conditions(
    rows: Iterable[Instruction], text: Callable[[Instruction], str]
) -> Iterator[str]:
    """Yield the functions; those of an optional extension inside its condition."""
    for extension, group in groupby(rows, key=lambda row: row.extension):
        functions = map(text, group)
        if extension in _HAS:
            has = _HAS[extension]
            yield from (f"#if {has}\n", *functions, f"#endif /* {has} */\n")
        else:
            yield from functions


def _read_resource(name: str) -> str:
    return (files("gnomon.isa") / name).read_text(encoding="utf-8")


def _list_fields(row: Instruction) -> list[tuple[str, Role]]:
    roles = (("rd", row.rd), ("rs1", row.rs1), ("rs2", row.rs2))
    return [(field, role) for field, role in roles if role is not None]


def _declare_parameter(row: Instruction, field: str, role: Role) -> str:
    return _NAMES.get((row.format, field, role), f"uint32_t {field}")


def _name_arguments(row: Instruction) -> dict[str, str]:
    """Return the name of the C parameter of each register field that is read."""
    return {
        field: _declare_parameter(row, field, role).split()[-1].lstrip("*")
        for field, role in _list_fields(row)
    }


def _declare_function(row: Instruction) -> str:
    parameters = ", ".join(
        _declare_parameter(row, field, role) for field, role in _list_fields(row)
    )
    names = _name_arguments(row)
    meaning = re.sub(r"\b(rd|rs1|rs2)\b", lambda match: names[match[0]], row.description)
    return f"/* {meaning} */\nstatic inline void {row.mnemonic}({parameters})"


def _define_machine_function(row: Instruction) -> str:
    arguments = _name_arguments(row)
    encoding = f"{row.opcode:#x}, {row.template >> 12 & 7}, {row.template >> 25}"
    places = {field: f"%{place}" for place, field in enumerate(arguments)}
    operands = ", ".join(places.get(field, "x0") for field in ("rd", "rs1", "rs2"))
    inputs = ", ".join(f'"r"({name})' for name in arguments.values())
    assembly = f'".insn r {encoding}, {operands}" : : {inputs} : "memory"'
    return f"{_declare_function(row)}\n{{\n    __asm__ volatile({assembly});\n}}\n"


def _define_host_function(row: Instruction) -> str:
    arguments = _name_arguments(row)
    if row.format == "kmem":
        store = row.rd == "memory_address"
        call = f"vcu_host_{'store' if store else 'load'}({', '.join(arguments.values())})"
    else:
        kinds = ["VCU_NONE" if role is None else _HOST_KIND[role] for role in (row.rs1, row.rs2)]
        family = "reduction" if row.rd == "spm_word" else "vector"
        values = [arguments.get(field, "0") for field in ("rd", "rs1", "rs2")]
        call = f"vcu_host_{family}({', '.join([f'VCU_{row.mnemonic.upper()}', *kinds, *values])})"
    name = f'vcu_host.instruction = "{row.mnemonic}";'
    return f"{_declare_function(row)}\n{{\n    {name}\n    {call};\n}}\n"


def _define_machine_setter(setter: _Setter) -> str:
    name = setter.parameter.split()[-1]
    template = f"csrw {CSR_ADDRESS[setter.csr]:#x}, %0"
    return (
        f'{setter.opening}{{\n    __asm__ volatile("{template}" : : "r"({name}) : "memory");\n}}\n'
    )


def _define_host_setter(setter: _Setter) -> str:
    return f"{setter.opening}{{\n    vcu_host.{setter.register} = {setter.kept};\n}}\n"


_PACKAGE_TITLE = """\
// Encodings and operand roles of the vector instructions. Generated from the instruction table by
// gnomon/isa/_header.py; do not edit.
`ifndef VCU_PKG_SVH
`define VCU_PKG_SVH
package vcu_pkg;
"""

_SETS: Final[tuple[tuple[str, str, Callable[[Instruction], bool]], ...]] = (
    ("PUBLIC", "KDSP instructions of the public core", lambda row: row.extension == "kdsp"),
    ("POSTSCALE", "post-scaled products", lambda row: row.extension == "kps"),
    ("DIVIDE", "divisions and remainders", lambda row: row.extension == "kdiv"),
    ("RS1_VECTOR", "rs1 is a vector in a scratchpad", lambda row: row.rs1 == "spm_vector"),
    ("RS2_VECTOR", "rs2 is a vector in a scratchpad", lambda row: row.rs2 == "spm_vector"),
    ("RS2_SPM_SCALAR", "rs2 is one element in a scratchpad", lambda row: row.rs2 == "spm_scalar"),
    ("RS2_REGISTER", "rs2 is an element itself", lambda row: row.rs2 == "register_scalar"),
    ("RD_WORD", "the result is one word", lambda row: row.rd == "spm_word"),
)


@cache
def rtl_package() -> str:
    """Return the text of ``rtl_tests/hdl/vcu_pkg.svh``: a SystemVerilog package."""
    transfers = [row for row in INSTRUCTIONS if row.extension == "kmem"]
    vectors = [row for row in INSTRUCTIONS if row.format == "kdsp"]
    lines = [_PACKAGE_TITLE, "  // funct7 of opcode KMEM."]
    lines += [_define_constant(row) for row in transfers]
    lines += ["", "  // funct7 of opcode KDSP."]
    lines += [_define_constant(row) for row in vectors]
    lines += ["", "  // Sets of KDSP instructions: bit i stands for funct7 i."]
    for name, what, holds in _SETS:
        bits = sum(1 << (row.match >> 25) for row in vectors if holds(row))
        lines += [f"  localparam logic [127:0] {name} = 128'h{bits:032x};  // {what}"]
    lines += ["endpackage", "`endif", ""]
    return "\n".join(lines)


def _define_constant(row: Instruction) -> str:
    return f"  localparam logic [6:0] {row.mnemonic.upper()} = 7'd{row.match >> 25};"
