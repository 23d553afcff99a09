"""Which embedded kernel stands for a call of a trace, and at which size.

Traces speak of mathematics, embedded kernels of C functions. Names, but for - in place of _, and
sizes are the same unless ``traces`` in the ``kernel.yaml`` of a kernel says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.base.content import found
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.bench.kernels import Kernel, KernelFile, Variant, find_kernel
from gnomon.learn import Call


class CallError(GnomonError):
    """A call of a trace that has no price.

    Attributes:
        call: as the trace has it.
    """

    def __init__(self, call: Call, message: str) -> None:
        super().__init__(message)
        self.call = call


@dataclass(frozen=True, slots=True)
class Embedded:
    """One call as an embedded kernel at a size."""

    kernel: Kernel
    extents: tuple[int, ...]


def _target(call: Call) -> tuple[str, tuple[int, ...], str]:
    """Name and extents of the embedded kernel, and, where there is none, why."""
    name = call.kernel.replace("_", "-")
    there = found("kernels")
    for embedded_name, folder in there.items():
        said = KernelFile.read(folder).traces.get(call.kernel)
        if said is None:
            continue
        if not said.extents:
            return name, (), said.why
        return embedded_name, said.extents_at(call.shape), ""
    return name, call.shape, "" if name in there else f"there is no {name!r}"


def is_embedded(call: Call) -> bool:
    """Whether there is an embedded kernel for a call."""
    return not _target(call)[2]


def embedded(call: Call) -> Embedded:
    """The embedded kernel of a call.

    Raises:
        CallError: there is none.
        CheckFailed: there is one, sized by other numbers than the trace; a defect of its YAML.
    """
    name, extents, why = _target(call)
    if why:
        hint = (
            "; --expand prices the simpler calls it is made of" if call.parts() != (call,) else ""
        )
        sized = [
            f"{each} {','.join(KernelFile.read(folder).extents)}"
            for each, folder in found("kernels").items()
        ]
        raise CallError(
            call,
            f"no embedded kernel does {call.kernel} yet: {why} (embedded, and what sizes them:"
            f" {'; '.join(sized)}){hint}",
        )
    kernel = find_kernel(name)
    if len(extents) != len(kernel.extents):
        raise CheckFailed(
            f"{call}: kernel {name} is sized by {','.join(kernel.extents)}, the trace gives"
            f" {len(extents)} number(s)"
        )
    return Embedded(kernel, kernel.check_extents(extents))


def pick_variant(kernel: Kernel, *, vector: bool) -> Variant:
    """The first variant for the vector unit, or else, and without ``vector``, for the core."""
    wanted = [variant for variant in kernel.variants if variant.vector == vector]
    return (wanted or list(kernel.variants))[0]
