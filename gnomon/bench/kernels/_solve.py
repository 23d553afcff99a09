"""``solve-lower`` and ``solve-upper``: triangular systems of equations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.bench.kernels._divide import divide_wide
from gnomon.bench.kernels._kernel import Extents, Kernel, Operands, Status, Variant, uniform
from gnomon.bench.kernels._wide import Range, wide_dot

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.bench.kernels._fixed import FixedPoint, Reals, Steps


def solve_row(b: int, row: Steps, x: Steps, pivot: int, fixed: FixedPoint) -> tuple[int, Status]:
    """``fx_solve_row``."""
    total = np.array(b << fixed.fraction_bits, dtype=np.int64) - wide_dot(row, x)
    return divide_wide(int(total), pivot)


def solve_status(seen: Range, count: int, failed: Status) -> Status:
    """``fx_solve_status``."""
    if failed is Status.UNDEFINED:
        return Status.SINGULAR
    return failed if failed is Status.OVERFLOW else seen.status(count)


def pivot_error(products: Steps, fixed: FixedPoint) -> int:
    """``fx_pivot_error``, in steps."""
    sizes = np.where(products < 0, ~products, products) >> fixed.fraction_bits
    return 1 + int(sizes.sum()) + sizes.size


def _solve(fixed: FixedPoint, operands: Operands, *, lower: bool) -> tuple[Steps, Status]:
    matrix, b = operands
    n = b.size
    x = np.zeros(n, dtype=np.int64)
    seen, failed = Range(), Status.OK
    for i in range(n) if lower else reversed(range(n)):
        part = slice(0, i) if lower else slice(i + 1, n)
        pivot = int(matrix[i, i])
        x[i], status = solve_row(int(b[i]), matrix[i, part], x[part], pivot, fixed)
        failed = max(failed, status)
        seen.see(x[i : i + 1])
    status = solve_status(seen, n, failed)
    return (x, status) if status is Status.OK else (np.zeros_like(x), status)


def _kernel(name: str, title: str, part: Callable[[Reals], Reals], *, lower: bool) -> Kernel:
    def exact(operands: tuple[Reals, ...]) -> Reals:
        return np.asarray(np.linalg.solve(part(operands[0]), operands[1]))

    def bound(fixed: FixedPoint, operands: Operands) -> Reals:
        """Each x leaves a remainder below its pivot times one step in its equation."""
        matrix = part(fixed.to_real(operands[0]))
        spread = np.abs(np.linalg.inv(matrix))
        return np.asarray(spread @ np.abs(np.diag(matrix)) * fixed.step)

    def generate(fixed: FixedPoint, extents: Extents, rng: np.random.Generator) -> Operands:
        (n,) = extents
        matrix = uniform(fixed, rng, (n, n), 1 / n)
        diagonal = 2**fixed.fraction_bits + uniform(fixed, rng, (n,), 0.25)
        matrix[np.arange(n), np.arange(n)] = diagonal
        return matrix, uniform(fixed, rng, (n,), min(16, 2.0 ** (28 - fixed.fraction_bits) / n))

    function = f"fx_{name.replace('-', '_')}_scalar_toward_zero_checked"
    return Kernel(
        name=name,
        title=title,
        extents=("n",),
        square=lambda n: (n,),
        operand_shapes=lambda extents: (extents * 2, extents),
        result_shape=lambda extents: extents,
        arguments=lambda extents: extents,
        exact=exact,
        generate=generate,
        input_range=lambda extents: (
            f"diagonal 0.75 to 1.25, others within +-1/{extents[0]}; b within +-16"
        ),
        driver=f"{name.replace('-', '_')}/measure.c",
        variants=(
            Variant(
                name="scalar",
                function=function,
                sources=(f"{name.replace('-', '_')}/scalar.c", "fx_divide.c"),
                vector=False,
                contract="64-bit sums, divided and rounded towards zero; else a status",
                model=lambda fixed, operands: _solve(fixed, operands, lower=lower)[0],
                error_bound=bound,
                status=lambda fixed, operands: _solve(fixed, operands, lower=lower)[1],
            ),
        ),
        in_place=(1,),
    )


SOLVE_LOWER = _kernel(
    "solve-lower", "forward substitution, l out = b", lambda a: np.asarray(np.tril(a)), lower=True
)
SOLVE_UPPER = _kernel(
    "solve-upper", "backward substitution, u out = b", lambda a: np.asarray(np.triu(a)), lower=False
)
