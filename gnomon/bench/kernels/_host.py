"""The same C on this computer: bit for bit what the machine computes, at native speed."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.bench.kernels._description import kernel_include
from gnomon.bench.kernels._measure import check_machine, check_size
from gnomon.bench.kernels.fixed import FixedPoint, Status
from gnomon.program import build_host

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.bench.kernels._kernel import Extents, Kernel, Operands, Variant
    from gnomon.bench.kernels.fixed import Steps


@dataclass(frozen=True, slots=True)
class HostRun:
    """What a kernel computed, and what it returned (None if it returns nothing)."""

    result: Steps
    status: Status | None


def run_on_host(
    kernel: Kernel,
    variant: Variant,
    architecture: Architecture,
    extents: Extents,
    operands: Operands,
    *,
    fixed: FixedPoint | None = None,
    in_place: int | None = None,
) -> HostRun:
    """Compile a variant for this computer, run it and return its result.

    The architecture gives number and size of the scratchpads, which decide how operands are cut,
    but never the result.

    Args:
        kernel: the operation.
        variant: which implementation of it.
        architecture: the machine whose vector unit is emulated.
        extents: its size.
        operands: what to run it on.
        fixed: the number format.
        in_place: index of the operand that the result takes the place of.

    Raises:
        GnomonError: the machine lacks what the variant needs, or it does not compile.
    """
    check_machine(kernel, variant, architecture)
    extents = kernel.check_extents(extents)
    fixed = fixed or FixedPoint()
    check_size(kernel, variant, architecture, extents, fixed)
    path = build_host(
        variant.sources,
        architecture=architecture,
        defines=fixed.defines(),
        include=kernel_include(),
    )
    function = getattr(ctypes.CDLL(str(path)), variant.function)
    function.restype = None if variant.status is None else ctypes.c_int
    inputs = [np.array(values, dtype=np.int32) for values in operands]
    result = np.zeros(kernel.result_shape(extents), dtype=np.int32)
    if in_place is not None:
        assert in_place in kernel.in_place
        result = inputs[in_place]
    arrays = [*inputs, result]
    if kernel.work_words(extents):
        arrays.append(np.zeros(kernel.work_words(extents), dtype=np.int32))
    status = function(
        *(ctypes.c_void_p(array.ctypes.data) for array in arrays),
        *(ctypes.c_uint32(value) for value in kernel.arguments(extents)),
    )
    return HostRun(result.astype(np.int64), None if status is None else Status(status))
