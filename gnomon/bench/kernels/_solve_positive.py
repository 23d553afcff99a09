"""``solve-positive``: one system of equations with a positive definite matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.bench.kernels._kernel import Extents, Kernel, Operands, Status, Variant, uniform
from gnomon.bench.kernels._ldl import factor_ldl
from gnomon.bench.kernels._positive import RANGE, positive_definite
from gnomon.bench.kernels._reciprocal import divide_by_reciprocal
from gnomon.bench.kernels._wide import Range, wide_dot

if TYPE_CHECKING:
    from gnomon.bench.kernels._fixed import FixedPoint, Reals, Steps


def solve_positive(fixed: FixedPoint, operands: Operands) -> tuple[Steps, Status]:
    """``fx_solve_positive_scalar_floor_checked``."""
    a, b = operands
    n = len(a)
    lower, inverse, status = factor_ldl(fixed, a)
    if status is not Status.OK:
        return np.zeros_like(b), status
    seen = Range()
    x = np.zeros_like(b)
    for i in range(n):
        total = (b[i] << fixed.fraction_bits) - wide_dot(lower[i, :i], x[:i])
        x[i] = seen.floor(total, fixed)
    for i in reversed(range(n)):
        quotient = divide_by_reciprocal(x[i : i + 1], inverse[i], seen)[0]
        total = (quotient << fixed.fraction_bits) - wide_dot(lower[i + 1 :, i], x[i + 1 :])
        x[i] = seen.floor(total, fixed)
    if seen.lost:
        return np.zeros_like(b), Status.OVERFLOW
    return x, Status.OK


def _bound(fixed: FixedPoint, operands: Operands) -> Reals:
    """First-order error of all stages, and half as much again for the rest; a step as unit.

    The factors are those of a matrix that is off by ``change`` (see ``invert-symmetric``), which
    A^-1 and x spread. An element of the forward substitution is off by one, which A^-1 L spreads;
    a quotient and an element of the backward one by three, which L^-T spreads.
    """
    a, b = (fixed.to_real(each) for each in operands)
    a = np.tril(a) + np.tril(a, -1).T
    inverse = np.abs(np.linalg.inv(a))
    cholesky = np.linalg.cholesky(a)
    pivots = np.diag(cholesky) ** 2
    lower = cholesky / np.diag(cholesky)[None, :]
    change = 2 + 2 * (np.abs(lower) * pivots[None, :]).sum(axis=1)
    of_factors = inverse @ np.maximum.outer(change, change) @ np.abs(np.linalg.solve(a, b))
    back = np.abs(np.linalg.inv(lower)).T
    of_forward = back @ (1.0 / pivots)
    of_backward = 3 * back.sum(axis=1)
    return np.asarray((1.5 * (of_factors + of_forward + of_backward) + 1) * fixed.step)


def _generate(fixed: FixedPoint, extents: Extents, rng: np.random.Generator) -> Operands:
    limit = min(16.0, 2.0 ** (28 - fixed.fraction_bits))
    return positive_definite(fixed, rng, extents[0]), uniform(fixed, rng, extents, limit)


SOLVE_POSITIVE = Kernel(
    name="solve-positive",
    title="a out = b, a positive definite",
    extents=("n",),
    square=lambda n: (n,),
    operand_shapes=lambda extents: (extents * 2, extents),
    result_shape=lambda extents: extents,
    arguments=lambda extents: extents,
    exact=lambda operands: np.asarray(np.linalg.solve(*operands)),
    generate=_generate,
    input_range=lambda _: f"a {RANGE}; b within +-16",
    driver="solve_positive/measure.c",
    variants=(
        Variant(
            name="scalar",
            function="fx_solve_positive_scalar_floor_checked",
            sources=("solve_positive/scalar.c", "fx_divide.c"),
            vector=False,
            contract="64-bit sums rounded down, reciprocals of 31 bits; else a status",
            model=lambda fixed, operands: solve_positive(fixed, operands)[0],
            error_bound=_bound,
            status=lambda fixed, operands: solve_positive(fixed, operands)[1],
        ),
    ),
    work_words=lambda extents: extents[0] ** 2 + 3 * extents[0],
    in_place=(1,),
)
