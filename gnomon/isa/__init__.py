"""The instruction set: one table, and everything derived from it."""

from gnomon.isa._assemble import assemble
from gnomon.isa._compressed import size_bytes
from gnomon.isa._decode import Decoded, decode_word, decode_words, disassemble, fetched_words
from gnomon.isa._encode import ABI_NAMES, REGISTER_OF_NAME, encode, encode_row
from gnomon.isa._header import vcu_header
from gnomon.isa._instruction import (
    CSR_ADDRESS,
    INSTRUCTIONS,
    STANDARD_CSRS,
    Instruction,
    Meaning,
    Role,
    find_instruction,
    list_instructions,
)
from gnomon.isa._operations import meaning_in_c, operations_header

__all__ = [
    "ABI_NAMES", "CSR_ADDRESS", "INSTRUCTIONS", "REGISTER_OF_NAME", "STANDARD_CSRS", "Decoded",
    "Instruction", "Meaning", "Role", "assemble", "decode_word", "decode_words", "disassemble",
    "encode", "encode_row", "fetched_words", "find_instruction",
    "list_instructions", "meaning_in_c", "operations_header", "size_bytes", "vcu_header",
]  # fmt: skip
