"""Which embedded kernel stands for a call of a trace, and at which size.

Traces speak of mathematics, embedded kernels of C functions. Names, but for - in place of _, and
sizes are the same unless the table below says otherwise. What exists is read from
:data:`gnomon.bench.kernels.KERNELS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.bench.kernels import KERNELS
from gnomon.learn import expand

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.bench.kernels import Kernel, Variant
    from gnomon.learn import Call

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Target:
    """Name of an embedded kernel, its extents from the shape in the trace, and why."""

    kernel: str
    extents: Callable[[Shape], Shape]
    why: str


_DIFFERENT = {
    "outer": _Target(
        "multiply",
        lambda shape: (shape[0], 1, shape[1]),
        "a product of one column and one row; the embedded outer also adds a matrix",
    ),
    "rank1_update": _Target("outer", lambda shape: shape, "the embedded outer is this update"),
    "divide": _Target(
        "divide",
        lambda shape: (shape[0] * shape[1],),
        "one division per element; the embedded divide reads a divisor for each",
    ),
    "grow_inverse": _Target(
        "grow-inverse",
        lambda shape: (shape[0] + 1,),
        "the trace tells the size before, the embedded kernel that with the new row and column",
    ),
    "lu_invert": _Target("invert", lambda shape: shape, "the first variant of the machine's kind"),
}

_ANOTHER = {
    "woodbury": "the embedded woodbury adds u^T u, the one of a trace adds or subtracts b^T a^-1 b",
}
"""Calls whose name an embedded kernel has that computes something else, and what."""


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
    extents: Shape


def kernel_name(traced: str) -> str:
    """Name in :mod:`gnomon.bench.kernels` of a kernel that a trace names."""
    return _DIFFERENT[traced].kernel if traced in _DIFFERENT else traced.replace("_", "-")


def is_embedded(call: Call) -> bool:
    """Whether there is an embedded kernel for a call."""
    known = {kernel.name for kernel in KERNELS}
    return call.kernel not in _ANOTHER and kernel_name(call.kernel) in known


def embedded(call: Call) -> Embedded:
    """The embedded kernel of a call.

    Raises:
        CallError: there is none.
        CheckFailed: there is one, sized by other numbers than the trace; a defect of the table.
    """
    name = kernel_name(call.kernel)
    known = {kernel.name: kernel for kernel in KERNELS}
    if not is_embedded(call):
        why = _ANOTHER.get(call.kernel, f"there is no {name!r}")
        hint = (
            "; --expand prices the simpler calls it is made of" if expand(call) != (call,) else ""
        )
        raise CallError(
            call,
            f"no embedded kernel does {call.kernel} yet: {why}"
            f" (embedded: {', '.join(known)}){hint}",
        )
    kernel = known[name]
    extents = (
        _DIFFERENT[call.kernel].extents(call.shape) if call.kernel in _DIFFERENT else call.shape
    )
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
