"""``gaussian``: values of a Gaussian kernel between one point and the rows of a matrix."""

import numpy as np

from gnomon.arch import Architecture
from gnomon.content.kernels.exp import model as exp
from gnomon.measure.kernels import fixed as fx
from gnomon.measure.kernels.fixed import Answer, FixedPoint, Operands, Reals, Rng, Status, Steps

_FARTHEST = 64.0  # largest squared distance of generated points
_STEEPEST = 8.0  # largest generated g


def exact(a: Reals, x: Reals, g: Reals) -> Reals:
    return np.asarray(np.exp(-g[0] * ((a - x) ** 2).sum(axis=1)))


def generate(fixed: FixedPoint, rng: Rng, rows: int, columns: int) -> Operands:
    """Sample points whose distance is small enough that neither variant wraps."""
    room = 2.0 ** (30 - fixed.fraction_bits - fixed.post_shift)
    farthest = min(_FARTHEST, room)
    limit = min(1.0, 0.5 * (farthest / columns) ** 0.5)
    steepest = min(_STEEPEST, room / farthest)
    g = fixed.nearest(np.array([rng.uniform(steepest / 8, steepest)]))
    return (
        fx.uniform(fixed, rng, (rows, columns), limit),
        fx.uniform(fixed, rng, (columns,), limit),
        g,
    )


def scalar(fixed: FixedPoint, a: Steps, x: Steps, g: Steps) -> Answer:
    zeros = np.zeros(len(a), dtype=np.int64)
    if g[0] < 0:
        return zeros, Status.UNDEFINED
    seen = fx.Range()
    differences = seen.note(a - x)
    seen.see(differences)
    with np.errstate(over="ignore"):
        squares = (differences * differences).sum(axis=1)
    distances = seen.floor(squares, fixed) & 0xFFFF_FFFF
    status = seen.status(a.shape[1])
    if status is not Status.OK:
        return zeros, status
    sizes = np.minimum((distances * g[0]) >> fixed.fraction_bits, 2**32 - 1)
    return exp.exp_of_minus(sizes, fixed.fraction_bits), Status.OK


def vector(fixed: FixedPoint, a: Steps, x: Steps, g: Steps) -> Answer:
    if g[0] < 0:
        return np.zeros(len(a), dtype=np.int64), Status.UNDEFINED
    differences = fx.wrap(a - x)
    sums = fx.wrap(fx.product_of_shifted(differences, differences, fixed).sum(axis=1))
    sizes = fx.shifted_product(sums >> fixed.post_shift, g, fixed)
    return exp.exp_chunk(fx.wrap(-sizes), fixed.fraction_bits), Status.OK


def scalar_bound(fixed: FixedPoint, a: Reals, x: Reals, g: Reals) -> Reals:
    """Return the bound: a step of |a - x|^2 times g, a step, and the error of exp."""
    return np.asarray(exp.scalar_bound(fixed, a) + (float(g[0]) + 1) * fixed.step)


def vector_bound(fixed: FixedPoint, a: Reals, x: Reals, g: Reals) -> Reals:
    size = np.abs(a - x)
    # One step for each product, of which the sum loses one.
    of_sum = fx.shifted_product_bound(size, size, fixed).sum(axis=1)
    distance = (size**2).sum(axis=1)
    of_size = g * of_sum + fx.shifted_product_bound(distance + of_sum, g, fixed)
    return np.asarray(exp.vector_bound(fixed, a) + np.minimum(of_size, 1.0))


def row_obstacle(
    architecture: Architecture, fixed: FixedPoint, rows: int, columns: int
) -> str | None:
    words = 0 if architecture.vcu is None else int(architecture.vcu.scratchpads.size) // 4
    if architecture.vcu is None or columns <= words:
        return None
    return (
        f"a row of {columns} numbers does not fit a scratchpad (columns at most"
        f" {words}, vcu.scratchpads.size; or use --variant scalar)"
    )
