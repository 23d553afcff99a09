"""The price of one distinct call: an exact run of the embedded kernel, kept for this process."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from gnomon.arch import Architecture
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.bench.kernels import KernelBench
from gnomon.bench.replay._names import CallError, embedded, pick_variant
from gnomon.learn import Call
from gnomon.program import Program


@dataclass(frozen=True, slots=True)
class Price:
    """What one call costs on one machine.

    Cycles are those of :class:`gnomon.bench.kernels.KernelRun`: from the first instruction of the
    kernel until its result is in memory, with 4 wall cycles for the load that waits for it, and
    without the instructions of the caller.

    Attributes:
        call: as in the trace.
        kernel: name of the embedded kernel.
        variant: of that kernel.
        function: its C function.
        extents: its size.
        vector: whether it uses the vector unit.
        wall_cycles: time of one call.
        hart_cycles: those in which the hart holds the execute stage.
        issued: instructions.
    """

    call: Call
    kernel: str
    variant: str
    function: str
    extents: tuple[int, ...]
    vector: bool
    wall_cycles: int
    hart_cycles: int
    issued: int


def price_call(
    call: Call, architecture: Architecture, *, vector: bool = False, seed: int = 0
) -> Price:
    """Run the embedded kernel of a call once, on random operands of the kernel's own range.

    A second question for the same price is answered from memory.

    Raises:
        CallError: no embedded kernel does it, the machine cannot run it at this size, or it
            fails on these operands.
        CheckFailed: the kernel computed something else than its model.
    """
    return _price(call, architecture, vector, seed)


@cache
def _price(call: Call, architecture: Architecture, vector: bool, seed: int) -> Price:
    place = embedded(call)
    kernel = place.kernel
    variant = pick_variant(kernel, vector=vector)
    bench = KernelBench(kernel, variant, architecture)
    try:
        run = bench.measure(place.extents, seed=seed, program=_program(bench))
    except CheckFailed:
        raise
    except GnomonError as error:
        raise CallError(call, f"{call}: {error}") from None
    if run.status:
        raise CallError(
            call,
            f"{call}: {run.function} ends with status {run.status.name} on the operands of seed"
            f" {seed}; a failed call is no price (use another --seed)",
        )
    return Price(
        call=call,
        kernel=kernel.name,
        variant=variant.name,
        function=run.function,
        extents=place.extents,
        vector=variant.vector,
        wall_cycles=run.wall_cycles,
        hart_cycles=run.hart_cycles,
        issued=run.issued,
    )


@cache
def _program(bench: KernelBench) -> Program:
    return bench.build()
