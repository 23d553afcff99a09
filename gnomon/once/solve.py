"""Integer model of ``once_solve.h``: Gaussian elimination with partial pivoting."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gnomon.once.code import RAISED_BITS

Words = NDArray[np.int64]

_BITS: Final = 27
"""Bits of the largest magnitude of a matrix and of a right side, before elimination."""
_GROWN: Final = 2**30 - 1
_FACTOR_BITS: Final = 30
_MOST: Final = 2**62


def solve_words(a: Words, b: Words, shift: int, limit: int) -> tuple[Words, list[int]]:
    """Return x with A x = b, and the words that saturated, before they did.

    Args:
        a: words of the matrix.
        b: words of the right side.
        shift: fraction bits of x and A, less those of b.
        limit: largest magnitude of a word of x.
    """
    up, up_right = _room(a), _room(b)
    rows = np.column_stack([_moved(a, up), _moved(b, up_right)])
    lost = _eliminate(rows)
    raise_by = shift + up - up_right
    x = [0] * len(b)
    for i in reversed(range(len(b))):
        row = [int(each) for each in rows[i]]
        raised = row[-1] << raise_by if raise_by >= 0 else row[-1] >> -raise_by
        total = _clip(raised, 2**RAISED_BITS)
        for j in range(i + 1, len(b)):
            total = _clip(total - row[j] * x[j], _MOST)
        exact = _quotient(total, row[i])
        x[i] = _clip(exact, limit)
        lost += [exact] if x[i] != exact else []
    return np.array(x, dtype=np.int64), lost


def _room(words: Words) -> int:
    """Return the left shifts that bring the largest magnitude to ``_BITS`` bits."""
    bits = int(np.bitwise_or.reduce((words ^ words >> 63).ravel())) | 1
    return _BITS - bits.bit_length()


def _moved(words: Words, up: int) -> Words:
    return words << up if up >= 0 else words >> -up


def _clip(value: int, limit: int) -> int:
    return min(max(value, -limit), limit)


def _quotient(a: int, b: int) -> int:
    """Return a / b rounded towards zero; beyond any word if b is 0 and a is not."""
    if b == 0:
        return (a > 0) * _MOST - (a < 0) * _MOST
    size = abs(a) // abs(b)
    return size if (a < 0) == (b < 0) else -size


def _eliminate(rows: Any) -> list[int]:
    """Bring A and b to upper triangular form in place; return the words that saturated."""
    lost: list[int] = []
    for k in range(len(rows)):
        best = k + int(np.argmax(np.abs(rows[k:, k])))
        rows[[k, best], k:] = rows[[best, k], k:]
        pivot = int(rows[k, k])
        if pivot == 0:
            continue
        above = [_quotient(int(each) << _FACTOR_BITS, pivot) for each in rows[k + 1 :, k]]
        change = np.multiply.outer(np.array(above, dtype=np.int64), rows[k, k + 1 :])
        exact = rows[k + 1 :, k + 1 :] - (change >> _FACTOR_BITS)
        rows[k + 1 :, k + 1 :] = np.clip(exact, -_GROWN, _GROWN)
        lost += exact[np.abs(exact) > _GROWN].tolist()
    return lost
