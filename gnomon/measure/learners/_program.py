"""What a learner's program is given and takes of memory, and whether its stacks were enough."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from gnomon.arch import Architecture
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.base.units import Bytes
from gnomon.measure.memory_words import Words, check_finished, words_at
from gnomon.program import Program
from gnomon.sim import Region, Run, simulate

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
    return program.with_segment(bottom, _paint(size_bytes))


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


def _distance(program: Program, first: str, last: str) -> int:
    """Bytes between two symbols."""
    return program.symbol(last).address - program.symbol(first).address


def text_bytes(program: Program) -> int:
    """Bytes of instructions, start-up included."""
    start_bytes = _distance(program, "_start", "_start_text_end")
    return start_bytes + _distance(program, "_text", "_text_end")


def data_bytes(program: Program) -> int:
    """Bytes of all static data."""
    return _distance(program, "_data", "_data_end")


def stack_size_bytes(program: Program, harts: int) -> int:
    """What each active hart has."""
    return _distance(program, "_stack_bottom", "_stack_top") // harts


def run_learner(
    title: str,
    program: Program,
    architecture: Architecture,
    harts: int,
    *,
    regions: Sequence[Region],
    max_cycles: int,
) -> Run:
    """Run a program with painted stacks to its end.

    Raises:
        CheckFailed: it does not end, or in a trap.
        GnomonError: a stack was too small.
    """
    run = simulate(program, architecture, max_cycles=max_cycles, regions=regions)
    size_bytes = stack_size_bytes(program, harts)
    for hart in range(harts):
        lowest = program.symbol("_stack_top").address - size_bytes * (hart + 1)
        if words_at(run.data_memory, architecture, lowest, 1)[0] != PAINT_WORD:
            raise stack_overflow(title, hart, size_bytes)
    check_finished(title, run, program, any_code=True)
    return run


def check_words(
    title: str,
    program: Program,
    architecture: Architecture,
    run: Run,
    expected: Mapping[str, tuple[str, Words]],
) -> None:
    """Compare what a run left at symbols with what the same C computes on this computer.

    ``expected``: by symbol, how messages call it, and the words.
    """
    for symbol, (name, wanted) in expected.items():
        place = program.symbol(symbol).address
        words = words_at(run.data_memory, architecture, place, wanted.size)
        differing = np.flatnonzero(words != wanted)
        if differing.size:
            first = int(differing[0])
            raise CheckFailed(
                f"{title}: {differing.size} of {wanted.size} words of {name} differ from those"
                f" computed on this computer; first [{first}]: {words[first]}, expected"
                f" {wanted[first]}"
            )


def stack_overflow(title: str, hart: int, size_bytes: int) -> GnomonError:
    """What to say of a stack that was too small."""
    return GnomonError(
        f"{title}: the stack of hart {hart} overflows its {size_bytes} bytes; give the machine"
        " more memory with --set memory.data.size"
    )
