"""A program copied into the memories of a machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gnomon.base.errors import GnomonError

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.program import Program


def load_program(
    ram: npt.NDArray[np.int32], cfg: np.void, program: Program, architecture: Architecture
) -> tuple[int, int]:
    """Copy the program into memory; returns the range of instruction words it fills.

    Raises:
        GnomonError: if a segment of the program is outside the memories, or its entry is not
            aligned.
    """
    if architecture.core.reset_pc == "entry" and program.entry % 4:
        raise GnomonError(
            f"{program.name}: its entry 0x{program.entry:08X} is not a multiple of 4, where an "
            "instruction must be"
        )
    memory = ram.view(np.uint8)
    places = (
        (int(cfg["ibase"]), int(cfg["isize"]), 0),
        (int(cfg["dbase"]), int(cfg["dsize"]), int(cfg["isize"])),
    )
    first, last = int(cfg["isize"]) // 4, 0
    for segment in program.segments:
        for base, size, start in places:
            offset = segment.address - base
            if offset >= 0 and offset + segment.size_bytes <= size:
                memory[start + offset : start + offset + len(segment.data)] = np.frombuffer(
                    segment.data, dtype=np.uint8
                )
                if start == 0 and segment.size_bytes:
                    first = min(first, offset // 4)
                    last = max(last, (offset + segment.size_bytes + 3) // 4)
                break
        else:
            end = segment.address + segment.size_bytes
            memories = ", ".join(
                f"0x{base:08X}..0x{base + size - 1:08X}" for base, size, _ in places
            )
            raise GnomonError(
                f"{program.name}: segment 0x{segment.address:08X}..0x{end - 1:08X} is outside the "
                f"memories of the machine ({memories})"
            )
    return min(first, last), last
