"""The instruction set: one table, and what is derived from it."""

from __future__ import annotations

from gnomon.isa._assemble import assemble
from gnomon.isa._csrs import CSR_ADDRESS
from gnomon.isa._decode import Decoded, decode, decode_words, disassemble
from gnomon.isa._encode import ABI_NAMES, encode
from gnomon.isa._header import rtl_package, vcu_header
from gnomon.isa._instruction import Extension, Instruction, IsaError
from gnomon.isa._table import (
    ALL_EXTENSIONS,
    INSTRUCTIONS,
    OPTIONAL_EXTENSIONS,
    instruction,
    instructions,
    number,
)

__all__ = [
    "ABI_NAMES", "ALL_EXTENSIONS", "CSR_ADDRESS", "INSTRUCTIONS", "OPTIONAL_EXTENSIONS",
    "Decoded", "Extension", "Instruction", "IsaError", "assemble", "decode", "decode_words",
    "disassemble", "encode", "instruction", "instructions", "number", "rtl_package",
    "vcu_header",
]  # fmt: skip
