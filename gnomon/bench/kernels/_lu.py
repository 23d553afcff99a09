"""``lu`` and ``invert``: factors by Doolittle's method, no pivoting, and the inverse by them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.bench.kernels._kernel import Extents, Kernel, Operands, Status, Variant
from gnomon.bench.kernels._positive import RANGE, positive_definite, spread
from gnomon.bench.kernels._solve import pivot_error, solve_row, solve_status
from gnomon.bench.kernels._wide import Range, wide_dot

if TYPE_CHECKING:
    from gnomon.bench.kernels._fixed import FixedPoint, Reals, Steps

    Answer = tuple[Steps, Status]


def _factor(fixed: FixedPoint, a: Steps) -> Answer:
    n = len(a)
    lu = np.zeros_like(a)
    seen, failed = Range(), Status.OK
    for i in range(n):
        for j in range(i):
            value, status = solve_row(int(a[i, j]), lu[i, :j], lu[:j, j], int(lu[j, j]), fixed)
            lu[i, j] = value
            failed = max(failed, status)
        seen.see(lu[i, :i])
        total = (a[i, i:] << fixed.fraction_bits) - wide_dot(lu[i, :i], lu[:i, i:])
        lu[i, i:] = seen.floor(total, fixed)
        status = solve_status(seen, n, failed)
        pivot = int(lu[i, i])
        if (~pivot if pivot < 0 else pivot) <= pivot_error(lu[:i, i], fixed):
            status = Status.SINGULAR
        if status is not Status.OK:
            return np.zeros_like(a), status
    return lu, Status.OK


def _invert(fixed: FixedPoint, a: Steps) -> Answer:
    n = len(a)
    lu, status = _factor(fixed, a)
    if status is not Status.OK:
        return lu, status
    inverse = np.zeros_like(a)
    seen, failed = Range(), Status.OK
    for c in range(n):
        x = np.zeros(n, dtype=np.int64)
        x[c] = 1 << fixed.fraction_bits
        for i in range(c + 1, n):
            x[i] = seen.floor(-wide_dot(lu[i, c:i], x[c:i]), fixed)
        for i in reversed(range(n)):
            pivot = int(lu[i, i])
            x[i], status = solve_row(int(x[i]), lu[i, i + 1 :], x[i + 1 :], pivot, fixed)
            failed = max(failed, status)
        seen.see(x)
        status = solve_status(seen, n, failed)
        if status is not Status.OK:
            return np.zeros_like(a), status
        inverse[:, c] = x
    return inverse, Status.OK


def _exact_factors(a: Reals) -> tuple[Reals, Reals]:
    n = len(a)
    lower, upper = np.eye(n), a.copy()
    for k in range(n):
        lower[k + 1 :, k] = upper[k + 1 :, k] / upper[k, k]
        upper[k + 1 :] -= np.outer(lower[k + 1 :, k], upper[k])
    return lower, np.asarray(np.triu(upper))


def _exact_lu(operands: tuple[Reals, ...]) -> Reals:
    lower, upper = _exact_factors(operands[0])
    return np.asarray(np.tril(lower, -1) + upper)


def _backward_error(fixed: FixedPoint, upper: Reals) -> Reals:
    """The computed factors are those of a matrix that differs by less than this.

    An element of u is off by a step; one of l by a step as well, which its pivot multiplies.
    """
    pivots = np.diag(upper)
    below = np.tril(np.ones_like(upper), -1)
    return np.asarray((1 - below + below * pivots[None, :]) * fixed.step)


def _lu_bound(fixed: FixedPoint, operands: Operands) -> Reals:
    """First-order perturbation of the factors, and half as much again for the rest."""
    lower, upper = _exact_factors(fixed.to_real(operands[0]))
    inner = np.abs(np.linalg.inv(lower)) @ _backward_error(fixed, upper)
    inner = inner @ np.abs(np.linalg.inv(upper))
    of_lower = np.tril(np.abs(lower) @ np.tril(inner, -1), -1)
    of_upper = np.triu(np.triu(inner) @ np.abs(upper))
    return np.asarray(1.5 * (of_lower + of_upper) + fixed.step)


def _invert_bound(fixed: FixedPoint, operands: Operands) -> Reals:
    """Errors of the factors, of both substitutions, and half as much again for second order.

    An element of the first substitution is off by a step: A^-1 L spreads that. One of the second
    leaves a remainder of its pivot times a step: U^-1 does.
    """
    a = fixed.to_real(operands[0])
    inverse = np.asarray(np.linalg.inv(a), dtype=np.float64)
    lower, upper = _exact_factors(a)
    of_factors = spread(inverse, _backward_error(fixed, upper))
    of_first = np.abs(np.linalg.inv(upper)) @ np.abs(np.linalg.inv(lower)).sum(axis=1)
    of_second = np.abs(np.linalg.inv(upper)) @ np.abs(np.diag(upper))
    more = (of_first + of_second)[:, None] * fixed.step
    return np.asarray(1.5 * (of_factors + more))


def _generate(fixed: FixedPoint, extents: Extents, rng: np.random.Generator) -> Operands:
    return (positive_definite(fixed, rng, extents[0]),)


LU = Kernel(
    name="lu",
    title="factors of a = l u without pivoting, u above l",
    extents=("n",),
    square=lambda n: (n,),
    operand_shapes=lambda extents: (extents * 2,),
    result_shape=lambda extents: extents * 2,
    arguments=lambda extents: extents,
    exact=_exact_lu,
    generate=_generate,
    input_range=lambda _: RANGE,
    driver="lu/measure.c",
    variants=(
        Variant(
            name="scalar",
            function="fx_lu_scalar_floor_checked",
            sources=("lu/scalar.c", "fx_divide.c"),
            vector=False,
            contract="64-bit sums; u rounds down, l is divided towards zero; else a status",
            model=lambda fixed, operands: _factor(fixed, operands[0])[0],
            error_bound=_lu_bound,
            status=lambda fixed, operands: _factor(fixed, operands[0])[1],
        ),
    ),
    work_words=lambda extents: extents[0] ** 2,
    in_place=(0,),
)

INVERT = Kernel(
    name="invert",
    title="inverse by l u without pivoting",
    extents=("n",),
    square=lambda n: (n,),
    operand_shapes=lambda extents: (extents * 2,),
    result_shape=lambda extents: extents * 2,
    arguments=lambda extents: extents,
    exact=lambda operands: np.asarray(np.linalg.inv(operands[0])),
    generate=_generate,
    input_range=lambda _: RANGE,
    driver="invert/measure.c",
    variants=(
        Variant(
            name="scalar",
            function="fx_invert_scalar_floor_checked",
            sources=("invert/scalar.c", "lu/scalar.c", "fx_divide.c"),
            vector=False,
            contract="64-bit sums rounded down, quotients towards zero; else a status",
            model=lambda fixed, operands: _invert(fixed, operands[0])[0],
            error_bound=_invert_bound,
            status=lambda fixed, operands: _invert(fixed, operands[0])[1],
        ),
    ),
    work_words=lambda extents: 2 * extents[0] ** 2 + extents[0],
    in_place=(0,),
)
