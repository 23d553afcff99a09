"""The price of a distinct call: an exact run of the embedded kernel that stands for it.

Traces speak of mathematics, embedded kernels of C functions. Names, but for - in place of _, and
sizes are the same unless ``traces`` in the ``kernel.yaml`` of a kernel says otherwise.
"""

from functools import cache

from gnomon.arch import Architecture
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.learn import Call
from gnomon.measure.kernels import Kernel, KernelBench, KernelRun, find_kernel, kernel_files
from gnomon.program import Program


class CallError(GnomonError):
    """A call of a trace that has no price."""

    def __init__(self, call: Call, message: str) -> None:
        super().__init__(message)
        self.call = call


def _target(call: Call) -> tuple[str, tuple[int, ...], str]:
    """Name and extents of the embedded kernel, and, where there is none, why."""
    name = call.kernel.replace("_", "-")
    there = kernel_files()
    for embedded_name, file in there.items():
        said = file.traces.get(call.kernel)
        if said is None:
            continue
        if not said.extents:
            return name, (), said.why
        return embedded_name, said.extents_at(call.shape), ""
    return name, call.shape, "" if name in there else f"there is no {name!r}"


def is_embedded(call: Call) -> bool:
    """Whether there is an embedded kernel for a call."""
    return not _target(call)[2]


def embedded(call: Call) -> tuple[Kernel, tuple[int, ...]]:
    """The embedded kernel of a call, and its extents.

    Raises:
        CallError: there is none.
        CheckFailed: there is one, sized by other numbers than the trace; a defect of its YAML.
    """
    name, extents, why = _target(call)
    if why:
        simpler = call.parts() != (call,)
        hint = f"; --without {call.kernel} leaves it out of the price"
        hint += ", --expand prices the simpler calls it is made of" if simpler else ""
        sized = "; ".join(
            f"{each} {','.join(file.extents)}" for each, file in kernel_files().items()
        )
        raise CallError(
            call,
            f"no embedded kernel does {call.kernel} yet: {why} (embedded, and what sizes them:"
            f" {sized}){hint}",
        )
    kernel = find_kernel(name)
    if len(extents) != len(kernel.extents):
        raise CheckFailed(
            f"{call}: kernel {name} is sized by {','.join(kernel.extents)}, the trace gives"
            f" {len(extents)} number(s)"
        )
    return kernel, kernel.check_extents(extents)


@cache
def price_call(
    call: Call, architecture: Architecture, *, vector: bool = False, seed: int = 0
) -> KernelRun:
    """Run the embedded kernel of a call once, on random operands of the kernel's own range.

    A second question for the same price is answered from memory. The instructions of the caller
    are not in it.

    Raises:
        CallError: no embedded kernel does it, the machine cannot run it at this size, or it
            fails on these operands.
        CheckFailed: the kernel computed something else than its model.
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
            f" {seed}; a failed call is no price (use another --seed)",
        )
    return run


@cache
def _program(bench: KernelBench) -> Program:
    return bench.build()
