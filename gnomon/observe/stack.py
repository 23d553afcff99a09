"""Whether the stack of a hart was larger than what its program reserves for it."""

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError
from gnomon.program import Program
from gnomon.sim import Run, simulate

_NEAR_ITS_END = 4  # of a stack: the last part that is looked at


def overruns(run: Run, program: Program, architecture: Architecture) -> tuple[str, ...]:
    """One sentence for each hart whose stack was overrun.

    What was written tells at no cost whether one can have been: only then the run is repeated with
    its stack pointers followed, if they have not been. A program that our start-up code does not
    start reserves nothing, and nothing is said.
    """
    try:
        top, bottom, size, data_end = (
            program.symbol(name).address
            for name in ("_stack_top", "_stack_bottom", "_stack_size", "_data_end")
        )
    except GnomonError:
        return ()
    stacks = range(bottom, top, max(size, 1))
    if not 0 < len(stacks) <= architecture.core.harts:  # symbols of another meaning
        return ()
    calls = run.calls
    if calls is None:
        base = int(architecture.memory.data.base)
        ends = [(end, end + size // _NEAR_ITS_END) for end in stacks]
        if not any(
            any(run.data_memory[a - base : b - base]) for a, b in ((data_end, bottom), *ends)
        ):
            return ()
        calls = simulate(program, architecture, max_cycles=run.wall_cycles, calls=True).calls
        assert calls is not None
    texts = []
    for stack in calls.stacks:
        if stack.peak_bytes <= size:
            continue
        lowest = top - size * stack.hart - stack.peak_bytes
        if lowest < data_end:
            where = "the program's data"
        elif top - size * (stack.hart + 1) > bottom:
            where = f"the stack of hart {stack.hart + 1}"
        else:
            where = "memory that nobody else uses"
        texts.append(
            f"hart {stack.hart} overran its stack of {size:,} bytes: {stack.peak_bytes:,} in"
            f" {stack.function}, into {where}; make large arrays static, or recursion flatter"
        )
    return tuple(texts)
