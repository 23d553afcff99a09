"""Arrays in NPY files, checked before memory is allocated."""

import io
import math
import tokenize
from typing import Any

import numpy as np


def array_of(data: bytes) -> Any:
    """Return the array of an NPY 1.0 file.

    Raises:
        ValueError: if it is damaged, of another version, or not of numbers.
    """
    file = io.BytesIO(data)
    try:
        if np.lib.format.read_magic(file) != (1, 0):
            raise ValueError("not NPY 1.0")
        shape, by_columns, dtype = np.lib.format.read_array_header_1_0(file, max_header_size=1_000)
    except (SyntaxError, tokenize.TokenError) as error:
        raise ValueError(f"its header is damaged: {error}") from None
    rest = data[file.tell() :]
    if dtype.hasobject or min(shape, default=0) < 0:
        raise ValueError("not numbers")
    if dtype.itemsize * math.prod(shape) != len(rest):
        raise ValueError(f"{len(rest)} bytes for the shape {shape}")
    return np.frombuffer(rest, dtype).reshape(shape, order="F" if by_columns else "C").copy()
