"""Substitution and factors, bit for bit as ``fx_solve.h`` and ``fx_ldl.h``."""

import numpy as np

from gnomon.content.kernels.common import divide as division
from gnomon.content.kernels.common.divide import Reciprocal
from gnomon.measure.kernels.fixed import FixedPoint, Range, Reals, Status, Steps, wide_dot


def solve_row(b: int, row: Steps, x: Steps, pivot: int, fixed: FixedPoint) -> tuple[int, Status]:
    """Compute ``fx_solve_row``."""
    total = np.array(b << fixed.fraction_bits, dtype=np.int64) - wide_dot(row, x)
    return division.divide_wide(int(total), pivot)


def solve_status(seen: Range, count: int, failed: Status) -> Status:
    """Compute ``fx_solve_status``."""
    if failed is Status.UNDEFINED:
        return Status.SINGULAR
    return failed if failed is Status.OVERFLOW else seen.status(count)


def pivot_error(products: Steps, fixed: FixedPoint) -> int:
    """Compute ``fx_pivot_error``, in steps."""
    sizes = np.where(products < 0, ~products, products) >> fixed.fraction_bits
    return 1 + int(sizes.sum()) + sizes.size


def factor_ldl(fixed: FixedPoint, a: Steps) -> tuple[Steps, list[Reciprocal], Status]:
    """Compute L, with ones on its diagonal, and the reciprocals of the pivots."""
    n = len(a)
    lower = np.eye(n, dtype=np.int64) * fixed.one
    inverse: list[Reciprocal] = []
    for i in range(n):
        seen = Range()
        row = np.zeros(n, dtype=np.int64)
        for j in range(i):
            total = (a[i, j] << fixed.fraction_bits) - wide_dot(row[:j], lower[j, :j])
            row[j] = seen.floor(total, fixed)
            lower[i, j] = division.divide_by_reciprocal(row[j : j + 1], inverse[j], seen)[0]
        seen.see(lower[i, :i])
        pivot = int(seen.floor((a[i, i] << fixed.fraction_bits) - wide_dot(row, lower[i]), fixed))
        status = seen.status(n)
        if status is Status.OK and pivot <= max(0, pivot_error(row[:i], fixed)):
            status = Status.SINGULAR
        if status is not Status.OK:
            return lower, inverse, status
        inverse.append(division.reciprocal(pivot, fixed))
    return lower, inverse, Status.OK


def real_ldl(a: Reals) -> tuple[Reals, Reals, Reals]:
    """Compute L and the pivots in real numbers, and the backward error of the computed factors.

    In steps: the error of an element of l d is one, as is that of l (slightly more by its
    division.reciprocal); the factor d_k l_jk of each product scales it.
    """
    cholesky = np.linalg.cholesky(a)
    pivots = np.diag(cholesky) ** 2
    lower = cholesky / np.diag(cholesky)[None, :]
    change = 2 + 2 * (np.abs(lower) * pivots[None, :]).sum(axis=1)
    return lower, pivots, np.maximum.outer(change, change)
