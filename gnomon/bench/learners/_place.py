"""What a learner's program is given besides its code: data memory, painted stacks."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from gnomon.base.units import Bytes
from gnomon.bench.words import words_at
from gnomon.program import Segment

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.program import Program

# Paint for stacks: no count, no address and no small fixed-point number.
PAINT_WORD = -0x5A17_C0DF


def with_data_memory(architecture: Architecture, size_bytes: int) -> Architecture:
    """The machine with another size of its data memory; it costs no cycle."""
    data = architecture.memory.data.model_copy(update={"size": Bytes(size_bytes)})
    memory = architecture.memory.model_copy(update={"data": data})
    return architecture.model_copy(update={"memory": memory})


def with_painted_stacks(program: Program) -> Program:
    """The program with all words of all stacks set to the paint."""
    bottom = program.symbol("_stack_bottom").address
    size_bytes = program.symbol("_stack_top").address - bottom
    stacks = Segment(bottom, _paint(size_bytes), size_bytes, executable=False, writable=True)
    return replace(program, segments=(*program.segments, stacks))


@lru_cache(maxsize=2)
def _paint(size_bytes: int) -> bytes:
    """Kept, for stacks may take most of a large memory, and a sweep paints the same ones often."""
    return np.full(size_bytes // 4, PAINT_WORD, dtype="<i4").tobytes()


def used_stack_bytes(
    program: Program, architecture: Architecture, memory: bytes, harts: int
) -> tuple[int, ...]:
    """Depth of each active hart's stack: from its top to the lowest word without paint.

    Words that were reserved below and never written do not count.
    """
    top = program.symbol("_stack_top").address
    words = (top - program.symbol("_stack_bottom").address) // 4 // harts
    depths = []
    for hart in range(harts):
        stack = words_at(memory, architecture, top - 4 * words * (hart + 1), words)
        written = np.flatnonzero(stack != PAINT_WORD)
        depths.append(4 * (words - int(written[0])) if written.size else 0)
    return tuple(depths)
