"""Price of a distinct call: an exact run of the embedded kernel for the call.

Traces name mathematical operations, embedded kernels name C functions. Names, except for - in place
of _, and sizes are equal unless ``traces`` in a ``kernel.yaml`` maps them.
"""

from functools import cache

from gnomon.arch import Architecture
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.learn import Call
from gnomon.measure.kernels import Kernel, KernelBench, KernelRun, find_kernel, kernel_files
from gnomon.program import Program


class CallError(GnomonError):
    """Error of a call of a trace that has no price."""

    def __init__(self, call: Call, message: str) -> None:
        super().__init__(message)
        self.call = call


def _target(call: Call) -> tuple[str, tuple[int, ...], str]:
    """Return name and extents of the embedded kernel and, if there is none, the reason."""
    name = call.kernel.replace("_", "-")
    there = kernel_files()
    for embedded_name, file in there.items():
        entry = file.traces.get(call.kernel)
        if entry is None:
            continue
        if not entry.extents:
            return name, (), entry.why
        return embedded_name, entry.extents_at(call.shape), ""
    return name, call.shape, "" if name in there else f"{name!r} does not exist"


def is_embedded(call: Call) -> bool:
    """Return whether an embedded kernel exists for a call."""
    return not _target(call)[2]


def embedded(call: Call) -> tuple[Kernel, tuple[int, ...]]:
    """Return the embedded kernel of a call, and its extents.

    Raises:
        CallError: if no such kernel exists.
        CheckFailed: if other numbers determine its size than those of the trace; an error in its
            YAML.
    """
    name, extents, why = _target(call)
    if why:
        simpler = call.parts() != (call,)
        hint = f"; --without {call.kernel} excludes it from the price"
        hint += ", --expand prices the simpler calls that compose it" if simpler else ""
        sized = "; ".join(
            f"{each} {','.join(file.extents)}" for each, file in kernel_files().items()
        )
        raise CallError(
            call,
            f"no embedded kernel computes {call.kernel}: {why} (embedded kernels with their"
            f" extents: {sized}){hint}",
        )
    kernel = find_kernel(name)
    if len(extents) != len(kernel.extents):
        raise CheckFailed(
            f"{call}: kernel {name} has the extents {','.join(kernel.extents)}, the trace gives"
            f" {len(extents)} number(s)"
        )
    return kernel, kernel.check_extents(extents)


@cache
def price_call(
    call: Call, architecture: Architecture, *, vector: bool = False, seed: int = 0
) -> KernelRun:
    """Run the embedded kernel of a call once, on random operands from the range of the kernel.

    Prices are cached. They exclude the instructions of the caller.

    Raises:
        CallError: if no embedded kernel exists, the machine cannot run it at this size, or it fails
            on these operands.
        CheckFailed: if the result of the kernel differs from its model.
    """
    kernel, extents = embedded(call)
    variant = kernel.best_for(vector=vector)
    bench = KernelBench(kernel, variant, architecture)
    try:
        run = bench.measure(extents, seed=seed, program=_program(bench))
    except CheckFailed:
        raise
    except GnomonError as error:
        raise CallError(call, f"{call}: {error}") from None
    if run.status:
        raise CallError(
            call,
            f"{call}: {run.function} ends with status {run.status.name} on the operands of seed"
            f" {seed}; a failed call has no price (use another --seed)",
        )
    return run


@cache
def _program(bench: KernelBench) -> Program:
    return bench.build()
