"""A minimal ELF32 file for a generated program: one header, one PT_LOAD per segment."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_EM_RISCV, _ET_EXEC, _PT_LOAD = 243, 2, 1
_EHSIZE, _PHENTSIZE = 52, 32


def write_elf(segments: Sequence[tuple[int, bytes]], entry: int = 0x80) -> bytes:
    """Return the bytes of an executable with the given (address, content) segments."""
    ident = b"\x7fELF" + bytes([1, 1, 1]) + bytes(9)
    header = ident + struct.pack(
        "<HHIIIIIHHHHHH",
        _ET_EXEC, _EM_RISCV, 1, entry, _EHSIZE, 0, 0, _EHSIZE, _PHENTSIZE, len(segments), 0, 0, 0,
    )  # fmt: skip
    offset = _EHSIZE + _PHENTSIZE * len(segments)
    table, body = b"", b""
    for address, content in segments:
        flags = 5 if address < 0x0010_0000 else 6
        table += struct.pack(
            "<IIIIIIII",
            _PT_LOAD, offset + len(body), address, address, len(content), len(content), flags, 4,
        )  # fmt: skip
        body += content + bytes(-len(content) % 4)
    return header + table + body
