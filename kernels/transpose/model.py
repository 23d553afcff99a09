"""``transpose``: transposed matrix."""

from gnomon.measure.kernels.fixed import FixedPoint, Operands, Reals, Rng, Steps, any_words


def exact(a: Reals) -> Reals:
    return a.T


def generate(fixed: FixedPoint, rng: Rng, rows: int, columns: int) -> Operands:
    return (any_words(rng, (rows, columns)),)


def model(fixed: FixedPoint, a: Steps) -> Steps:
    return a.T
