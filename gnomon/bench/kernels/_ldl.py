"""Factors of a positive definite matrix, bit for bit as ``kernels/fx_ldl.h``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.bench.kernels._kernel import Status
from gnomon.bench.kernels._reciprocal import Reciprocal, divide_by_reciprocal, reciprocal
from gnomon.bench.kernels._solve import pivot_error
from gnomon.bench.kernels._wide import Range, wide_dot

if TYPE_CHECKING:
    from gnomon.bench.kernels._fixed import FixedPoint, Steps


def factor_ldl(fixed: FixedPoint, a: Steps) -> tuple[Steps, list[Reciprocal], Status]:
    """L with ones on its diagonal, and the reciprocals of the pivots."""
    n = len(a)
    lower = np.eye(n, dtype=np.int64) * (1 << fixed.fraction_bits)
    inverse: list[Reciprocal] = []
    for i in range(n):
        seen = Range()
        row = np.zeros(n, dtype=np.int64)
        for j in range(i):
            total = (a[i, j] << fixed.fraction_bits) - wide_dot(row[:j], lower[j, :j])
            row[j] = seen.floor(total, fixed)
            lower[i, j] = divide_by_reciprocal(row[j : j + 1], inverse[j], seen)[0]
        seen.see(lower[i, :i])
        pivot = int(seen.floor((a[i, i] << fixed.fraction_bits) - wide_dot(row, lower[i]), fixed))
        status = seen.status(n)
        if status is Status.OK and pivot <= max(0, pivot_error(row[:i], fixed)):
            status = Status.SINGULAR
        if status is not Status.OK:
            return lower, inverse, status
        inverse.append(reciprocal(pivot, fixed))
    return lower, inverse, Status.OK
