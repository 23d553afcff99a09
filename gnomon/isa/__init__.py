"""The instruction set: one table, and what is derived from it."""

from typing import TYPE_CHECKING

from gnomon.base.late import late
from gnomon.isa._compressed import size_bytes
from gnomon.isa._decode import Decoded, decode_words, disassemble, fetched_words
from gnomon.isa._encode import encode
from gnomon.isa._instruction import CSR_ADDRESS, Instruction

if TYPE_CHECKING:
    from gnomon.isa._assemble import assemble
    from gnomon.isa._header import vcu_header
    from gnomon.isa._operations import operations_header
else:  # what runs do not need
    __getattr__ = late(__name__, {
        "assemble": "_assemble", "operations_header": "_operations", "vcu_header": "_header",
    })  # fmt: skip

__all__ = [
    "CSR_ADDRESS", "Decoded", "Instruction", "assemble", "decode_words", "disassemble", "encode",
    "fetched_words", "operations_header", "size_bytes", "vcu_header",
]  # fmt: skip
