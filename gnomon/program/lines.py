"""Source file and line of each instruction, from debug information."""

from __future__ import annotations

import io
import posixpath
from bisect import bisect_right
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from gnomon.program._program import Program

if TYPE_CHECKING:
    from elftools.dwarf.dwarfinfo import DWARFInfo


class SourceLine(NamedTuple):
    """A line of a source file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def source_lines(program: Program, addresses: list[int]) -> list[SourceLine | None]:
    """Return the line each address was compiled from; None if it is unknown.

    A program without debug information, or with damaged information, has no lines; it still runs.
    """
    try:
        rows = sorted(_read_rows(program))
    except Exception:  # noqa: BLE001 - the reader's errors on damaged bytes are of any kind
        rows = []
    files: dict[str, set[str]] = {}
    for row in rows:
        files.setdefault(row[2], set()).add(row[3])
    starts = [row[0] for row in rows]
    found: list[SourceLine | None] = []
    for address in addresses:
        place = bisect_right(starts, address) - 1
        _, end, name, path, line = rows[place] if place >= 0 else (0, 0, "", "", 0)
        if len(files.get(name, ())) > 1:  # files of one name, compiled in different folders
            name = path
        found.append(SourceLine(name, line) if address < end and line else None)
    return found


def _read_rows(program: Program) -> Iterator[tuple[int, int, str, str, int]]:
    """Yield ranges of addresses with file name, full path and line."""
    from elftools.elf.elffile import ELFFile

    elf = ELFFile(io.BytesIO(program.elf))
    if not elf.has_dwarf_info():
        return
    info: DWARFInfo = elf.get_dwarf_info()
    for unit in info.iter_CUs():
        lines = info.line_program_for_CU(unit)
        if lines is None:
            continue
        home = unit.get_top_DIE().attributes.get("DW_AT_comp_dir")
        compiled_in = _decode(home.value) if home else ""
        names = lines.header["file_entry"]
        folders = lines.header["include_directory"]
        first = 0 if lines.header["version"] >= 5 else 1
        before = None
        for entry in lines.get_entries():
            state = entry.state
            if state is None:
                continue
            if before is not None and before.address < state.address:
                file = names[before.file - first]
                name = _decode(file.name)
                place = file.dir_index - first
                if not name.startswith("/") and 0 <= place < len(folders) and file.dir_index:
                    name = f"{_decode(folders[place])}/{name}"
                path = posixpath.normpath(posixpath.join(compiled_in, name))
                yield before.address, state.address, name, path, before.line
            before = None if state.end_sequence else state


def _decode(value: bytes | str) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else value
