"""``multiply``: product of two matrices."""

import numpy as np

from gnomon.arch import Architecture
from gnomon.measure.kernels import fixed as fx
from gnomon.measure.kernels.fixed import FixedPoint, Operands, Reals, Rng, Steps
from gnomon.measure.kernels.work import LeastVectorWork


def exact(a: Reals, b: Reals) -> Reals:
    return np.asarray(a @ b)


def generate(fixed: FixedPoint, rng: Rng, rows: int, inner: int, columns: int) -> Operands:
    limit = fx.input_limit(fixed, inner)
    return fx.uniform(fixed, rng, (rows, inner), limit), fx.uniform(
        fixed, rng, (inner, columns), limit
    )


def each_toward_zero(fixed: FixedPoint, a: Steps, b: Steps) -> Steps:
    total = np.zeros((a.shape[0], b.shape[1]), dtype=np.int64)
    for k in range(a.shape[1]):
        total += fx.multiply_toward_zero_wrap(a[:, k, None], b[None, k, :], fixed)
    return fx.wrap(total)


def wide_floor(fixed: FixedPoint, a: Steps, b: Steps) -> Steps:
    return fx.wide_floor_wrap(fx.wide_dot(a, b), fixed)


def sum_then_shift(fixed: FixedPoint, a: Steps, b: Steps) -> Steps:
    return fx.shifted_matmul(a, b, fixed)


def one_step_each(fixed: FixedPoint, a: Reals, b: Reals) -> Reals:
    """Return the bound of one step for each product; products round independently."""
    return np.array(a.shape[1] * fixed.step)


def shifted_bound(fixed: FixedPoint, a: Reals, b: Reals) -> Reals:
    return fx.shifted_matmul_bound(a, b, fixed)


def replicated(architecture: Architecture, fixed: FixedPoint, *extents: int) -> str | None:
    """Return why harts cannot work together on scratchpads (they are not shared), or None."""
    sharing = architecture.vcu.sharing if architecture.vcu else "shared"
    if sharing == "shared":
        return None
    return f"{architecture.name} has scratchpads for each hart (vcu.sharing {sharing})"


def dots_work(rows: int, inner: int, columns: int) -> list[LeastVectorWork]:
    """Return the least vector work of dot products of rows and columns."""
    words = (rows * inner, inner * columns, rows * columns)
    shifts = [(1, "other", each) for each in words]
    work = [(rows * columns, "kdotp", inner), *shifts]
    return [LeastVectorWork(work, words[0] + words[1], words[2])]


def vector_work(rows: int, inner: int, columns: int) -> list[LeastVectorWork]:
    """Return the least vector work of dot products, and of sums of rows times a number."""
    (dots,) = dots_work(rows, inner, columns)
    counts = (rows * inner, rows * inner - rows)
    by_rows = [*((count, "other", columns) for count in counts), *dots.instructions[1:]]
    return [dots, LeastVectorWork(by_rows, dots.loaded, dots.stored)]
