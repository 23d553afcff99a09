"""Finished runs, kept in the cache folder, so that a study that was stopped goes on."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from typing import TYPE_CHECKING

import numpy as np

from gnomon.cache import cache_folder
from gnomon.files import write_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

_LAYOUT = 1  # of the files; count up when the arrays in them change


def key_of(parts: Mapping[str, object], arrays: Iterable[NDArray[np.generic]]) -> str:
    """Of everything that a run depends on."""
    digest = hashlib.sha256(json.dumps({"layout": _LAYOUT, **parts}, sort_keys=True).encode())
    for array in arrays:
        digest.update(f"{array.dtype.str} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def load_arrays(key: str) -> dict[str, NDArray[np.generic]] | None:
    """The arrays that were kept; None if there are none, or the file is damaged.

    Raises:
        GnomonError: there is no cache folder and none can be made.
    """
    path = cache_folder("fixed-point") / f"{key}.npz"
    try:
        with path.open("rb") as data, np.load(data, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile):
        return None


def keep_arrays(key: str, arrays: Mapping[str, NDArray[np.generic]]) -> None:
    """Keep arrays, written aside and renamed.

    Raises:
        GnomonError: they cannot be written.
    """
    data = io.BytesIO()
    np.savez_compressed(data, **arrays)  # type: ignore[arg-type]
    write_file(cache_folder("fixed-point") / f"{key}.npz", data.getvalue())
