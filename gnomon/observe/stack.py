"""Detection of stack overruns: stacks larger than the program reserves."""

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError
from gnomon.program import Program
from gnomon.sim import Run, simulate

_NEAR_ITS_END = 4  # the last quarter of each stack is checked for writes


def describe_overruns(run: Run, program: Program, architecture: Architecture) -> tuple[str, ...]:
    """Return one sentence for each hart that overran its stack.

    Written memory near the end of a stack is the condition for a check. If the run did not track
    stack pointers, it is then repeated with tracking. A program without gnomon's start-up code
    reserves no stacks, and the result is empty.
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
        ends = [(end, end + size // _NEAR_ITS_END) for end in stacks]
        if not any(any(run.bytes_at(a, b - a) or b"") for a, b in ((data_end, bottom), *ends)):
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
            where = "unused memory"
        texts.append(
            f"hart {stack.hart} overran its stack of {size:,} bytes: {stack.peak_bytes:,} in"
            f" {stack.function}, into {where}; make large arrays static, or recursion flatter"
        )
    return tuple(texts)
