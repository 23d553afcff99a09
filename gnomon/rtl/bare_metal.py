"""Programs without a C library: addresses of the T13 platform, start code, ELF files.

The module also has delta debugging, which minimizes a failing program by removing parts.
"""

import struct
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import TypeVar

from gnomon.base.errors import GnomonError
from gnomon.isa import encode

_Part = TypeVar("_Part")

RESET_PC, TRAP_PC = 0x80, 0x94
DATA_BASE, SPM_BASE = 0x0010_0000, 0x1000_0000
EXIT_ADDRESS, PRINT_ADDRESS = 0x1A10_FFF0, 0x1A10_FFF4


def start_text(trap: str) -> str:
    """Return assembly for the reset pc.

    Traps run the assembly ``trap``. All harts except hart 0 sleep; hart 0 continues after the text.
    """
    return f"""
    j start
    nop
    nop
    nop
    nop
    j trap
park:
    li t0, 8
    csrw mstatus, t0
sleep:
    wfi
    j sleep
trap:
{trap}
start:
    csrr t0, mhartid
    bne t0, x0, park
"""


def li(register: int, value: int) -> Iterator[int]:
    """Yield one or two words that load a 32-bit constant."""
    low = (value & 0xFFF ^ 0x800) - 0x800
    if (value + 0x800) % 2**32 < 0x1000:
        yield encode("addi", rd=register, imm=low)
        return
    yield encode("lui", rd=register, imm=((value - low) & 0xFFFF_FFFF ^ 0x8000_0000) - 0x8000_0000)
    yield encode("addi", rd=register, rs1=register, imm=low)


def write_elf(segments: Sequence[tuple[int, bytes]]) -> bytes:
    """Return an ELF32 executable of (address, content) segments that starts at the reset pc.

    Raises:
        GnomonError: if a segment overlaps the next one.
    """
    header_bytes, entry_bytes = 52, 32
    offset = header_bytes + entry_bytes * len(segments)
    table, content, end = b"", b"", 0
    for address, data in sorted(segments):
        if address < end:
            raise GnomonError(f"segments overlap at {address:#x}: the program is too long")
        end = address + len(data)
        flags = 5 if address < DATA_BASE else 6
        place = offset + len(content)
        table += struct.pack("<8I", 1, place, address, address, len(data), len(data), flags, 4)
        content += data + bytes(-len(data) % 4)
    header = struct.pack(
        "<4s3B9x2H5I6H", b"\x7fELF", 1, 1, 1, 2, 243, 1, RESET_PC, header_bytes, 0, 0,
        header_bytes, entry_bytes, len(segments), 0, 0, 0,
    )  # fmt: skip
    return header + table + content


def delta_debug(
    parts: Sequence[_Part], least: int = 0
) -> Generator[tuple[_Part, ...], bool, tuple[_Part, ...]]:
    """Minimize a failing sequence by delta debugging; a generator of candidates.

    It yields a candidate, expects whether the candidate still fails, and returns the smallest
    failing one. It removes all parts, then halves, quarters and so on down to single ones, until
    no single part can be removed.

    Args:
        parts: parts of the failing sequence.
        least: number of parts that must remain.
    """
    kept = tuple(parts)
    size, shorter = len(kept), False
    while size:
        start, shorter = 0, False
        while start < len(kept):
            candidate = kept[:start] + kept[start + size :]
            if len(candidate) >= least and (yield candidate):
                kept, shorter = candidate, True
            else:
                start += size
        size = 1 if size == 1 and shorter else min(size // 2, len(kept))
    return kept


def smallest(
    parts: Sequence[_Part], fails: Callable[[tuple[_Part, ...]], bool], least: int = 0
) -> tuple[_Part, ...]:
    """Return the result of :func:`delta_debug` with a synchronous test ``fails``."""
    search = delta_debug(parts, least)
    try:
        candidate = next(search)
        while True:
            candidate = search.send(fails(candidate))
    except StopIteration as end:
        kept: tuple[_Part, ...] = end.value
        return kept
