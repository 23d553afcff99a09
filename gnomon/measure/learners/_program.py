"""Input, memory use and stack checks of learner programs."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from gnomon.arch import Architecture
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.base.units import Bytes
from gnomon.measure.failures import check_finished
from gnomon.measure.memory_words import Words, words_at
from gnomon.program import Program
from gnomon.sim import Region, Run, simulate

# Paint for stacks: neither a count, an address nor a small fixed-point number.
PAINT_WORD = -0x5A17_C0DF


def with_data_memory(architecture: Architecture, size_bytes: int) -> Architecture:
    """Return the machine with another size of its data memory, which changes no cycle."""
    memory = architecture.memory.with_data_size(Bytes(size_bytes))
    return architecture.model_copy(update={"memory": memory})


def with_painted_stacks(program: Program) -> Program:
    """Return the program with all words of all stacks set to the paint."""
    bottom = program.symbol("_stack_bottom").address
    size_bytes = program.symbol("_stack_top").address - bottom
    return program.with_segment(bottom, _paint(size_bytes))


@lru_cache(maxsize=2)
def _paint(size_bytes: int) -> bytes:
    """Return painted words, cached: stacks may fill a large memory, and a sweep repeats sizes."""
    return np.full(size_bytes // 4, PAINT_WORD, dtype="<i4").tobytes()


def used_stack_bytes(
    program: Program, architecture: Architecture, memory: bytes, harts: int
) -> tuple[int, ...]:
    """Return the depth of each active hart's stack: from its top to the lowest unpainted word.

    Reserved words below it that were never written do not count.
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
    """Return the number of bytes between two symbols."""
    return program.symbol(last).address - program.symbol(first).address


def text_bytes(program: Program) -> int:
    """Return the bytes of instructions, including start-up code."""
    start_bytes = _distance(program, "_start", "_start_text_end")
    return start_bytes + _distance(program, "_text", "_text_end")


def data_bytes(program: Program) -> int:
    """Return the bytes of all static data."""
    return _distance(program, "_data", "_data_end")


def stack_size_bytes(program: Program, harts: int) -> int:
    """Return the stack size of each active hart, in bytes."""
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
        CheckFailed: if it does not end, or ends in a trap.
        GnomonError: if a stack was too small.
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
    """Compare words at symbols after a run with those that the same C computes on the host.

    ``expected`` holds, by symbol, the name for messages and the words.
    """
    for symbol, (name, wanted) in expected.items():
        place = program.symbol(symbol).address
        words = words_at(run.data_memory, architecture, place, wanted.size)
        differing = np.flatnonzero(words != wanted)
        if differing.size:
            first = int(differing[0])
            raise CheckFailed(
                f"{title}: {differing.size} of {wanted.size} words of {name} differ from those"
                f" computed on the host; first [{first}]: {words[first]}, expected"
                f" {wanted[first]}"
            )


def stack_overflow(title: str, hart: int, size_bytes: int) -> GnomonError:
    """Return the error for a stack that was too small."""
    return GnomonError(
        f"{title}: the stack of hart {hart} overflows its {size_bytes} bytes; give the machine"
        " more memory with --set memory.data.size"
    )
