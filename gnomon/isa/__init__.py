"""The instruction set: one table, and what is derived from it."""

from __future__ import annotations

from gnomon.isa._decode import DECODED_DTYPE, Decoded, decode, decode_words
from gnomon.isa._encode import encode
from gnomon.isa._instruction import Extension, Format, Instruction, IsaError, Role, TimingClass
from gnomon.isa._table import ALL_EXTENSIONS, INSTRUCTIONS, instruction, instructions, number

__all__ = [
    "ALL_EXTENSIONS",
    "DECODED_DTYPE",
    "INSTRUCTIONS",
    "Decoded",
    "Extension",
    "Format",
    "Instruction",
    "IsaError",
    "Role",
    "TimingClass",
    "decode",
    "decode_words",
    "encode",
    "instruction",
    "instructions",
    "number",
]
