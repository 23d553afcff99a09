"""The vector instructions of the instruction table."""

from collections.abc import Iterator
from typing import Final

from gnomon.isa._instruction import Extension, Instruction, Meaning, Role, row_of

T13X: Final = "Klessydra T13x RTL c2c62163"
_TOOLCHAIN = "Klessydra Morph RTL e3f0dcbd and the opcode list of klessydra/HDCU 6bb4ae1c"
_PROPOSAL = "proposal of gnomon, in no published core"
_MASK: Final = 0xFE00_007F  # opcode and funct7: the hardware ignores funct3
_FUNCT3 = 2 << 12  # customary

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
_VECTOR_OPERATIONS: tuple[tuple[str, int, Role, Role, Role | None, str, str], ...] = (
    ("kaddv", 1, _VECTOR, _VECTOR, _VECTOR, "rd[i] = rs1[i] + rs2[i], wraps", "x + y"),
    ("ksubv", 2, _VECTOR, _VECTOR, _VECTOR, "rd[i] = rs1[i] - rs2[i], wraps", "x - y"),
    ("kvmul", 4, _VECTOR, _VECTOR, _VECTOR, "rd[i] = low bits of rs1[i] * rs2[i]", "x * y"),
    ("kvred", 6, _WORD, _VECTOR, None, "word at rd = sum of rs1[i]", "x"),
    ("kdotp", 8, _WORD, _VECTOR, _VECTOR, "word at rd = sum of rs1[i] * rs2[i]", "x * y"),
    ("ksvaddsc", 12, _VECTOR, _VECTOR, "spm_scalar",
     "rd[i] = rs1[i] + that at rs2, wraps", "x + y"),
    ("ksvaddrf", 13, _VECTOR, _VECTOR, "register_scalar", "rd[i] = rs1[i] + rs2, wraps", "x + y"),
    ("ksvmulsc", 14, _VECTOR, _VECTOR, "spm_scalar",
     "rd[i] = low bits of rs1[i] * that at rs2", "x * y"),
    ("ksvmulrf", 15, _VECTOR, _VECTOR, "register_scalar",
     "rd[i] = low bits of rs1[i] * rs2", "x * y"),
    ("ksrav", 16, _VECTOR, _VECTOR, "shift_amount",
     "rd[i] = rs1[i] >> rs2, sign fill", "signed(x) >> (n & 31)"),
    ("ksrlv", 17, _VECTOR, _VECTOR, "shift_amount",
     "rd[i] = rs1[i] >> rs2, zero fill", "x >> (n & 31)"),
    ("krelu", 24, _VECTOR, _VECTOR, None, "rd[i] = max(rs1[i], 0)", "0 if x >> 31 else x"),
    ("kdotpps", 25, _WORD, _VECTOR, _VECTOR,
     "word at rd = sum of (rs1[i] * rs2[i] >> MPSCLFAC)", "signed(x * y) >> (n & 31)"),
    ("kvslt", 26, _VECTOR, _VECTOR, _VECTOR,
     "rd[i] = rs1[i] < rs2[i] ? 1 : 0, signed", "signed(x) < signed(y)"),
    ("ksvslt", 28, _VECTOR, _VECTOR, "register_scalar",
     "rd[i] = rs1[i] < rs2 ? 1 : 0, signed", "signed(x) < signed(y)"),
    ("kbcast", 30, _VECTOR, "register_scalar", None, "rd[i] = low bits of rs1", "x"),
    ("kvcp", 31, _VECTOR, _VECTOR, None, "rd[i] = rs1[i]", "x"),
)  # fmt: skip
_SCALAR_IN_SPM: Final = "spm_scalar"
_SCALAR: Final = "register_scalar"
_SCALED: Final = "signed_wide(x) * signed_wide(y) >> (n & 31)"
_SHIFTED: Final = "div_shifted(x, y, n & 31)"
_OPTIONAL_OPERATIONS: tuple[tuple[str, int, Extension, Role, str, str], ...] = (
    ("kvdiv", 32, "kdiv", _VECTOR, "rd[i] = rs1[i] / rs2[i], towards zero", "div(x, y)"),
    ("ksvdivsc", 33, "kdiv", _SCALAR_IN_SPM, "rd[i] = rs1[i] / that at rs2, towards zero",
     "div(x, y)"),
    ("ksvdivrf", 34, "kdiv", _SCALAR, "rd[i] = rs1[i] / rs2, towards zero", "div(x, y)"),
    ("kvrem", 35, "kdiv", _VECTOR, "rd[i] = rs1[i] % rs2[i]", "rem(x, y)"),
    ("ksvremsc", 36, "kdiv", _SCALAR_IN_SPM, "rd[i] = rs1[i] % that at rs2", "rem(x, y)"),
    ("ksvremrf", 37, "kdiv", _SCALAR, "rd[i] = rs1[i] % rs2", "rem(x, y)"),
    ("kvmulps", 39, "kps", _VECTOR, "rd[i] = low bits of (rs1[i] * rs2[i] >> post-scale)",
     _SCALED),
    ("ksvmulpssc", 40, "kps", _SCALAR_IN_SPM,
     "rd[i] = low bits of (rs1[i] * that at rs2 >> post-scale)", _SCALED),
    ("ksvmulpsrf", 41, "kps", _SCALAR, "rd[i] = low bits of (rs1[i] * rs2 >> post-scale)",
     _SCALED),
    # 112 and up: far from what the toolchain has used so far, 1 to 42.
    ("kvdivps", 112, "kdivps", _VECTOR, "rd[i] = (rs1[i] << MPSCLFAC) / rs2[i], saturates",
     _SHIFTED),
    ("ksvdivpssc", 113, "kdivps", _SCALAR_IN_SPM,
     "rd[i] = (rs1[i] << MPSCLFAC) / that at rs2, saturates", _SHIFTED),
    ("ksvdivpsrf", 114, "kdivps", _SCALAR, "rd[i] = (rs1[i] << MPSCLFAC) / rs2, saturates",
     _SHIFTED),
)  # fmt: skip


def vector_rows() -> Iterator[Instruction]:
    for name, funct7, rd, rs1, what in _TRANSFERS:
        yield row_of(name, "kmem", 0x0B | funct7 << 25, _MASK, extension="kmem",
                   roles=(rd, rs1, "byte_count"), timing="kmem", what=what,
                   source=f"{T13X}, KMEM funct7 {funct7}")  # fmt: skip
    for name, funct7, rd, rs1, rs2, what, element in _VECTOR_OPERATIONS:
        yield row_of(name, "kdsp", 0x2B | funct7 << 25, _MASK, extension="kdsp",
                   roles=(rd, rs1, rs2), timing="kdsp", what=what,
                   source=f"{T13X}, KDSP funct7 {funct7}", customary=_FUNCT3,
                   meaning=Meaning(element=element))  # fmt: skip


def optional_vector_rows() -> Iterator[Instruction]:
    """Yield those that a machine has only if its description says so."""
    for name, funct7, extension, rs2, what, element in _OPTIONAL_OPERATIONS:
        source = _PROPOSAL if extension == "kdivps" else _TOOLCHAIN
        yield row_of(name, "kdsp", 0x2B | funct7 << 25, _MASK,
                   extension=extension, roles=(_VECTOR, _VECTOR, rs2), timing="kdsp", what=what,
                   source=f"{source}, KDSP funct7 {funct7}", customary=_FUNCT3,
                   meaning=Meaning(element=element))  # fmt: skip
