"""Sums of products in 64 bits, bit for bit as ``kernels/fx_wide.h``: int64 arrays wrap alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.bench.kernels._fixed import wrap
from gnomon.bench.kernels._kernel import Status

if TYPE_CHECKING:
    from gnomon.bench.kernels._fixed import FixedPoint, Steps


def wide_dot(a: Steps, b: Steps) -> Steps:
    """``a @ b`` modulo 2^64, and an array even where that is a single number."""
    with np.errstate(over="ignore"):
        return np.asarray(np.matmul(a, b), dtype=np.int64)


def wide_floor_wrap(total: Steps, fixed: FixedPoint) -> Steps:
    """A sum of products as a number, rounded down, its low 32 bits."""
    return wrap(total >> fixed.fraction_bits)


class Range:
    """``struct fx_range``: whether a sum left the range, and which magnitudes were seen."""

    def __init__(self) -> None:
        self.lost = False
        self._seen = 0

    def see(self, values: Steps) -> None:
        """Note magnitudes; of a negative number that of the one above it, as the C does."""
        sizes = np.where(values < 0, ~values, values).reshape(-1)
        self._seen |= int(np.bitwise_or.reduce(sizes)) if sizes.size else 0

    def floor(self, total: Steps, fixed: FixedPoint) -> Steps:
        """``fx_wide_floor``."""
        wide = np.asarray(total) >> fixed.fraction_bits
        value = wrap(wide)
        self.note(wide, value)
        return value

    def note(self, wide: Steps, value: Steps) -> None:
        """Note whether 32 bits lose anything of a number."""
        self.lost |= bool((wide != value).any())

    def status(self, count: int) -> Status:
        """``fx_range_status``."""
        limit = 1 << (31 - (count - 1).bit_length())
        return Status.OVERFLOW if self.lost or self._seen >= limit else Status.OK
