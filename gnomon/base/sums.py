"""Sums that are equal on every processor."""

from typing import Any

import numpy as np
import numpy.typing as npt


def dot(rows: npt.NDArray[Any], weights: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return the sum of the products of each row with weights.

    ``rows @ weights`` is a call of BLAS, which selects the order of a sum by the processor, so that
    last digits differ between computers.
    """
    return np.asarray((rows * weights).sum(axis=-1), dtype=np.float64)
