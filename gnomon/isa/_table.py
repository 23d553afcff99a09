"""The instruction table: the one place that knows encodings and meanings.

Encoder, decoder, disassembler, assembler, the C header and the engine read it; the number of a
row is the engine's operation number. A row also says what the instruction computes: the C of the
engine is made from that, in its interpreter and in translated blocks alike.

Adding a vector family: name it in ``Extension``, add a function that returns its rows to
``_vector_table.py``, append it to ``_FAMILIES``. Functions that scan the table take the set of
enabled extensions.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import get_args

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.isa._instruction import (
    Extension,
    Format,
    Instruction,
    Meaning,
    Roles,
    TimingClass,
    row_of,
)
from gnomon.isa._vector_table import T13X, optional_vector_rows, vector_rows

OPTIONAL_EXTENSIONS: frozenset[Extension] = frozenset({"kdiv", "kps", "kdivps"})
"""Vector instructions that a machine has only if its ``vcu.extensions`` says so."""

ALL_EXTENSIONS: frozenset[Extension] = frozenset(get_args(Extension)) - OPTIONAL_EXTENSIONS
"""All of the public T13x RTL: what is decoded where nothing else is said."""

_UNPRIVILEGED = "RISC-V Unprivileged ISA 20191213"
_PRIVILEGED = "RISC-V Privileged Architecture 20211203"

_OPCODE_MASK = 0x0000_007F
_FUNCT3_MASK = 0x0000_7000
_FUNCT7_MASK = 0xFE00_0000
_FUNCT5_MASK = 0xF800_0000

_UPPER_AND_JUMP: tuple[tuple[str, Format, int, TimingClass, str, Meaning], ...] = (
    ("lui", "U", 0x37, "alu", "rd = imm", Meaning("i")),
    ("auipc", "U", 0x17, "alu", "rd = pc + imm", Meaning("pc + i")),
    ("jal", "J", 0x6F, "jump", "rd = next pc, pc += imm", Meaning("pc + length", target="pc + i")),
    ("jalr", "I", 0x67, "jump", "rd = next pc, pc = (rs1 + imm) & ~1",
     Meaning("pc + length", target="a + i & 0xFFFFFFFE")),
)  # fmt: skip
_BRANCHES = (
    ("beq", 0, "rs1 == rs2", "a == b"),
    ("bne", 1, "rs1 != rs2", "a != b"),
    ("blt", 4, "rs1 < rs2, signed", "signed(a) < signed(b)"),
    ("bge", 5, "rs1 >= rs2, signed", "signed(a) >= signed(b)"),
    ("bltu", 6, "rs1 < rs2, unsigned", "a < b"),
    ("bgeu", 7, "rs1 >= rs2, unsigned", "a >= b"),
)
_LOADS = (
    ("lb", 0, "byte, sign-extended", "(m ^ 0x80) - 0x80"),
    ("lh", 1, "half-word, sign-extended", "(m ^ 0x8000) - 0x8000"),
    ("lw", 2, "word", "m"),
    ("lbu", 4, "byte, zero-extended", "m"),
    ("lhu", 5, "half-word, zero-extended", "m"),
)
_STORES = (("sb", 0, "byte"), ("sh", 1, "half-word"), ("sw", 2, "word"))
_OPERATIONS = (
    ("add", 0, 0, "rs1 + rs2", "a + b"),
    ("sub", 0, 0x20, "rs1 - rs2", "a - b"),
    ("sll", 1, 0, "rs1 << rs2", "a << (b & 31)"),
    ("slt", 2, 0, "rs1 < rs2, signed", "signed(a) < signed(b)"),
    ("sltu", 3, 0, "rs1 < rs2, unsigned", "a < b"),
    ("xor", 4, 0, "rs1 ^ rs2", "a ^ b"),
    ("srl", 5, 0, "rs1 >> rs2, zero fill", "a >> (b & 31)"),
    ("sra", 5, 0x20, "rs1 >> rs2, sign fill", "signed(a) >> (b & 31)"),
    ("or", 6, 0, "rs1 | rs2", "a | b"),
    ("and", 7, 0, "rs1 & rs2", "a & b"),
)
_MULTIPLY: tuple[tuple[str, TimingClass, str, str], ...] = (
    ("mul", "mul", "low word of rs1 * rs2", "a * b"),
    ("mulh", "mulh", "high word of rs1 * rs2, signed", "signed_wide(a) * signed_wide(b) >> 32"),
    ("mulhsu", "mulh", "high word of rs1 * rs2, rs2 unsigned", "signed_wide(a) * wide(b) >> 32"),
    ("mulhu", "mulh", "high word of rs1 * rs2, unsigned", "wide(a) * wide(b) >> 32"),
    ("div", "div", "rs1 / rs2, signed; -1 if rs2 = 0", "div(a, b)"),
    ("divu", "div", "rs1 / rs2, unsigned; all ones if rs2 = 0", "a // b if b else 0xFFFFFFFF"),
    ("rem", "div", "rs1 % rs2, signed; rs1 if rs2 = 0", "rem(a, b)"),
    ("remu", "div", "rs1 % rs2, unsigned; rs1 if rs2 = 0", "a % b if b else a"),
)
_SYSTEM: tuple[tuple[str, int, Extension, str, str], ...] = (
    ("ecall", 0x000, "I", "trap to the environment", f"{_UNPRIVILEGED}, chapter 2"),
    ("ebreak", 0x001, "I", "trap to the debugger", f"{_UNPRIVILEGED}, chapter 2"),
    ("mret", 0x302, "machine", "return from a machine-mode trap", f"{_PRIVILEGED}, section 3.3"),
    ("wfi", 0x105, "machine", "wait for an interrupt", f"{_PRIVILEGED}, section 3.3"),
)


def _base() -> Iterator[Instruction]:
    source = f"{_UNPRIVILEGED}, chapter 2"
    only_opcode, with_funct3 = _OPCODE_MASK, _OPCODE_MASK | _FUNCT3_MASK
    with_funct7 = with_funct3 | _FUNCT7_MASK
    for name, layout, opcode, timing, what, meaning in _UPPER_AND_JUMP:
        roles: Roles = ("result", "operand" if name == "jalr" else None, None)
        mask = with_funct3 if name == "jalr" else only_opcode
        yield row_of(name, layout, opcode, mask, extension="I", roles=roles, timing=timing,
                   what=what, source=source, meaning=meaning)  # fmt: skip
    for name, funct3, relation, taken in _BRANCHES:
        yield row_of(name, "B", 0x63 | funct3 << 12, with_funct3, extension="I",
                   roles=(None, "operand", "operand"), timing="branch",
                   what=f"if {relation}: pc += imm", source=source,
                   meaning=Meaning(taken=taken, target="pc + i"))  # fmt: skip
    for name, funct3, thing, value in _LOADS:
        yield row_of(name, "I", 0x03 | funct3 << 12, with_funct3, extension="I",
                   roles=("result", "operand", None), timing="load",
                   what=f"rd = {thing} at rs1 + imm", source=source,
                   meaning=Meaning(value, address="a + i", size=1 << (funct3 & 3)))  # fmt: skip
    for name, funct3, thing in _STORES:
        yield row_of(name, "S", 0x23 | funct3 << 12, with_funct3, extension="I",
                   roles=(None, "operand", "operand"), timing="store",
                   what=f"{thing} at rs1 + imm = rs2", source=source,
                   meaning=Meaning(address="a + i", size=1 << funct3, stored="b"))  # fmt: skip
    for name, funct3, funct7, formula, value in _OPERATIONS:
        if name == "sub":
            continue  # there is no subi: addi takes a negative immediate
        shift = name in ("sll", "srl", "sra")
        yield row_of("sltiu" if name == "sltu" else f"{name}i", "shift" if shift else "I",
                   0x13 | funct3 << 12 | funct7 << 25, with_funct7 if shift else with_funct3,
                   extension="I", roles=("result", "operand", None), timing="alu",
                   what=f"rd = {formula.replace('rs2', 'imm')}", source=source,
                   meaning=Meaning(re.sub(r"\bb\b", "i", value)))  # fmt: skip
    for name, funct3, funct7, formula, value in _OPERATIONS:
        yield row_of(name, "R", 0x33 | funct3 << 12 | funct7 << 25, with_funct7, extension="I",
                   roles=("result", "operand", "operand"), timing="alu",
                   what=f"rd = {formula}", source=source, meaning=Meaning(value))  # fmt: skip
    # The other fields of fence and fence.i are reserved; implementations ignore them.
    yield row_of("fence", "fence", 0x0F, with_funct3, extension="I", roles=(None, None, None),
               timing="fence", what="order memory accesses", source=source)  # fmt: skip
    yield row_of("fence.i", "fence", 0x100F, with_funct3, extension="Zifencei",
               roles=(None, None, None), timing="fence", what="order stores before fetches",
               source=f"{_UNPRIVILEGED}, chapter 3")  # fmt: skip


def _multiply() -> Iterator[Instruction]:
    for funct3, (name, timing, formula, value) in enumerate(_MULTIPLY):
        yield row_of(name, "R", 0x33 | funct3 << 12 | 1 << 25,
                   _OPCODE_MASK | _FUNCT3_MASK | _FUNCT7_MASK, extension="M",
                   roles=("result", "operand", "operand"), timing=timing,
                   what=f"rd = {formula}", source=f"{_UNPRIVILEGED}, chapter 7",
                   meaning=Meaning(value))  # fmt: skip


def _control_and_status() -> Iterator[Instruction]:
    mask = _OPCODE_MASK | _FUNCT3_MASK
    source = f"{_UNPRIVILEGED}, chapter 9"
    for funct3, name, value in ((1, "csrrw", ""), (2, "csrrs", "m | "), (3, "csrrc", "m & ~")):
        formula = value.replace("m", "csr")
        yield row_of(name, "csr", 0x73 | funct3 << 12, mask, extension="Zicsr",
                   roles=("result", "operand", None), timing="csr",
                   what=f"rd = csr, csr = {formula}rs1", source=source,
                   meaning=Meaning("m", stored=f"{value}a"))  # fmt: skip
        yield row_of(f"{name}i", "csri", 0x73 | (funct3 | 4) << 12, mask, extension="Zicsr",
                   roles=("result", None, None), timing="csr",
                   what=f"rd = csr, csr = {formula}imm", source=source,
                   meaning=Meaning("m", stored=f"{value}i"))  # fmt: skip


def _system() -> Iterator[Instruction]:
    for name, funct12, extension, what, source in _SYSTEM:
        yield row_of(name, "system", 0x73 | funct12 << 20, 0xFFFF_FFFF, extension=extension,
                   roles=(None, None, None), timing="system", what=what, source=source)  # fmt: skip
    yield row_of("amoswap.w", "amo", 0x0800_202F, _OPCODE_MASK | _FUNCT3_MASK | _FUNCT5_MASK,
               extension="A", roles=("result", "operand", "operand"), timing="amo",
               what="rd = word at rs1, word at rs1 = rs2",
               meaning=Meaning("m", address="a", size=4, stored="b"),
               source=f"{_UNPRIVILEGED}, chapter 8; {T13X} has no other atomic")  # fmt: skip


# New families go to the end: numbers of rows that exist do not change.
_FAMILIES = (
    _base, _multiply, _control_and_status, _system, vector_rows, optional_vector_rows
)  # fmt: skip
INSTRUCTIONS: tuple[Instruction, ...] = tuple(
    replace(row, number=position)
    for position, row in enumerate(row for family in _FAMILIES for row in family())
)
_BY_MNEMONIC = {row.mnemonic: row for row in INSTRUCTIONS}


def instruction(mnemonic: str) -> Instruction:
    """Return the row of a mnemonic.

    Raises:
        GnomonError: no such instruction.
    """
    row = _BY_MNEMONIC.get(mnemonic)
    if row is None:
        hint = did_you_mean(mnemonic, _BY_MNEMONIC)
        raise GnomonError(f"no instruction is called {mnemonic!r}{hint}")
    return row


def instructions(extensions: Collection[Extension] = ALL_EXTENSIONS) -> tuple[Instruction, ...]:
    """Return the rows of the enabled extensions, in table order.

    Raises:
        GnomonError: an extension that does not exist.
    """
    for name in extensions:
        if name not in get_args(Extension):
            hint = did_you_mean(name, get_args(Extension))
            known = ", ".join(get_args(Extension))
            raise GnomonError(f"no instruction extension is called {name!r}; known: {known}{hint}")
    return tuple(row for row in INSTRUCTIONS if row.extension in extensions)
