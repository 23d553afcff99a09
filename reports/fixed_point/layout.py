"""Inverses that the words of a learner's model represent."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from gnomon.content.algorithms.linucb_paper.arithmetic import PaperModel, Steps, VectorModel
from gnomon.learn.kernels import Floats
from gnomon.measure.learners import EmbeddedSizes
from gnomon.measure.regret import RegretCell as Cell


@dataclass(frozen=True, slots=True)
class KeptModel:
    """Values that a model represents."""

    # A^-1 of each arm, (N, d, d), as the learner uses it; where it keeps A, as its own inversion
    # gives it, bit for bit
    inverses: Floats = field(repr=False)
    # likewise A0^-1, (k, k); None for the disjoint algorithm
    shared: Floats | None = field(repr=False)
    # the weights of each arm, (N, d), as they are kept, or A^-1 b of what is used and kept; None
    # for the hybrid algorithm
    thetas: Floats | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class Layout:
    """Storage layout of an implementation's model."""

    # names of the sums that it stores unscaled: A, b, B. They grow with the rounds
    keeps: tuple[str, ...]
    read: Callable[[Cell, EmbeddedSizes, NDArray[np.int32]], KeptModel]  # the model from its words
    inverse_in_units: bool = True  # A^-1 has the fraction bits of the cell; else its own
    # it stores the covariance of the weights psi_a of all arms (docs/notes/tuned-hybrid.md); then
    # the block of each arm replaces its A^-1
    joint: bool = False


_TUNED_BITS = 30
_THETA_BITS = 20


def layout_of(cell: Cell) -> Layout | None:
    """Return the layout of the model of a cell's implementation; None if none is defined."""
    return _LAYOUTS.get((cell.case.name, cell.line, cell.variant))


def _paper(cell: Cell, sizes: EmbeddedSizes, words: NDArray[np.int32]) -> KeptModel:
    d, k = sizes.d, sizes.k
    at = 0

    def take(*shape: int) -> Steps:
        nonlocal at
        part = words[at : at + int(np.prod(shape))].astype(np.int64).reshape(shape)
        at += part.size
        return part

    shared = take(k, k) if k else None
    take(k)
    matrices, sums = [], []
    for _ in range(sizes.arms):
        matrices.append(take(d, d))
        take(d * k)
        sums.append(take(d))
        if cell.implementation.correction_period is not None:
            take(d, d)
    if cell.variant.startswith("standard"):
        invert = (VectorModel if cell.implementation.vector else PaperModel)(
            cell.fraction_bits
        ).inverse
        matrices = [invert(matrix) for matrix in matrices]
        shared = None if shared is None else invert(shared)
    one = 2.0**cell.fraction_bits
    inverses, b = np.array(matrices) / one, np.array(sums) / one
    if shared is not None:
        return KeptModel(inverses, shared / one, None)
    return KeptModel(inverses, None, np.einsum("aij,aj->ai", inverses, b))


def _from_triangle(words: Floats, n: int) -> Floats:
    """Return a symmetric matrix from its lower triangle, row after row."""
    matrix = np.zeros((n, n))
    rows, columns = np.tril_indices(n)
    matrix[rows, columns] = matrix[columns, rows] = words[: len(rows)]
    return matrix


def _from_diagonals(words: Floats, n: int) -> Floats:
    """Return a symmetric matrix from its cyclic diagonals: (i, i + k mod n), k from 0 to n / 2."""
    matrix = np.zeros((n, n))
    rows = np.arange(n)
    for k in range(n // 2 + 1):
        columns = (rows + k) % n
        matrix[rows, columns] = matrix[columns, rows] = words[k * n : (k + 1) * n]
    return matrix


def _tuned(
    rebuild: Callable[[Floats, int], Floats],
    _: Cell,
    sizes: EmbeddedSizes,
    words: NDArray[np.int32],
) -> KeptModel:
    """Read a disjoint model, in which the last word of each arm is its scale."""
    arms = words.reshape(sizes.arms, -1)
    inverses = [rebuild(arm[:-1] / (2.0**_TUNED_BITS * 4.0 ** arm[-1]), sizes.d) for arm in arms]
    thetas = arms[:, -1 - sizes.d : -1] / 2.0**_THETA_BITS
    return KeptModel(np.array(inverses), None, thetas)


def _joint(
    rebuild: Callable[[Floats, int], Floats], words_of: Callable[[int], int],
    _: Cell, sizes: EmbeddedSizes, words: NDArray[np.int32],
) -> KeptModel:  # fmt: skip
    """Read a hybrid model: one covariance of all arms, their means, their scales."""
    d, n = sizes.d, sizes.d * sizes.arms
    covariance = rebuild(words / 2.0**_TUNED_BITS, n)
    scales = words[words_of(n) + n :][: sizes.arms]
    blocks = [
        covariance[a * d : (a + 1) * d, a * d : (a + 1) * d] / 4.0 ** scales[a]
        for a in range(sizes.arms)
    ]
    return KeptModel(np.array(blocks), None, None)


_SUMS = {"standard": ("A", "b"), "optimized": ("b",), "corrected": ("A", "b")}
_OWN = partial(Layout, (), inverse_in_units=False)
_LAYOUTS = {
    **{
        (name, "paper", variant + suffix): Layout((*keeps, *more), _paper)
        for name, more in (("linucb-disjoint", ()), ("linucb-hybrid", ("B",)))
        for variant, keeps in _SUMS.items()
        for suffix in ("", "-vector")
    },
    ("linucb-disjoint", "tuned", "optimized"): _OWN(partial(_tuned, _from_triangle)),
    ("linucb-disjoint", "tuned", "optimized-vector"): _OWN(partial(_tuned, _from_diagonals)),
    ("linucb-hybrid", "tuned", "optimized"): _OWN(
        partial(_joint, _from_triangle, lambda n: n * (n + 1) // 2), joint=True
    ),
    ("linucb-hybrid", "tuned", "optimized-vector"): _OWN(
        partial(_joint, _from_diagonals, lambda n: (n // 2 + 1) * n), joint=True
    ),
}
