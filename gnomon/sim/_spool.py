"""Records of a run in order: in memory, or in an unnamed file if there are many."""

from __future__ import annotations

import mmap
import tempfile
from typing import IO, Any

import numpy as np
import numpy.typing as npt

Records = npt.NDArray[Any]

_MOST_ROWS = 1 << 18  # in memory: about 5 MB of issues


class Spool:
    """Rows of one type, added piece by piece."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self._dtype = dtype
        self._parts: list[Records] = []
        self._held = self._written = 0
        self._file: IO[bytes] | None = None

    def __len__(self) -> int:
        return self._held + self._written

    def add(self, rows: Records) -> None:
        """Append rows."""
        self._parts.append(np.ascontiguousarray(rows, dtype=self._dtype))
        self._held += len(rows)
        if self._held > _MOST_ROWS:
            self._write()

    def _write(self) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as its array
        for part in self._parts:
            self._file.write(part.tobytes())
        self._written += self._held
        self._held, self._parts = 0, []

    def array(self) -> Records:
        """Return all rows; call it once. Rows in a file are read when they are used."""
        if self._file is None:
            return np.concatenate(self._parts or [np.zeros(0, dtype=self._dtype)])
        self._write()
        with self._file as file:
            file.flush()
            return np.memmap(file, self._dtype, "r", shape=(len(self),))


def release(*arrays: Records | None) -> None:
    """Release the memory of the pages read from arrays in a file; the arrays stay valid."""
    for array in arrays:
        mapped = getattr(array, "_mmap", None)
        if mapped is not None and hasattr(mmap, "MADV_DONTNEED"):
            mapped.madvise(mmap.MADV_DONTNEED)
