"""Random numbers of embedded learners, for float learners that must draw the same ones."""

import numpy as np
from numpy.typing import NDArray

STEP = 0x9E3779B9
"""Step of the counter; a state is the seed plus this step for each number drawn, modulo 2^32."""


def random_words(count: int, seed: int = 1) -> NDArray[np.int64]:
    """Return the first numbers of ``next_random`` (``random.h``), below 2^32.

    Args:
        count: how many.
        seed: state before the first number, from 0 to 2^32 - 1; after a reset, the seed.
    """
    with np.errstate(over="ignore"):
        x = np.uint32(seed) + np.arange(1, count + 1, dtype=np.uint32) * np.uint32(STEP)
        x = (x ^ (x >> np.uint32(16))) * np.uint32(0x7FEB352D)
        x = (x ^ (x >> np.uint32(15))) * np.uint32(0x846CA68B)
    return (x ^ (x >> np.uint32(16))).astype(np.int64)


class Draws:
    """Whole numbers of ``random.h`` for a learner: the same draws in Python and in C.

    Attributes:
        state: state of the generator, from 0 to 2^32 - 1.
    """

    def __init__(self, seed: int = 1) -> None:
        self.state = seed % 2**32

    def below(self, n: int) -> int:
        """Return a number from 0 to n - 1, as ``random_below`` does."""
        self.state = x = (self.state + STEP) % 2**32
        x = (x ^ x >> 16) * 0x7FEB352D % 2**32
        x = (x ^ x >> 15) * 0x846CA68B % 2**32
        return (x ^ x >> 16) * n >> 32
