"""The instruction table: the one place that knows encodings.

Encoder, decoder, disassembler, assembler, the C header and the engine read it; the number of a
row is the engine's operation number.

Adding a vector family: name it in ``Extension``, add a function that returns its rows, append it
to ``_FAMILIES``. Functions that scan the table take the set of enabled extensions.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, get_args

from gnomon.base.errors import did_you_mean
from gnomon.isa._instruction import Extension, Format, Instruction, IsaError, Role, TimingClass

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

OPTIONAL_EXTENSIONS: frozenset[Extension] = frozenset({"kdiv", "kps", "kdivps"})
"""Vector instructions that a machine has only if its ``vcu.extensions`` says so."""

ALL_EXTENSIONS: frozenset[Extension] = frozenset(get_args(Extension)) - OPTIONAL_EXTENSIONS
"""All of the public T13x RTL: what is decoded where nothing else is said."""

_UNPRIVILEGED = "RISC-V Unprivileged ISA 20191213"
_PRIVILEGED = "RISC-V Privileged Architecture 20211203"
_T13X = "Klessydra T13x RTL c2c62163"
_TOOLCHAIN = "Klessydra Morph RTL e3f0dcbd and the opcode list of klessydra/HDCU 6bb4ae1c"
_PROPOSAL = "proposal of gnomon, in no published core"

_OPCODE_MASK = 0x0000_007F
_FUNCT3_MASK = 0x0000_7000
_FUNCT7_MASK = 0xFE00_0000
_FUNCT5_MASK = 0xF800_0000
_KDSP_FUNCT3 = 2 << 12  # customary; the hardware does not look at it

_Roles = tuple[Role | None, Role | None, Role | None]

_UPPER_AND_JUMP: tuple[tuple[str, Format, int, TimingClass, str], ...] = (
    ("lui", "U", 0x37, "alu", "rd = imm"),
    ("auipc", "U", 0x17, "alu", "rd = pc + imm"),
    ("jal", "J", 0x6F, "jump", "rd = pc + 4, pc += imm"),
    ("jalr", "I", 0x67, "jump", "rd = pc + 4, pc = (rs1 + imm) & ~1"),
)
_BRANCHES = (
    ("beq", 0, "rs1 == rs2"),
    ("bne", 1, "rs1 != rs2"),
    ("blt", 4, "rs1 < rs2, signed"),
    ("bge", 5, "rs1 >= rs2, signed"),
    ("bltu", 6, "rs1 < rs2, unsigned"),
    ("bgeu", 7, "rs1 >= rs2, unsigned"),
)
_LOADS = (
    ("lb", 0, "byte, sign-extended"),
    ("lh", 1, "half-word, sign-extended"),
    ("lw", 2, "word"),
    ("lbu", 4, "byte, zero-extended"),
    ("lhu", 5, "half-word, zero-extended"),
)
_STORES = (("sb", 0, "byte"), ("sh", 1, "half-word"), ("sw", 2, "word"))
_OPERATIONS = (
    ("add", 0, 0, "rs1 + rs2"),
    ("sub", 0, 0x20, "rs1 - rs2"),
    ("sll", 1, 0, "rs1 << rs2"),
    ("slt", 2, 0, "rs1 < rs2, signed"),
    ("sltu", 3, 0, "rs1 < rs2, unsigned"),
    ("xor", 4, 0, "rs1 ^ rs2"),
    ("srl", 5, 0, "rs1 >> rs2, zero fill"),
    ("sra", 5, 0x20, "rs1 >> rs2, sign fill"),
    ("or", 6, 0, "rs1 | rs2"),
    ("and", 7, 0, "rs1 & rs2"),
)
_MULTIPLY: tuple[tuple[str, TimingClass, str], ...] = (
    ("mul", "mul", "low word of rs1 * rs2"),
    ("mulh", "mulh", "high word of rs1 * rs2, signed"),
    ("mulhsu", "mulh", "high word of rs1 * rs2, rs2 unsigned"),
    ("mulhu", "mulh", "high word of rs1 * rs2, unsigned"),
    ("div", "div", "rs1 / rs2, signed; -1 if rs2 = 0"),
    ("divu", "div", "rs1 / rs2, unsigned; all ones if rs2 = 0"),
    ("rem", "div", "rs1 % rs2, signed; rs1 if rs2 = 0"),
    ("remu", "div", "rs1 % rs2, unsigned; rs1 if rs2 = 0"),
)
_SYSTEM: tuple[tuple[str, int, Extension, str, str], ...] = (
    ("ecall", 0x000, "I", "trap to the environment", f"{_UNPRIVILEGED}, chapter 2"),
    ("ebreak", 0x001, "I", "trap to the debugger", f"{_UNPRIVILEGED}, chapter 2"),
    ("mret", 0x302, "machine", "return from a machine-mode trap", f"{_PRIVILEGED}, section 3.3"),
    ("wfi", 0x105, "machine", "wait for an interrupt", f"{_PRIVILEGED}, section 3.3"),
)
_TRANSFERS: tuple[tuple[str, int, Role, Role, str], ...] = (
    ("kmemld", 0, "spm_vector", "memory_address",
     "copy rs2 bytes from memory at rs1 to the scratchpad at rd"),
    ("kmemstr", 1, "memory_address", "spm_vector",
     "copy rs2 bytes, rounded up to words, from the scratchpad at rs1 to memory at rd"),
    ("kbcastld", 2, "spm_vector", "memory_address",
     "kmemld into the scratchpads of every accelerator replica"),
)  # fmt: skip
_VECTOR: Final = "spm_vector"
_WORD: Final = "spm_word"
_VECTOR_OPERATIONS: tuple[tuple[str, int, Role, Role, Role | None, str], ...] = (
    ("kaddv", 1, _VECTOR, _VECTOR, _VECTOR, "rd[i] = rs1[i] + rs2[i], wraps"),
    ("ksubv", 2, _VECTOR, _VECTOR, _VECTOR, "rd[i] = rs1[i] - rs2[i], wraps"),
    ("kvmul", 4, _VECTOR, _VECTOR, _VECTOR, "rd[i] = low bits of rs1[i] * rs2[i]"),
    ("kvred", 6, _WORD, _VECTOR, None, "word at rd = sum of rs1[i]"),
    ("kdotp", 8, _WORD, _VECTOR, _VECTOR, "word at rd = sum of rs1[i] * rs2[i]"),
    ("ksvaddsc", 12, _VECTOR, _VECTOR, "spm_scalar", "rd[i] = rs1[i] + that at rs2, wraps"),
    ("ksvaddrf", 13, _VECTOR, _VECTOR, "register_scalar", "rd[i] = rs1[i] + rs2, wraps"),
    ("ksvmulsc", 14, _VECTOR, _VECTOR, "spm_scalar", "rd[i] = low bits of rs1[i] * that at rs2"),
    ("ksvmulrf", 15, _VECTOR, _VECTOR, "register_scalar", "rd[i] = low bits of rs1[i] * rs2"),
    ("ksrav", 16, _VECTOR, _VECTOR, "shift_amount", "rd[i] = rs1[i] >> rs2, sign fill"),
    ("ksrlv", 17, _VECTOR, _VECTOR, "shift_amount", "rd[i] = rs1[i] >> rs2, zero fill"),
    ("krelu", 24, _VECTOR, _VECTOR, None, "rd[i] = max(rs1[i], 0)"),
    ("kdotpps", 25, _WORD, _VECTOR, _VECTOR, "word at rd = sum of (rs1[i] * rs2[i] >> MPSCLFAC)"),
    ("kvslt", 26, _VECTOR, _VECTOR, _VECTOR, "rd[i] = rs1[i] < rs2[i] ? 1 : 0, signed"),
    ("ksvslt", 28, _VECTOR, _VECTOR, "register_scalar", "rd[i] = rs1[i] < rs2 ? 1 : 0, signed"),
    ("kbcast", 30, _VECTOR, "register_scalar", None, "rd[i] = low bits of rs1"),
    ("kvcp", 31, _VECTOR, _VECTOR, None, "rd[i] = rs1[i]"),
)
_SCALAR_IN_SPM: Final = "spm_scalar"
_SCALAR: Final = "register_scalar"
_OPTIONAL_OPERATIONS: tuple[tuple[str, int, Extension, Role, str], ...] = (
    ("kvdiv", 32, "kdiv", _VECTOR, "rd[i] = rs1[i] / rs2[i], towards zero"),
    ("ksvdivsc", 33, "kdiv", _SCALAR_IN_SPM, "rd[i] = rs1[i] / that at rs2, towards zero"),
    ("ksvdivrf", 34, "kdiv", _SCALAR, "rd[i] = rs1[i] / rs2, towards zero"),
    ("kvrem", 35, "kdiv", _VECTOR, "rd[i] = rs1[i] % rs2[i]"),
    ("ksvremsc", 36, "kdiv", _SCALAR_IN_SPM, "rd[i] = rs1[i] % that at rs2"),
    ("ksvremrf", 37, "kdiv", _SCALAR, "rd[i] = rs1[i] % rs2"),
    ("kvmulps", 39, "kps", _VECTOR, "rd[i] = low bits of (rs1[i] * rs2[i] >> post-scale)"),
    ("ksvmulpssc", 40, "kps", _SCALAR_IN_SPM,
     "rd[i] = low bits of (rs1[i] * that at rs2 >> post-scale)"),
    ("ksvmulpsrf", 41, "kps", _SCALAR, "rd[i] = low bits of (rs1[i] * rs2 >> post-scale)"),
    # 112 and up: far from what the toolchain has used so far, 1 to 42.
    ("kvdivps", 112, "kdivps", _VECTOR, "rd[i] = (rs1[i] << MPSCLFAC) / rs2[i], saturates"),
    ("ksvdivpssc", 113, "kdivps", _SCALAR_IN_SPM,
     "rd[i] = (rs1[i] << MPSCLFAC) / that at rs2, saturates"),
    ("ksvdivpsrf", 114, "kdivps", _SCALAR, "rd[i] = (rs1[i] << MPSCLFAC) / rs2, saturates"),
)  # fmt: skip


def _row(
    mnemonic: str,
    layout: Format,
    match: int,
    mask: int,
    *,
    extension: Extension,
    roles: _Roles,
    timing: TimingClass,
    what: str,
    source: str,
    customary: int = 0,
) -> Instruction:
    rd, rs1, rs2 = roles
    return Instruction(
        number=-1, mnemonic=mnemonic, format=layout, match=match, mask=mask,
        template=match | customary, extension=extension, rd=rd, rs1=rs1, rs2=rs2,
        timing_class=timing, description=what, source=source,
    )  # fmt: skip


def _base() -> Iterator[Instruction]:
    source = f"{_UNPRIVILEGED}, chapter 2"
    only_opcode, with_funct3 = _OPCODE_MASK, _OPCODE_MASK | _FUNCT3_MASK
    with_funct7 = with_funct3 | _FUNCT7_MASK
    for name, layout, opcode, timing, what in _UPPER_AND_JUMP:
        roles: _Roles = ("result", "operand" if name == "jalr" else None, None)
        mask = with_funct3 if name == "jalr" else only_opcode
        yield _row(name, layout, opcode, mask, extension="I", roles=roles, timing=timing,
                   what=what, source=source)  # fmt: skip
    for name, funct3, relation in _BRANCHES:
        yield _row(name, "B", 0x63 | funct3 << 12, with_funct3, extension="I",
                   roles=(None, "operand", "operand"), timing="branch",
                   what=f"if {relation}: pc += imm", source=source)  # fmt: skip
    for name, funct3, thing in _LOADS:
        yield _row(name, "I", 0x03 | funct3 << 12, with_funct3, extension="I",
                   roles=("result", "operand", None), timing="load",
                   what=f"rd = {thing} at rs1 + imm", source=source)  # fmt: skip
    for name, funct3, thing in _STORES:
        yield _row(name, "S", 0x23 | funct3 << 12, with_funct3, extension="I",
                   roles=(None, "operand", "operand"), timing="store",
                   what=f"{thing} at rs1 + imm = rs2", source=source)  # fmt: skip
    for name, funct3, funct7, formula in _OPERATIONS:
        if name == "sub":
            continue  # there is no subi: addi takes a negative immediate
        shift = name in ("sll", "srl", "sra")
        yield _row("sltiu" if name == "sltu" else f"{name}i", "shift" if shift else "I",
                   0x13 | funct3 << 12 | funct7 << 25, with_funct7 if shift else with_funct3,
                   extension="I", roles=("result", "operand", None), timing="alu",
                   what=f"rd = {formula.replace('rs2', 'imm')}", source=source)  # fmt: skip
    for name, funct3, funct7, formula in _OPERATIONS:
        yield _row(name, "R", 0x33 | funct3 << 12 | funct7 << 25, with_funct7, extension="I",
                   roles=("result", "operand", "operand"), timing="alu",
                   what=f"rd = {formula}", source=source)  # fmt: skip
    # The other fields of fence and fence.i are reserved; implementations ignore them.
    yield _row("fence", "fence", 0x0F, with_funct3, extension="I", roles=(None, None, None),
               timing="fence", what="order memory accesses", source=source)  # fmt: skip
    yield _row("fence.i", "fence", 0x100F, with_funct3, extension="Zifencei",
               roles=(None, None, None), timing="fence", what="order stores before fetches",
               source=f"{_UNPRIVILEGED}, chapter 3")  # fmt: skip


def _multiply() -> Iterator[Instruction]:
    for funct3, (name, timing, formula) in enumerate(_MULTIPLY):
        yield _row(name, "R", 0x33 | funct3 << 12 | 1 << 25,
                   _OPCODE_MASK | _FUNCT3_MASK | _FUNCT7_MASK, extension="M",
                   roles=("result", "operand", "operand"), timing=timing,
                   what=f"rd = {formula}", source=f"{_UNPRIVILEGED}, chapter 7")  # fmt: skip


def _control_and_status() -> Iterator[Instruction]:
    mask = _OPCODE_MASK | _FUNCT3_MASK
    source = f"{_UNPRIVILEGED}, chapter 9"
    for funct3, name, value in ((1, "csrrw", ""), (2, "csrrs", "csr | "), (3, "csrrc", "csr & ~")):
        yield _row(name, "csr", 0x73 | funct3 << 12, mask, extension="Zicsr",
                   roles=("result", "operand", None), timing="csr",
                   what=f"rd = csr, csr = {value}rs1", source=source)  # fmt: skip
        yield _row(f"{name}i", "csri", 0x73 | (funct3 | 4) << 12, mask, extension="Zicsr",
                   roles=("result", None, None), timing="csr",
                   what=f"rd = csr, csr = {value}imm", source=source)  # fmt: skip


def _system() -> Iterator[Instruction]:
    for name, funct12, extension, what, source in _SYSTEM:
        yield _row(name, "system", 0x73 | funct12 << 20, 0xFFFF_FFFF, extension=extension,
                   roles=(None, None, None), timing="system", what=what, source=source)  # fmt: skip
    yield _row("amoswap.w", "amo", 0x0800_202F, _OPCODE_MASK | _FUNCT3_MASK | _FUNCT5_MASK,
               extension="A", roles=("result", "operand", "operand"), timing="amo",
               what="rd = word at rs1, word at rs1 = rs2",
               source=f"{_UNPRIVILEGED}, chapter 8; {_T13X} has no other atomic")  # fmt: skip


def _vector() -> Iterator[Instruction]:
    mask = _OPCODE_MASK | _FUNCT7_MASK  # the hardware ignores funct3
    for name, funct7, rd, rs1, what in _TRANSFERS:
        yield _row(name, "kmem", 0x0B | funct7 << 25, mask, extension="kmem",
                   roles=(rd, rs1, "byte_count"), timing="kmem", what=what,
                   source=f"{_T13X}, KMEM funct7 {funct7}")  # fmt: skip
    for name, funct7, rd, rs1, rs2, what in _VECTOR_OPERATIONS:
        yield _row(name, "kdsp", 0x2B | funct7 << 25, mask, extension="kdsp",
                   roles=(rd, rs1, rs2), timing="kdsp", what=what,
                   source=f"{_T13X}, KDSP funct7 {funct7}", customary=_KDSP_FUNCT3)  # fmt: skip


def _optional_vector() -> Iterator[Instruction]:
    for name, funct7, extension, rs2, what in _OPTIONAL_OPERATIONS:
        source = _PROPOSAL if extension == "kdivps" else _TOOLCHAIN
        yield _row(name, "kdsp", 0x2B | funct7 << 25, _OPCODE_MASK | _FUNCT7_MASK,
                   extension=extension, roles=(_VECTOR, _VECTOR, rs2), timing="kdsp", what=what,
                   source=f"{source}, KDSP funct7 {funct7}", customary=_KDSP_FUNCT3)  # fmt: skip


# New families go to the end: numbers of rows that exist do not change.
_FAMILIES = (_base, _multiply, _control_and_status, _system, _vector, _optional_vector)
INSTRUCTIONS: tuple[Instruction, ...] = tuple(
    replace(row, number=position)
    for position, row in enumerate(row for family in _FAMILIES for row in family())
)
_BY_MNEMONIC = {row.mnemonic: row for row in INSTRUCTIONS}


def instruction(mnemonic: str) -> Instruction:
    """Return the row of a mnemonic.

    Raises:
        IsaError: no such instruction.
    """
    row = _BY_MNEMONIC.get(mnemonic)
    if row is None:
        hint = did_you_mean(mnemonic, _BY_MNEMONIC)
        raise IsaError(f"no instruction is called {mnemonic!r}{hint}")
    return row


def number(mnemonic: str) -> int:
    """Return the operation number of a mnemonic: its index in ``INSTRUCTIONS``.

    Raises:
        IsaError: no such instruction.
    """
    return instruction(mnemonic).number


def instructions(extensions: Collection[Extension] = ALL_EXTENSIONS) -> tuple[Instruction, ...]:
    """Return the rows of the enabled extensions, in table order.

    Raises:
        IsaError: an extension that does not exist.
    """
    for name in extensions:
        if name not in get_args(Extension):
            hint = did_you_mean(name, get_args(Extension))
            known = ", ".join(get_args(Extension))
            raise IsaError(f"no instruction extension is called {name!r}; known: {known}{hint}")
    return tuple(row for row in INSTRUCTIONS if row.extension in extensions)
