"""All kernels by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.errors import GnomonError, did_you_mean
from gnomon.kernels._add import ADD, SUB
from gnomon.kernels._argmax import ARGMAX
from gnomon.kernels._divide import DIVIDE
from gnomon.kernels._dot import DOT
from gnomon.kernels._exp import EXP
from gnomon.kernels._gaussian import GAUSSIAN
from gnomon.kernels._grow_inverse import GROW_INVERSE
from gnomon.kernels._invert_symmetric import INVERT_SYMMETRIC
from gnomon.kernels._log import LOG
from gnomon.kernels._lu import INVERT, LU
from gnomon.kernels._multiply import MULTIPLY
from gnomon.kernels._multiply_transposed import MATVEC, MULTIPLY_TRANSPOSED
from gnomon.kernels._outer import OUTER
from gnomon.kernels._scale import SCALE
from gnomon.kernels._sherman_morrison import SHERMAN_MORRISON
from gnomon.kernels._softmax import SOFTMAX
from gnomon.kernels._solve import SOLVE_LOWER, SOLVE_UPPER
from gnomon.kernels._solve_positive import SOLVE_POSITIVE
from gnomon.kernels._sqrt import SQRT
from gnomon.kernels._transpose import TRANSPOSE
from gnomon.kernels._woodbury import WOODBURY

if TYPE_CHECKING:
    from gnomon.kernels._kernel import Kernel

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
