"""Segments and symbols of a reference ELF, for the oracle and for finding measured bodies."""

from __future__ import annotations

import io
from dataclasses import dataclass

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection


@dataclass(frozen=True)
class ElfImage:
    segments: list[tuple[int, bytes]]
    symbols: dict[str, int]


def read_elf(elf_bytes: bytes) -> ElfImage:
    """Read every PT_LOAD segment at its physical address, and the symbol table."""
    elf = ELFFile(io.BytesIO(elf_bytes))
    segments = [
        (segment["p_paddr"], segment.data())
        for segment in elf.iter_segments()
        if segment["p_type"] == "PT_LOAD"
    ]
    symbols = {}
    for section in elf.iter_sections():
        if isinstance(section, SymbolTableSection):
            symbols.update({s.name: s["st_value"] for s in section.iter_symbols() if s.name})
    return ElfImage(segments, symbols)
