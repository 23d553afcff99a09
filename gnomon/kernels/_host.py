"""The same C on this computer: bit for bit what the machine computes, at native speed."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import numpy as np

from gnomon.content import content
from gnomon.kernels._fixed import FixedPoint
from gnomon.kernels._measure import check_machine
from gnomon.program import build_host

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.kernels._fixed import Steps
    from gnomon.kernels._kernel import Extents, Kernel, Operands, Variant


def run_on_host(
    kernel: Kernel,
    variant: Variant,
    architecture: Architecture,
    extents: Extents,
    operands: Operands,
    *,
    fixed: FixedPoint | None = None,
) -> Steps:
    """Compile a variant for this computer, run it and return its result.

    The architecture gives number and size of the scratchpads, which decide how operands are cut,
    but never the result.

    Raises:
        GnomonError: the machine lacks what the variant needs, or it does not compile.
    """
    check_machine(kernel, variant, architecture)
    extents = kernel.check_extents(extents)
    path = build_host(
        [content("kernels", name) for name in variant.sources],
        architecture=architecture,
        defines=(fixed or FixedPoint()).defines(),
    )
    function = getattr(ctypes.CDLL(str(path)), variant.function)
    function.restype = None
    inputs = [np.ascontiguousarray(values, dtype=np.int32) for values in operands]
    result = np.zeros(kernel.result_shape(extents), dtype=np.int32)
    function(
        *(ctypes.c_void_p(array.ctypes.data) for array in (*inputs, result)),
        *(ctypes.c_uint32(value) for value in kernel.arguments(extents)),
    )
    return result.astype(np.int64)
