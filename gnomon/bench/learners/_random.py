"""The random numbers of embedded learners."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def random_words(count: int, seed: int = 1) -> NDArray[np.int64]:
    """The first numbers of ``next_random`` of ``random.h`` after a reset, from 0 to 2^32 - 1."""
    with np.errstate(over="ignore"):
        x = np.uint32(seed) + np.arange(1, count + 1, dtype=np.uint32) * np.uint32(0x9E3779B9)
        x = (x ^ (x >> np.uint32(16))) * np.uint32(0x7FEB352D)
        x = (x ^ (x >> np.uint32(15))) * np.uint32(0x846CA68B)
    return (x ^ (x >> np.uint32(16))).astype(np.int64)
