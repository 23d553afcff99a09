"""The instruction set: one table, and what is derived from it."""

from gnomon.isa._assemble import assemble
from gnomon.isa._compressed import size_bytes
from gnomon.isa._decode import Decoded, decode_words, disassemble, fetched_words
from gnomon.isa._encode import encode
from gnomon.isa._header import vcu_header
from gnomon.isa._instruction import CSR_ADDRESS, Instruction
from gnomon.isa._operations import operations_header

__all__ = [
    "CSR_ADDRESS", "Decoded", "Instruction", "assemble", "decode_words", "disassemble", "encode",
    "fetched_words", "operations_header", "size_bytes", "vcu_header",
]  # fmt: skip
