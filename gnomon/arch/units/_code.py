"""The C of units: for the engine, for translated blocks, and ``units.h`` for programs.

Each instruction is one C function, ``UNIT(name) { return ...; }``. ``a`` and ``b`` are the values
of rs1 and rs2, ``c`` the third operand, ``state`` the memory of the unit. Operands that the
instruction does not have are 0.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from gnomon.arch.units._unit import ELEMENT_BITS, Unit, UnitInstruction
from gnomon.base import stateless
from gnomon.isa import Instruction

UNITS_HEADER: Final = "units.h"

NO_STATE: Final = "(this_unit_has_no_state){0}"
"""First argument of the functions of a unit without state: a use of it does not compile."""

_PRELUDE = """\
#include <stdint.h>
typedef struct { char none; } this_unit_has_no_state;
#define UNIT(NAME) \\
    static inline __attribute__((always_inline, unused)) uint32_t unit_##NAME( \\
        UNIT_STATE state __attribute__((unused)), uint32_t a __attribute__((unused)), \\
        uint32_t b __attribute__((unused)), uint32_t c __attribute__((unused)))
"""

_LANES = """\
/* Elements of vectors, in words of scratchpads. */
typedef int8_t units_lane_8;
typedef int16_t __attribute__((may_alias)) units_lane_16;
typedef int32_t __attribute__((may_alias)) units_lane_32;
"""

_VECTOR_PARAMETERS = """\
uint32_t type, void *d, const void *a, const void *b, int64_t elements, uint32_t scalar,
    uint32_t c\
"""

_HOST_VECTOR = """\
#define UNIT_HOST_WIDTH 0x1006 /* elements of a width that the instruction does not have */
/* Whether a vector instruction has an effect; else, and without a fault, its length is 0. */
static inline __attribute__((unused)) int units_host_starts(
    const char *name, uint32_t vector_rd, enum vcu_host_operand kind2, uint32_t widths, uint32_t rd,
    uint32_t rs1, uint32_t rs2)
{
    uint32_t code = 0;
    vcu_host.instruction = name;
    if (vcu_host.mvsize_bytes == 0) return 0;
    code = vcu_host_check(vector_rd, VCU_VECTOR, kind2, rd, rs1, rs2);
    if (code == 0 && !(widths >> vcu_host.mvtype & 1)) {
        fprintf(stderr, "%s: its unit.yaml has no elements of MVTYPE %u\\n", name,
                (unsigned)vcu_host.mvtype);
        code = UNIT_HOST_WIDTH;
    }
    if (code != 0) vcu_host_fault(code);
    return code == 0;
}
"""

_APPLY = """\
/* Execute a sequence of instructions by number; `*done` is the number of those executed. */
EXPORT void units_apply(int64_t count, const uint32_t *number, const uint32_t *hart,
                        const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *result,
                        uint8_t *state, int64_t step, volatile int64_t *done);
EXPORT void units_apply(int64_t count, const uint32_t *number, const uint32_t *hart,
                        const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *result,
                        uint8_t *state, int64_t step, volatile int64_t *done) {
    for (int64_t k = 0; k < count; *done = ++k)
        result[k] = units_table[number[k]](state + step * hart[k], a[k], b[k], c[k]);
}
"""

_TITLE = """\
/*
 * units.h: the instructions of the machine's units as C functions. Generated; do not edit.
 *
 * On RISC-V each function is one instruction. Elsewhere it computes the same bits on the host.
 * UNIT_HAS_<NAME> is 1 if the machine has the instruction; else it is not defined. With it,
 * UNIT_HAS_<NAME>_<PARAMETER> is the value of each parameter of its unit.
 */
#ifndef UNITS_H
#define UNITS_H
#include <stdint.h>
"""

_INLINE = """\
#ifdef __clang__ /* in debug information, each instruction belongs to the line of its caller */
#define UNIT_INLINE static inline __attribute__((always_inline, nodebug, unused))
#else
#define UNIT_INLINE static inline __attribute__((always_inline, unused))
#endif
"""


def units_code(units: Iterable[Unit]) -> str:
    """Return the C functions of units; empty without units."""
    parts = [line for unit in units for line in _define_unit(unit)]
    return "\n".join([_PRELUDE, *parts, "#undef UNIT", ""]) if parts else ""


def _define_unit(unit: Unit) -> Iterator[str]:
    macros = {f"UNIT_{name.upper()}": f"({value})" for name, value in unit.values.items()}
    macros["UNIT_STATE"] = "void *" if unit.state_bytes else "this_unit_has_no_state"
    yield from (f"#define {name} {value}" for name, value in macros.items())
    # Messages of the compiler then name the file of the unit.
    yield f'#line 1 "{unit.code_file}"'
    yield unit.code
    yield '#line 1 "units.h"'
    yield from (f"#undef {name}" for name in macros)


def _define_vectors(units: Iterable[Unit], *, runs: bool = False) -> str:
    """Return the C functions of all elements of vector instructions; empty if there is none.

    Args:
        units: of a machine.
        runs: whether the functions state in ``units_running`` that they run.
    """
    rows = enumerate(each for unit in units for each in unit.instructions)
    found = [_define_elements(each, number if runs else None) for number, each in rows
             if each.vector is not None]  # fmt: skip
    return "\n".join([_LANES, *found]) if found else ""


def _define_elements(each: UnitInstruction, number: int | None) -> str:
    assert each.vector is not None
    begin, end = ("" if number is None else f"    units_running = {k};" for k in (number, -1))
    lines = []
    for bits in each.vector.elements:
        lane = f"units_lane_{bits}"
        second = {None: "0", "register_scalar": f"({lane})scalar"}.get(each.row.rs2, "y[k]")
        call = f"unit_{each.function}({NO_STATE}, (uint32_t)x[k], (uint32_t){second}, c)"
        result = f"sum += {call};" if each.vector.reduces else f"to[k] = ({lane}){call};"
        lines += [
            f"    case {ELEMENT_BITS.index(bits)}: {{",
            f"        {lane} *const to = ({lane} *)d;",
            f"        const {lane} *const x = (const {lane} *)a, *const y = (const {lane} *)b;",
            "        (void)to, (void)y;",
            f"        for (int64_t k = 0; k < elements; k++) {result}",
            "        break;",
            "    }",
        ]
    return "\n".join([
        f"static inline __attribute__((unused)) uint32_t units_vector_{each.function}(",
        f"    {_VECTOR_PARAMETERS})", "{", "    uint32_t sum = 0;", "    (void)scalar, (void)c;",
        begin, "    switch (type) {", *lines, "    default: break;", "    }", end,
        "    return sum;", "}",
    ])  # fmt: skip


def library_text(units: Sequence[Unit]) -> str:
    """Return the text of a library with the functions in the order of the instructions.

    ``units_table`` has the function of each instruction; for the engine, ``units_engine_table`` has
    those of all elements in place of those of vector instructions. ``units_running`` is the number
    of the instruction that is executed outside translated blocks, or -1.
    """
    rows = [(unit, each) for unit in units for each in unit.instructions]
    names = [f"units_run_{each.function}" for _, each in rows]
    of_engine = [f"(AnyFunction)units_{'vector' if each.vector else 'run'}_{each.function}"
                 for _, each in rows]  # fmt: skip
    table = f"const UnitFunction units_table[{len(names)}]"
    engine = f"const AnyFunction units_engine_table[{len(names)}]"
    return "\n".join([
        '#include "native.h"', stateless.BEGIN, units_code(units), stateless.END,
        "EXPORT volatile int32_t units_running;", "volatile int32_t units_running = -1;",
        *(_define_runner(number, *row) for number, row in enumerate(rows)),
        _define_vectors(units, runs=True),
        "typedef uint32_t (*UnitFunction)(void *, uint32_t, uint32_t, uint32_t);",
        f"EXPORT extern {table};", f"{table} = {{{', '.join(names)}}};",
        "typedef void (*AnyFunction)(void);",
        f"EXPORT extern {engine};", f"{engine} = {{{', '.join(of_engine)}}};", _APPLY,
    ])  # fmt: skip


def _define_runner(number: int, unit: Unit, each: UnitInstruction) -> str:
    state = "state" if unit.state_bytes else NO_STATE
    return (
        f"static uint32_t units_run_{each.function}(void *state, uint32_t a, uint32_t b, "
        f"uint32_t c) {{ (void)state; units_running = {number}; const uint32_t found ="
        f" unit_{each.function}({state}, a, b, c); units_running = -1; return found; }}"
    )


def units_header(units: Sequence[Unit]) -> str:
    """Return the text of ``units.h``; without units it declares nothing."""
    rows = [(unit, each) for unit in units for each in unit.instructions]
    has = [
        f"#define UNIT_HAS_{each.function.upper()}{name} {value}" for unit, each in rows
        for name, value in (("", 1), *((f"_{n.upper()}", v) for n, v in unit.values.items()))
    ]  # fmt: skip
    vectors = _define_vectors(units)
    if not rows:
        return f"{_TITLE}\n#endif\n"
    return "\n".join([
        _TITLE, *(['#include "vcu.h"'] if vectors else []), *has, _INLINE,
        "#if defined(__riscv)",
        *(_define_on_machine(unit, each) for unit, each in rows),
        "#else /* host */", units_code(units), *([vectors, _HOST_VECTOR] if vectors else []),
        *map(_define_state, units),
        *(_define_on_host(unit, each) for unit, each in rows),
        "#endif /* host */", "#undef UNIT_INLINE", "#endif", "",
    ])  # fmt: skip


def _list_parameters(each: UnitInstruction) -> list[str]:
    """Return the names of the parameters in C; ``rd`` first, as its old value is read."""
    row = each.row
    found = ["rd"] if each.third == "rd" else []
    found += [field for field in ("rs1", "rs2") if getattr(row, field)]
    return found + {"rs3": ["rs3"], "immediate": ["imm"]}.get(each.third, [])


_FIELDS: Final = {
    "R": ("rd", "rs1", "rs2"), "R4": ("rd", "rs1", "rs2", "rs3"), "I": ("rd", "rs1", "imm"),
}  # fmt: skip


def directive(row: Instruction) -> str:
    """Return the beginning of an instruction in assembly text, up to its registers."""
    funct3, funct7 = row.match >> 12 & 7, row.match >> 25
    return {
        "R": f".insn r {row.opcode:#x}, {funct3}, {funct7}",
        "R4": f".insn r4 {row.opcode:#x}, {funct3}, {funct7 & 3}",
        "I": f".insn i {row.opcode:#x}, {funct3}",
    }[row.format]


def _define_on_machine(unit: Unit, each: UnitInstruction) -> str:
    row, names = each.row, _list_parameters(each)
    if each.vector is not None:
        return _define_vector_on_machine(each)
    encoding, fields = directive(row), _FIELDS[row.format]
    given = [name for name in names if name != "rd"]
    numbers = {name: f"%{k}" for k, name in enumerate(given, 1 if row.rd else 0)}
    numbers |= {"rd": "%0" if row.rd else "x0"}
    operands = ", ".join(numbers.get(name, "0" if name == "imm" else "x0") for name in fields)
    value = "rd_" if each.third == "immediate" else "rd"
    output = f'"{"+" if each.third == "rd" else "="}r"({value})' if row.rd else ""
    inputs = ", ".join(f'"{"i" if name == "imm" else "r"}"({name})' for name in given)
    volatile = " volatile" if unit.state_bytes or not row.rd else ""
    assembly = f'__asm__{volatile}("{encoding}, {operands}" : {output} : {inputs});'
    if each.third == "immediate":  # a macro: it must be a constant
        body = inputs.replace("(rs1)", "((uint32_t)(rs1))")
        body = f'__asm__{volatile}("{encoding}, {operands}" : {output} : {body});'
        begin, end = ("uint32_t rd_; ", " rd_;") if row.rd else ("", "")
        return (
            f"#define {each.function}({', '.join(names)}) __extension__({{ {begin}{body}{end} }})"
        )
    parameters = ", ".join(f"uint32_t {name}" for name in names) or "void"
    before = "uint32_t rd; " if row.rd and each.third != "rd" else ""
    after = " return rd;" if row.rd else ""
    kind = "uint32_t" if row.rd else "void"
    return f"UNIT_INLINE {kind} {each.function}({parameters}) {{ {before}{assembly}{after} }}"


def _list_vector_parameters(each: UnitInstruction) -> list[str]:
    third = {"rs3": ["rs3"], "immediate": ["imm"]}.get(each.third, [])
    return ["rd", "rs1", *(["rs2"] if each.row.rs2 else []), *third]


def _define_vector_on_machine(each: UnitInstruction) -> str:
    names, row = _list_vector_parameters(each), each.row
    fields = _FIELDS[row.format]
    places = {name: f"%{place}" for place, name in enumerate(names)}
    operands = ", ".join(places.get(name, "0" if name == "imm" else "x0") for name in fields)
    immediate = each.third == "immediate"
    cast = "(uint32_t)" if immediate else ""
    inputs = ", ".join('"i"(imm)' if name == "imm" else f'"r"({cast}({name}))' for name in names)
    assembly = f'__asm__ volatile("{directive(row)}, {operands}" : : {inputs} : "memory")'
    if immediate:  # a macro: it must be a constant
        return f"#define {each.function}({', '.join(names)}) __extension__({{ {assembly}; }})"
    parameters = ", ".join(f"uint32_t {name}" for name in names)
    return f"UNIT_INLINE void {each.function}({parameters}) {{ {assembly}; }}"


def _define_vector_on_host(each: UnitInstruction) -> str:
    names, form = _list_vector_parameters(each), each.vector
    assert form is not None
    kind = {None: "VCU_NONE", "register_scalar": "VCU_VALUE"}.get(each.row.rs2, "VCU_VECTOR")
    widths = sum(1 << ELEMENT_BITS.index(bits) for bits in form.elements)
    given = {"rs3": "rs3", "immediate": "(uint32_t)imm"}.get(each.third, "0")
    rs2 = "rs2" if each.row.rs2 else "0"
    second = "vcu_host_word(rs2)" if kind == "VCU_VECTOR" else "0"
    target = "0" if form.reduces else "vcu_host_word(rd)"
    count = "vcu_host.mvsize_bytes" if form.reduces else "4 * vcu_host_words(vcu_host.mvsize_bytes)"
    call = (
        f"units_vector_{each.function}(vcu_host.mvtype, {target}, vcu_host_word(rs1), {second},"
        f" {count} >> vcu_host.mvtype, {rs2}, {given})"
    )
    result = f"*vcu_host_word(rd) = {call};" if form.reduces else f"(void){call};"
    parameters = ", ".join(f"{'int32_t' if name == 'imm' else 'uint32_t'} {name}" for name in names)
    starts = f'"{each.mnemonic}", {int(not form.reduces)}, {kind}, {widths}, rd, rs1, {rs2}'
    return (
        f"static inline __attribute__((unused)) void {each.function}({parameters})\n"
        f"{{\n    if (units_host_starts({starts}))\n        {result}\n}}"
    )


def _define_state(unit: Unit) -> str:
    if not unit.state_bytes:
        return ""
    return (
        f"__attribute__((weak, aligned(8))) uint32_t {_state(unit)}[{(unit.state_bytes + 3) // 4}];"
    )


def _state(unit: Unit) -> str:
    return f"units_state_{unit.name.replace('-', '_')}"


def _define_on_host(unit: Unit, each: UnitInstruction) -> str:
    if each.vector is not None:
        return _define_vector_on_host(each)
    row, names = each.row, _list_parameters(each)
    third = {"rd": "rd", "rs3": "rs3", "immediate": "(uint32_t)imm", "none": "0"}[each.third]
    state = _state(unit) if unit.state_bytes else NO_STATE
    arguments = f"{state}, {'rs1' if row.rs1 else 0}, {'rs2' if row.rs2 else 0}, {third}"
    call = f"unit_{each.function}({arguments})"
    parameters = ", ".join(f"{'int32_t' if name == 'imm' else 'uint32_t'} {name}" for name in names)
    kind, result = ("uint32_t", f"return {call};") if row.rd else ("void", f"(void){call};")
    return f"UNIT_INLINE {kind} {each.function}({parameters or 'void'}) {{ {result} }}"
