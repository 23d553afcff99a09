"""Puts the memories of a machine where a test was linked, and reads them afterwards.

The suites' usual environments link at 0x80000000, code and data together; some tests execute what
they have stored. A machine that starts at the ELF entry can take such a program as it is: its
instruction memory moves there and grows around the whole of it, and no cycle depends on that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.arch import Architecture, Memory
    from gnomon.program import Program, Segment
    from gnomon.sim import Run

_PAGE_BYTES = 4096


def machine_for(program: Program, machine: str, overrides: Sequence[str]) -> Architecture:
    """The machine for a program: as described, or with its memories around the program.

    A data memory in the way of the program moves behind it.

    Raises:
        GnomonError: an unknown machine, or a program that cannot start or fit on it.
    """
    architecture = load_architecture(machine, overrides)
    reset = architecture.core.reset_pc
    if reset != "entry":
        if not any(part.address <= reset < part.end for part in program.segments):
            raise GnomonError(
                f"{program.name}: nothing is at {reset:#x}, where {architecture.name} starts;"
                f" link the tests for this machine (this one starts at {program.entry:#x})"
            )
        return architecture
    memory = architecture.memory
    starts = 0 <= program.entry - memory.instruction.base < memory.instruction.size
    if starts and all(_fits(part, memory) for part in program.segments):
        return architecture
    low = min(part.address for part in program.segments) & -_PAGE_BYTES
    end = -(-max(part.end for part in program.segments) // _PAGE_BYTES) * _PAGE_BYTES
    moved = [
        f"memory.instruction.base={low:#x}",
        f"memory.instruction.size={end - low} B",
    ]
    if low < memory.data.base + memory.data.size and memory.data.base < end:
        moved.append(f"memory.data.base={end:#x}")
    return load_architecture(machine, [*overrides, *moved])


def bytes_left_at(run: Run, architecture: Architecture, address: int, size: int) -> bytes | None:
    """What a run left in memory, or None where that is not inside one memory."""
    memory = architecture.memory
    for place, held in (
        (memory.instruction, run.instruction_memory),
        (memory.data, run.data_memory),
    ):
        offset = address - place.base
        if offset >= 0 and offset + size <= len(held):
            return held[offset : offset + size]
    return None


def _fits(part: Segment, memory: Memory) -> bool:
    return any(
        place.base <= part.address and part.end <= place.base + place.size
        for place in (memory.instruction, memory.data)
    )
