"""Reads the symbol table of an ELF32 file, trusting nothing in it."""

from __future__ import annotations

import struct

from gnomon.program._program import Symbol, SymbolKind

_SECTION = struct.Struct("<10I")
_SYMBOL = struct.Struct("<IIIBBH")
_SHT_SYMTAB, _SHT_STRTAB = 2, 3
_UNDEFINED = 0
_KINDS: dict[int, SymbolKind] = {0: "none", 1: "object", 2: "function"}
_NAMES_LIMIT_BYTES = 64 << 20


class BrokenSymbolTableError(ValueError):
    """The symbol table contradicts itself or the size of the file."""


def read_symbols(
    elf: bytes, sections_at: int, section_count: int, section_size: int
) -> tuple[Symbol, ...]:
    """Every named address of the file, sorted by address and name; empty if stripped.

    Left out are section and file names, undefined symbols, and the names that assemblers make
    (``$x``, ``.L12``).

    Raises:
        BrokenSymbolTableError: a table, a name or an index lies outside the file.
    """
    if section_count == 0 or sections_at == 0:
        return ()
    if section_size != _SECTION.size:
        raise BrokenSymbolTableError(f"its section headers have {section_size} bytes, not 40")
    sections = [
        _unpack(elf, _SECTION, sections_at + index * _SECTION.size, "the section headers")
        for index in range(section_count)
    ]
    table = next((s for s in sections if s[1] == _SHT_SYMTAB), None)
    if table is None:
        return ()
    _, _, _, _, offset, size, names_index, _, _, entry_size = table
    if entry_size != _SYMBOL.size or size % _SYMBOL.size:
        raise BrokenSymbolTableError(
            f"its symbol table has {size} bytes in entries of {entry_size}, not {_SYMBOL.size}"
        )
    if offset + size > len(elf):
        raise BrokenSymbolTableError("its symbol table reaches beyond the end of the file")
    if names_index >= section_count or sections[names_index][1] != _SHT_STRTAB:
        raise BrokenSymbolTableError(f"section {names_index} is not a table of names")
    names_at, names_size = sections[names_index][4:6]
    if names_at + names_size > len(elf):
        raise BrokenSymbolTableError("its table of names reaches beyond the end of the file")
    names = elf[names_at : names_at + names_size]
    symbols: list[Symbol] = []
    names_total = 0
    for name_at, address, length, info, _, section in _SYMBOL.iter_unpack(
        elf[offset : offset + size]
    ):
        kind = _KINDS.get(info & 0xF)
        if kind is None or section == _UNDEFINED or name_at == 0:
            continue
        name_end = names.find(b"\0", name_at)
        if name_at >= names_size or name_end < 0:
            raise BrokenSymbolTableError(f"a name at byte {name_at} of {names_size} has no end")
        names_total += name_end - name_at  # names may overlap, so they can outgrow the file
        if names_total > _NAMES_LIMIT_BYTES:
            raise BrokenSymbolTableError("its names are longer than 64 MiB in total")
        name = names[name_at:name_end].decode("utf-8", "backslashreplace")
        if name and not name.startswith(("$", ".L")):
            symbols.append(Symbol(name, address, length, kind, local=info >> 4 == 0))
    return tuple(sorted(symbols, key=lambda s: (s.address, s.name, s.size_bytes)))


def _unpack(elf: bytes, layout: struct.Struct, offset: int, what: str) -> tuple[int, ...]:
    if offset + layout.size > len(elf):
        raise BrokenSymbolTableError(f"{what} reach beyond the end of the file")
    return layout.unpack_from(elf, offset)
