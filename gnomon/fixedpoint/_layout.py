"""From the words that a learner keeps to the inverses that they stand for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gnomon.algorithms._paper_model import PaperModel, Steps, wrap
from gnomon.algorithms._paper_vector_model import VectorModel

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.algorithms import Sizes
    from gnomon.fixedpoint._case import Cell

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class KeptModel:
    """What a model stands for.

    Attributes:
        inverses: A^-1 of each arm, (N, d, d), as the learner uses it; where it keeps A, as its own
            inversion gives it, bit for bit.
        shared: likewise A0^-1, (k, k); None for the disjoint algorithm.
    """

    inverses: Floats = field(repr=False)
    shared: Floats | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class Layout:
    """How an implementation keeps its model.

    Attributes:
        keeps: names of the sums that it keeps as they are: A, b, B. They grow with the rounds.
        read: the model from its words.
        inverse_in_units: A^-1 has the fraction bits of the cell; else its own.
    """

    keeps: tuple[str, ...]
    read: Callable[[Cell, Sizes, NDArray[np.int32]], KeptModel]
    inverse_in_units: bool = True


_TUNED_BITS = 30


class _FastModel(PaperModel):
    """The same bits as ``PaperModel``, with inner products by NumPy."""

    __slots__ = ()

    def dot(self, a: Steps, b: Steps) -> int:
        """Sum of products rounded towards zero."""
        products = a * b
        rounded = np.where(
            products < 0, -(-products >> self.fraction_bits), products >> self.fraction_bits
        )
        return wrap(int(rounded.sum()))


def layout_of(cell: Cell) -> Layout | None:
    """How the implementation of a cell keeps its model; None if nobody has said it."""
    return _LAYOUTS.get((cell.case.name, cell.line, cell.variant))


def _paper(cell: Cell, sizes: Sizes, words: NDArray[np.int32]) -> KeptModel:
    d, k = sizes.d, sizes.k
    at = 0

    def take(*shape: int) -> Steps:
        nonlocal at
        part = words[at : at + int(np.prod(shape))].astype(np.int64).reshape(shape)
        at += part.size
        return part

    shared = None
    if k:
        shared = take(k, k)
        take(k)
    matrices = []
    for _ in range(sizes.arms):
        matrices.append(take(d, d))
        take(d * k + d)
        if cell.implementation.correction_period is not None:
            take(d, d)
    if cell.variant.startswith("standard"):
        invert = (VectorModel if cell.implementation.vector else _FastModel)(
            cell.fraction_bits
        ).inverse
        matrices = [invert(matrix) for matrix in matrices]
        shared = None if shared is None else invert(shared)
    one = 2.0**cell.fraction_bits
    return KeptModel(np.array(matrices) / one, None if shared is None else shared / one)


def _scaled(sizes: Sizes, words: NDArray[np.int32]) -> Floats:
    """A model of the tuned disjoint line, less the scale that is the last word of each arm."""
    arms = words.reshape(sizes.arms, -1)
    return np.asarray(arms[:, :-1] / (2.0**_TUNED_BITS * 4.0 ** arms[:, -1:]))


def _triangles(_: Cell, sizes: Sizes, words: NDArray[np.int32]) -> KeptModel:
    d = sizes.d
    inverses = np.zeros((sizes.arms, d, d))
    rows, columns = np.tril_indices(d)
    kept = _scaled(sizes, words)[:, : len(rows)]
    inverses[:, rows, columns] = kept
    inverses[:, columns, rows] = kept
    return KeptModel(inverses, None)


def _diagonals(_: Cell, sizes: Sizes, words: NDArray[np.int32]) -> KeptModel:
    d = sizes.d
    inverses = np.zeros((sizes.arms, d, d))
    kept = _scaled(sizes, words).reshape(sizes.arms, -1, d)
    for k in range(d // 2 + 1):
        for i in range(d):
            j = (i + k) % d
            inverses[:, i, j] = inverses[:, j, i] = kept[:, k, i]
    return KeptModel(inverses, None)


_SUMS = {
    "standard": ("A", "b"),
    "optimized": ("b",),
    "corrected": ("A", "b"),
}
_LAYOUTS = {
    **{
        (name, "paper", variant + suffix): Layout((*keeps, *more), _paper)
        for name, more in (("linucb-disjoint", ()), ("linucb-hybrid", ("B",)))
        for variant, keeps in _SUMS.items()
        for suffix in ("", "-vector")
    },
    ("linucb-disjoint", "tuned", "optimized"): Layout((), _triangles, inverse_in_units=False),
    ("linucb-disjoint", "tuned", "optimized-vector"): Layout(
        (), _diagonals, inverse_in_units=False
    ),
}
