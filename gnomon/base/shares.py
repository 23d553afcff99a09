"""A whole divided into whole parts."""

import numpy as np
import numpy.typing as npt


def split(total: int, weights: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return whole numbers that sum to ``total``, in proportion to weights.

    The largest remainders are rounded up first.

    Without any weight the first one takes all; nothing is divided into no parts.
    """
    whole = int(weights.sum())
    parts = np.zeros(len(weights), dtype=np.int64)
    if whole <= 0:
        if total:
            parts[0] = total
        return parts
    # Python's integers: counts of long runs times counts leave 64 bits.
    exact = [total * int(weight) for weight in weights]
    parts[:] = [value // whole for value in exact]
    rest = sorted(range(len(weights)), key=lambda k: (-(exact[k] % whole), k))
    for index in rest[: total - int(parts.sum())]:
        parts[index] += 1
    return parts
