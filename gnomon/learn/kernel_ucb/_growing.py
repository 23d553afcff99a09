"""The inverse of a kernel matrix plus lambda I that grows by a row and a column, in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.learn._trace import note

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats


class GrowingInverse:
    """Block inversion by the Schur complement: O(t^2) for each state more.

    Args:
        regularisation: lambda; the kernel of a state with itself is 1.
    """

    def __init__(self, regularisation: float) -> None:
        self._corner = 1.0 + regularisation
        self._buffer: Floats = np.zeros((16, 16))
        self._count = 0

    @property
    def all(self) -> Floats:
        """The inverse, (t, t), not a copy."""
        return self._buffer[: self._count, : self._count]

    def replace(self, inverse: Floats) -> None:
        """Another one."""
        self._buffer = np.array(inverse)
        self._count = len(inverse)

    def grow(self, column: Floats) -> None:
        """One state more, whose kernel values with those so far are ``column``, (t)."""
        count = self._count
        if count == len(self._buffer):
            room = max(2 * count, 1)
            larger = np.zeros((room, room))
            larger[:count, :count] = self._buffer
            self._buffer = larger
        inverse = self.all
        if count:
            note("grow_inverse", (count,))
        w = inverse @ column
        schur = self._corner - float(column @ w)
        inverse += w[:, None] * (w / schur)[None, :]
        self._count += 1
        whole = self.all
        whole[count, :count] = whole[:count, count] = -w / schur
        whole[count, count] = 1.0 / schur
