"""Reader of ELF32 files and their symbol tables; the input is untrusted."""

from __future__ import annotations  # the reference shows them as they are written

import stat
import struct
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from gnomon.base.errors import visible
from gnomon.base.files import read_at_most
from gnomon.program._languages import not_built
from gnomon.program._program import ElfError, Program, Segment, Symbol, SymbolKind

_SECTION = struct.Struct("<10I")
_SYMBOL = struct.Struct("<IIIBBH")
_SHT_SYMTAB, _SHT_STRTAB = 2, 3
_UNDEFINED, _ABSOLUTE = 0, 0xFFF1
_KINDS: dict[int, SymbolKind] = {0: "none", 1: "object", 2: "function"}
_NAMES_LIMIT_BYTES = 64 << 20


class BrokenSymbolTableError(ValueError):
    """A symbol table that contradicts itself or the size of the file."""


def read_symbols(
    elf: bytes, sections_at: int, section_count: int, section_size: int
) -> tuple[Symbol, ...]:
    """Return every named address of the file, sorted by address and name; empty if stripped.

    Section names, file names, undefined symbols, and names that assemblers generate (``$x``,
    ``.L12``) are omitted.

    Raises:
        BrokenSymbolTableError: if a table, a name or an index lies outside the file.
    """
    if section_count == 0 or sections_at == 0:
        return ()
    if section_size != _SECTION.size:
        raise BrokenSymbolTableError(f"its section headers have {section_size} bytes, not 40")
    sections_end = sections_at + section_count * _SECTION.size
    if sections_end > len(elf):
        raise BrokenSymbolTableError("the section headers reach beyond the end of the file")
    sections = list(_SECTION.iter_unpack(elf[sections_at:sections_end]))
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
        name = visible(names[name_at:name_end].decode("utf-8", "backslashreplace"))
        if name and not name.startswith(("$", ".L")):
            local, absolute = info >> 4 == 0, section == _ABSOLUTE
            symbols.append(Symbol(name, address, length, kind, local=local, absolute=absolute))
    return tuple(sorted(symbols, key=lambda s: (s.address, s.name, s.size_bytes)))


FILE_LIMIT_BYTES = 64 << 20
ADDRESS_SPACE_BYTES = 1 << 32

_HEADER = struct.Struct("<16sHHIIIIIHHHHHH")
_SEGMENT = struct.Struct("<8I")
_PT_LOAD = 1
_PF_X, _PF_W = 1, 2
_RISC_V = 243
_EXECUTABLE = 2
_FLAG_FLOAT_ABI = 0x6
_TYPES = {
    0: "no type",
    1: "an object file; link it first",
    3: "a shared object or position-independent; link it with -no-pie -static",
    4: "a core dump",
}
_MACHINES = {
    3: "x86", 8: "MIPS", 20: "PowerPC", 21: "PowerPC64", 40: "Arm", 62: "x86-64", 83: "AVR",
    94: "Xtensa", 183: "AArch64", _RISC_V: "RISC-V",
}  # fmt: skip


class _Header(NamedTuple):
    ident: bytes
    type: int
    machine: int
    version: int
    entry: int
    segments_at: int
    sections_at: int
    flags: int
    header_size: int
    segment_size: int
    segment_count: int
    section_size: int
    section_count: int
    section_names: int


def load_elf(source: Path | str | bytes, name: str | None = None) -> Program:
    """Read an ELF32 little-endian RISC-V executable.

    The bytes of a segment are placed at their load address (``p_paddr``), the zeros after them at
    the run-time address (``p_vaddr``). ``name`` defaults to the stem of the file name.

    Raises:
        ElfError: if it is not such an executable; one line that starts with the path (or with
            ``name`` if bytes are given).
    """
    if isinstance(source, bytes):
        where = name or "<bytes>"
        elf = source
        if len(elf) > FILE_LIMIT_BYTES:
            raise ElfError(_describe_too_large(where, len(elf)))
        name = name or "program"
    else:
        where = str(source)
        elf = _read_file(Path(source))
        name = name or Path(source).stem
    header = _check_header(where, elf)
    segments = _read_segments(where, elf, header)
    try:
        symbols = read_symbols(elf, header.sections_at, header.section_count, header.section_size)
        symbols_error = None
    except BrokenSymbolTableError as broken:
        symbols, symbols_error = (), str(broken)
    return Program(
        name=name, elf=elf, entry=header.entry, segments=segments, symbols=symbols,
        symbols_error=symbols_error,
    )  # fmt: skip


def _describe_too_large(where: str, size_bytes: int) -> str:
    return f"{where}: {size_bytes} bytes is too large for a program (limit: 64 MiB)"


def _read_file(path: Path) -> bytes:
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise ElfError(f"{path}: is a folder, not an ELF file")
        if not stat.S_ISREG(status.st_mode):
            raise ElfError(f"{path}: is not a regular file")
        if status.st_size > FILE_LIMIT_BYTES:
            raise ElfError(_describe_too_large(str(path), status.st_size))
        with path.open("rb") as file:
            elf = read_at_most(file, FILE_LIMIT_BYTES + 1)
    except FileNotFoundError:
        raise ElfError(f"{path}: no such file") from None
    except OSError as error:
        raise ElfError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError:  # its text differs between versions of Python
        raise ElfError(f"{str(path)!r}: is not a file name: embedded null byte") from None
    if len(elf) > FILE_LIMIT_BYTES:
        raise ElfError(_describe_too_large(str(path), len(elf)))
    return elf


def _get_machine_name(number: int) -> str:
    return _MACHINES.get(number, f"machine number {number}")


def _check_header(where: str, elf: bytes) -> _Header:
    if elf[:4] != b"\x7fELF":
        raise ElfError(not_built(where) or f"{where}: not an ELF file")
    if len(elf) < _HEADER.size:
        raise ElfError(
            f"{where}: truncated: {len(elf)} bytes, the ELF header alone is {_HEADER.size}"
        )
    header = _Header(*_HEADER.unpack_from(elf))
    word_class, byte_order = header.ident[4], header.ident[5]
    if byte_order == 2:
        machine = int.from_bytes(elf[18:20], "big")
        raise ElfError(
            f"{where}: a big-endian program for {_get_machine_name(machine)};"
            " these machines are little-endian RISC-V"
        )
    if byte_order != 1:
        raise ElfError(f"{where}: unknown byte order {byte_order} in the ELF header")
    if word_class == 2:
        raise ElfError(
            f"{where}: a 64-bit program for {_get_machine_name(header.machine)};"
            " these machines are 32-bit RISC-V"
        )
    if word_class != 1:
        raise ElfError(f"{where}: unknown word class {word_class} in the ELF header")
    if header.machine != _RISC_V:
        raise ElfError(
            f"{where}: a program for {_get_machine_name(header.machine)}, not for RISC-V"
        )
    if header.type != _EXECUTABLE:
        kind = _TYPES.get(header.type, f"of ELF type {header.type}")
        raise ElfError(f"{where}: not an executable: {kind}")
    if header.flags & _FLAG_FLOAT_ABI:
        raise ElfError(
            f"{where}: built for floating-point registers; these machines have none:"
            " rebuild with -march=rv32im_zicsr -mabi=ilp32"
        )
    return header


def _read_segments(where: str, elf: bytes, header: _Header) -> tuple[Segment, ...]:
    if header.segment_count and header.segment_size != _SEGMENT.size:
        raise ElfError(
            f"{where}: program headers of {header.segment_size} bytes, must be {_SEGMENT.size}"
        )
    table_end = header.segments_at + header.segment_count * _SEGMENT.size
    if table_end > len(elf):
        raise ElfError(
            f"{where}: truncated: the program headers end at byte {table_end},"
            f" the file at byte {len(elf)}"
        )
    found: list[tuple[int, int, int, int, int, int]] = []
    for index in range(header.segment_count):
        kind, offset, virtual, address, file_size, memory_size, flags, _ = _SEGMENT.unpack_from(
            elf, header.segments_at + index * _SEGMENT.size
        )
        if kind != _PT_LOAD or (memory_size == 0 and file_size == 0):
            continue
        what = f"{where}: segment {index} at {address:#010x}"
        if offset + file_size > len(elf):
            raise ElfError(
                f"{what}: its data ends at byte {offset + file_size}, the file at byte {len(elf)}"
            )
        if file_size > memory_size:
            raise ElfError(f"{what}: {file_size} bytes of data in {memory_size} bytes of memory")
        for start, size in ((virtual, memory_size), (address, file_size)):
            if start + size > ADDRESS_SPACE_BYTES:
                raise ElfError(f"{what}: {size} bytes reach beyond the 4 GiB address space")
        found.append((address, virtual, offset, file_size, memory_size, flags))
    # Segments may share file bytes, so a small file could require many copies of itself.
    total = sum(each[3] for each in found)
    if total > FILE_LIMIT_BYTES:
        raise ElfError(f"{where}: {total} bytes of segment data is too large (limit: 64 MiB)")
    pieces = [
        Segment(at, data, size, executable=bool(flags & _PF_X), writable=bool(flags & _PF_W))
        for address, virtual, offset, file_size, memory_size, flags in found
        for at, data, size in _split_segment(
            address, virtual, elf[offset : offset + file_size], memory_size
        )
    ]
    if not pieces:
        raise ElfError(f"{where}: no loadable segment")
    pieces.sort(key=lambda piece: (piece.address, piece.size_bytes))
    _check_overlaps(where, pieces)
    return tuple(pieces)


def _split_segment(
    address: int, virtual: int, data: bytes, memory_size: int
) -> Iterator[tuple[int, bytes, int]]:
    """Yield address, data and size of the pieces that a program header places.

    Only the bytes of the file have a load address (``p_paddr``). The zeros after them have the
    run-time address (``p_vaddr``), because start-up code clears them there.
    """
    if address == virtual:
        yield address, data, memory_size
        return
    if data:
        yield address, data, len(data)
    if memory_size > len(data):
        yield virtual + len(data), b"", memory_size - len(data)


def _check_overlaps(where: str, pieces: list[Segment]) -> None:
    """Reject a piece with bytes of the file that overlaps another such piece.

    Pieces of zeros only require memory: a stack may overlap the load address of data.
    """
    loaded = [piece for piece in pieces if piece.data]
    for one, other in pairwise(loaded):
        if one.end > other.address:
            raise ElfError(
                f"{where}: the segments at {one.address:#010x} ({one.size_bytes} bytes) and"
                f" {other.address:#010x} overlap"
            )
