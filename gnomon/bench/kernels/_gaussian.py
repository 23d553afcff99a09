"""``gaussian``: values of a Gaussian kernel between one point and the rows of a matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.bench.kernels._exp import (
    exp_chunk,
    exp_obstacle,
    exp_of_minus,
    scalar_exp_bound,
    vector_exp_bound,
)
from gnomon.bench.kernels._fixed import product_of_shifted, wrap
from gnomon.bench.kernels._kernel import Extents, Kernel, Operands, Status, Variant, uniform
from gnomon.bench.kernels._multiply import shifted_product, shifted_product_bound
from gnomon.bench.kernels._wide import Range

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.bench.kernels._fixed import FixedPoint, Reals, Steps

    Answer = tuple[Steps, Status]

_LARGEST_FRACTION_BITS = 27
_FARTHEST = 64.0  # squared distance of generated points
_STEEPEST = 8.0  # generated g


def _scalar(fixed: FixedPoint, operands: Operands) -> Answer:
    a, x, g = operands
    zeros = np.zeros(len(a), dtype=np.int64)
    if g[0] < 0:
        return zeros, Status.UNDEFINED
    seen = Range()
    differences = wrap(a - x)
    seen.note(a - x, differences)
    seen.see(differences)
    with np.errstate(over="ignore"):
        squares = (differences * differences).sum(axis=1)
    distances = seen.floor(squares, fixed) & 0xFFFF_FFFF
    status = seen.status(a.shape[1])
    if status is not Status.OK:
        return zeros, status
    sizes = np.minimum((distances * g[0]) >> fixed.fraction_bits, 2**32 - 1)
    return exp_of_minus(sizes, fixed.fraction_bits), Status.OK


def _vector(fixed: FixedPoint, operands: Operands) -> Answer:
    a, x, g = operands
    if g[0] < 0:
        return np.zeros(len(a), dtype=np.int64), Status.UNDEFINED
    differences = wrap(a - x)
    sums = wrap(product_of_shifted(differences, differences, fixed).sum(axis=1))
    sizes = shifted_product(fixed, sums >> fixed.post_shift, g)
    return exp_chunk(wrap(-sizes), fixed.fraction_bits), Status.OK


def _exact(operands: tuple[Reals, ...]) -> Reals:
    a, x, g = operands
    return np.asarray(np.exp(-g[0] * ((a - x) ** 2).sum(axis=1)))


def _scalar_bound(fixed: FixedPoint, operands: Operands) -> Reals:
    """An argument is off by a step of |a - x|^2 times g, and a step; exp changes less than that."""
    g = float(fixed.to_real(operands[2])[0])
    return np.asarray(scalar_exp_bound(fixed) + (g + 1) * fixed.step)


def _vector_bound(fixed: FixedPoint, operands: Operands) -> Reals:
    a, x, g = (fixed.to_real(each) for each in operands)
    size = np.abs(a - x)
    # A step for each product, where the sum loses one.
    of_sum = shifted_product_bound(fixed, size, size).sum(axis=1)
    distance = (size**2).sum(axis=1)
    of_size = g * of_sum + shifted_product_bound(fixed, distance + of_sum, g)
    return np.asarray(vector_exp_bound(fixed) + np.minimum(of_size, 1.0))


def _generate(fixed: FixedPoint, extents: Extents, rng: np.random.Generator) -> Operands:
    """Points at most so far apart that neither variant wraps."""
    rows, columns = extents
    room = 2.0 ** (30 - fixed.fraction_bits - fixed.post_shift)
    farthest = min(_FARTHEST, room)
    limit = min(1.0, 0.5 * (farthest / columns) ** 0.5)
    steepest = min(_STEEPEST, room / farthest)
    g = np.array([round(float(rng.uniform(steepest / 8, steepest)) * 2**fixed.fraction_bits)])
    return (
        uniform(fixed, rng, (rows, columns), limit),
        uniform(fixed, rng, (columns,), limit),
        g.astype(np.int64),
    )


def _scalar_obstacle(_: Architecture, __: Extents, fixed: FixedPoint) -> str | None:
    if fixed.fraction_bits <= _LARGEST_FRACTION_BITS:
        return None
    return (
        f"{fixed.fraction_bits} fraction bits leave no room for arguments down to -32"
        f" (at most {_LARGEST_FRACTION_BITS})"
    )


def _vector_obstacle(architecture: Architecture, extents: Extents, fixed: FixedPoint) -> str | None:
    if architecture.vcu is not None:
        words = int(architecture.vcu.scratchpads.size) // 4
        if extents[1] > words:
            return (
                f"a row of {extents[1]} numbers does not fit a scratchpad (columns at most"
                f" {words}, vcu.scratchpads.size; or use --variant scalar)"
            )
    return exp_obstacle(architecture, extents, fixed)


GAUSSIAN = Kernel(
    name="gaussian",
    title="Gaussian kernel of x and the rows of a, out_i = exp(-g |a_i - x|^2)",
    extents=("rows", "columns"),
    square=lambda n: (n, n),
    operand_shapes=lambda extents: (extents, extents[1:], (1,)),
    result_shape=lambda extents: extents[:1],
    arguments=lambda extents: extents,
    exact=_exact,
    generate=_generate,
    input_range=lambda _: f"within +-1, |a_i - x|^2 up to {_FARTHEST:g}; g from 1 to {_STEEPEST:g}",
    driver="gaussian/measure.c",
    variants=(
        Variant(
            name="scalar",
            function="fx_gaussian_scalar_nearest_checked",
            sources=("gaussian/scalar.c", "fx_exp.c"),
            vector=False,
            contract="64-bit sums of squares, rounded down; exp rounded to nearest; a status",
            model=lambda fixed, operands: _scalar(fixed, operands)[0],
            error_bound=_scalar_bound,
            status=lambda fixed, operands: _scalar(fixed, operands)[1],
            obstacle=_scalar_obstacle,
        ),
        Variant(
            name="vector",
            function="fx_gaussian_vector_nearest_checked",
            sources=("gaussian/vector.c",),
            vector=True,
            contract="operands shifted, 32-bit products wrap; exp in 15 bits; a status for g",
            model=lambda fixed, operands: _vector(fixed, operands)[0],
            error_bound=_vector_bound,
            status=lambda fixed, operands: _vector(fixed, operands)[1],
            obstacle=_vector_obstacle,
        ),
    ),
)
