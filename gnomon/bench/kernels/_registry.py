"""All kernels by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.bench.kernels._add import ADD, SUB
from gnomon.bench.kernels._argmax import ARGMAX
from gnomon.bench.kernels._divide import DIVIDE
from gnomon.bench.kernels._dot import DOT
from gnomon.bench.kernels._exp import EXP
from gnomon.bench.kernels._gaussian import GAUSSIAN
from gnomon.bench.kernels._grow_inverse import GROW_INVERSE
from gnomon.bench.kernels._invert_symmetric import INVERT_SYMMETRIC
from gnomon.bench.kernels._log import LOG
from gnomon.bench.kernels._lu import INVERT, LU
from gnomon.bench.kernels._multiply import MULTIPLY
from gnomon.bench.kernels._multiply_transposed import MATVEC, MULTIPLY_TRANSPOSED
from gnomon.bench.kernels._outer import OUTER
from gnomon.bench.kernels._scale import SCALE
from gnomon.bench.kernels._sherman_morrison import SHERMAN_MORRISON
from gnomon.bench.kernels._softmax import SOFTMAX
from gnomon.bench.kernels._solve import SOLVE_LOWER, SOLVE_UPPER
from gnomon.bench.kernels._solve_positive import SOLVE_POSITIVE
from gnomon.bench.kernels._sqrt import SQRT
from gnomon.bench.kernels._transpose import TRANSPOSE
from gnomon.bench.kernels._woodbury import WOODBURY

if TYPE_CHECKING:
    from gnomon.bench.kernels._kernel import Kernel

KERNELS: tuple[Kernel, ...] = (
    ADD,
    SUB,
    SCALE,
    TRANSPOSE,
    MULTIPLY,
    MULTIPLY_TRANSPOSED,
    MATVEC,
    OUTER,
    DOT,
    ARGMAX,
    DIVIDE,
    SQRT,
    EXP,
    LOG,
    SOFTMAX,
    GAUSSIAN,
    SOLVE_LOWER,
    SOLVE_UPPER,
    SOLVE_POSITIVE,
    LU,
    INVERT,
    INVERT_SYMMETRIC,
    SHERMAN_MORRISON,
    WOODBURY,
    GROW_INVERSE,
)


def find_kernel(name: str) -> Kernel:
    """The kernel called ``name``.

    Raises:
        GnomonError: there is none.
    """
    for kernel in KERNELS:
        if kernel.name == name:
            return kernel
    known = [kernel.name for kernel in KERNELS]
    raise GnomonError(
        f"no kernel is called {name!r} (allowed: {', '.join(known)}{did_you_mean(name, known)})"
    )
