"""Puts the memories of a machine where a test was linked.

The suites' usual environments link at 0x80000000. A machine that starts at the ELF entry can take
such a program as it is: only the addresses of its memories change, and no cycle depends on them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.arch import load_architecture
from gnomon.errors import GnomonError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.arch import Architecture, Memory
    from gnomon.program import Program, Segment

_PAGE_BYTES = 4096
RESULTS = ("tohost", "begin_signature", "end_signature")


def machine_for(program: Program, machine: str, overrides: Sequence[str]) -> Architecture:
    """The machine for a program: as described, or with its memories around the program.

    Moved memories meet at the page of the first result (``tohost`` or the signature), as results
    are read from data memory.

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
    if all(_fits(part, architecture.memory) for part in program.segments):
        return architecture
    low = min(part.address for part in program.segments) & -_PAGE_BYTES
    end = -(-max(part.end for part in program.segments) // _PAGE_BYTES) * _PAGE_BYTES
    found = [symbol.address for symbol in program.symbols if symbol.name in RESULTS]
    split = min(found, default=low) & -_PAGE_BYTES
    if split <= low:
        raise GnomonError(
            f"{program.name}: it is outside the memories of {architecture.name} and has no symbol"
            f" {' or '.join(RESULTS[:2])} behind its text, so the memories cannot be moved to it"
        )
    return load_architecture(
        machine,
        [
            *overrides,
            f"memory.instruction.base={low:#x}",
            f"memory.instruction.size={split - low} B",
            f"memory.data.base={split:#x}",
            f"memory.data.size={max(end - split, _PAGE_BYTES)} B",
        ],
    )


def _fits(part: Segment, memory: Memory) -> bool:
    return any(
        place.base <= part.address and part.end <= place.base + place.size
        for place in (memory.instruction, memory.data)
    )
