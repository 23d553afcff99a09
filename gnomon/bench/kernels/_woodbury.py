"""``woodbury``: inverse of a matrix to which several outer products are added."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.bench.kernels._fixed import wrap
from gnomon.bench.kernels._invert_symmetric import invert_ldl, ldl_bound
from gnomon.bench.kernels._kernel import Extents, Kernel, Operands, Status, Variant, uniform
from gnomon.bench.kernels._multiply import sum_then_shift
from gnomon.bench.kernels._positive import (
    INVERSE_RANGE,
    inverse_of_positive_definite,
    mirrored,
    spread,
)
from gnomon.bench.kernels._sherman_morrison import exact_update
from gnomon.bench.kernels._wide import Range, wide_dot, wide_floor_wrap

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.arch import Architecture
    from gnomon.bench.kernels._fixed import FixedPoint, Reals, Steps

    Answer = tuple[Steps, Status]
    Loss = Callable[[Reals, Reals], Reals]
    """What a product loses by its own rounding, from the sizes of its operands."""


def _scalar(fixed: FixedPoint, operands: Operands) -> Answer:
    a, u = operands
    rank, n = u.shape
    seen = Range()
    seen.see(u)
    v = seen.floor(wide_dot(u, a.T), fixed)
    seen.see(v)
    ones = np.eye(rank, dtype=np.int64) << 2 * fixed.fraction_bits
    rows, columns = np.tril_indices(rank)
    s = np.zeros((rank, rank), dtype=np.int64)
    s[rows, columns] = seen.floor((ones + wide_dot(u, v.T))[rows, columns], fixed)
    status = seen.status(max(n, rank))
    if status is Status.OK:
        s, status = invert_ldl(fixed, s)
    if status is not Status.OK:
        return a, status
    w = seen.floor(wide_dot(s, v), fixed)
    if seen.lost:
        return a, Status.OVERFLOW
    return mirrored(wrap(a - wide_floor_wrap(wide_dot(w.T, v), fixed))), Status.OK


def _vector(fixed: FixedPoint, operands: Operands) -> Answer:
    a, u = operands
    v = sum_then_shift(fixed, (u, a.T))
    s = sum_then_shift(fixed, (u, v.T))
    s = wrap(s + (np.eye(len(u), dtype=np.int64) << fixed.fraction_bits))
    inverse, status = invert_ldl(fixed, s)
    if status is not Status.OK:
        return a, status
    w = sum_then_shift(fixed, (inverse, v))
    return wrap(a - sum_then_shift(fixed, (w.T, v))), Status.OK


def _bound(fixed: FixedPoint, operands: Operands, lost: Loss) -> Reals:
    """Every product spreads the errors of its operands, and adds its own rounding."""
    a, u = (fixed.to_real(values) for values in operands)
    v = u @ a.T
    s = np.eye(len(u)) + u @ v.T
    inverse = np.asarray(np.linalg.inv(s), dtype=np.float64)
    w = np.abs(inverse @ v)
    of_v = lost(np.abs(u), np.abs(a.T))
    size_v = np.abs(v) + of_v
    of_s = np.abs(u) @ of_v.T + lost(np.abs(u), size_v.T)
    of_inverse = 1.5 * spread(inverse, np.maximum(of_s, of_s.T)) + ldl_bound(fixed, s)
    size_inverse = np.abs(inverse) + of_inverse
    of_w = of_inverse @ size_v + np.abs(inverse) @ of_v + lost(size_inverse, size_v)
    of_last = lost((w + of_w).T, size_v)
    bound = np.asarray(of_w.T @ size_v + w.T @ of_v + of_last)
    return np.maximum(bound, bound.T)


def _one_step(fixed: FixedPoint) -> Loss:
    return lambda a, b: np.full((a.shape[0], b.shape[1]), fixed.step)


def _shifts(fixed: FixedPoint) -> Loss:
    lost_a = fixed.step * 2**fixed.pre_shift_a
    lost_b = fixed.step * 2**fixed.pre_shift_b

    def lost(a: Reals, b: Reals) -> Reals:
        of_a = a.sum(axis=1, keepdims=True) * lost_b
        of_b = b.sum(axis=0, keepdims=True) * lost_a
        return np.asarray(of_a + of_b + a.shape[1] * lost_a * lost_b + fixed.step)

    return lost


def _generate(fixed: FixedPoint, extents: Extents, rng: np.random.Generator) -> Operands:
    n, rank = extents
    limit = min(1.0, 2.0 ** (28 - fixed.fraction_bits - fixed.post_shift)) / rank**0.5
    return inverse_of_positive_definite(fixed, rng, n), uniform(fixed, rng, (rank, n), limit)


def _obstacle(architecture: Architecture, extents: Extents, _: FixedPoint) -> str | None:
    assert architecture.vcu is not None
    most = architecture.vcu.scratchpads.size // 8 - 1
    if extents[1] <= most:
        return None
    return (
        f"a rank of {extents[1]} is too much for scratchpads of"
        f" {int(architecture.vcu.scratchpads.size)} bytes (at most {most}, vcu.scratchpads.size)"
    )


WOODBURY = Kernel(
    name="woodbury",
    title="inverse of (m + u^T u) from the inverse a of m",
    extents=("n", "rank"),
    square=lambda n: (n, min(n, 4)),
    operand_shapes=lambda extents: (extents[:1] * 2, extents[::-1]),
    result_shape=lambda extents: extents[:1] * 2,
    arguments=lambda extents: extents,
    exact=exact_update,
    generate=_generate,
    input_range=lambda extents: f"{INVERSE_RANGE}; u within +-1 / sqrt({extents[1]})",
    driver="woodbury/measure.c",
    variants=(
        Variant(
            name="scalar",
            function="fx_woodbury_scalar_floor_checked",
            sources=(
                "woodbury/scalar.c",
                "invert_symmetric/scalar.c",
                "fx_divide.c",
            ),
            vector=False,
            contract="64-bit sums, each rounded down once; else a status",
            model=lambda fixed, operands: _scalar(fixed, operands)[0],
            error_bound=lambda fixed, operands: _bound(fixed, operands, _one_step(fixed)),
            status=lambda fixed, operands: _scalar(fixed, operands)[1],
        ),
        Variant(
            name="vector",
            function="fx_woodbury_vector_floor_checked",
            sources=(
                "woodbury/vector.c",
                "invert_symmetric/scalar.c",
                "multiply_transposed/vector.c",
                "multiply/vector.c",
                "multiply/rows.c",
                "multiply/dots.c",
                "fx_rank_vector.c",
                "fx_divide.c",
            ),
            vector=True,
            contract="operands shifted, 32-bit products wrap; a status for the rank-sized inverse",
            model=lambda fixed, operands: _vector(fixed, operands)[0],
            error_bound=lambda fixed, operands: _bound(fixed, operands, _shifts(fixed)),
            status=lambda fixed, operands: _vector(fixed, operands)[1],
            obstacle=_obstacle,
        ),
    ),
    work_words=lambda extents: (2 * extents[0] + 2 * extents[1] + 4) * extents[1],
    in_place=(0,),
)
