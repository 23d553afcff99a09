"""Compile engine functions once per version of the rules and keep the result in the user's cache.

Numba keys its cache on the one file that holds a function. Engine functions freeze numbers from
other files (instruction numbers, state layout), so the cache folder is named after a digest of
all of them: a changed table can never meet an old binary. The user's cache folder also works
where the package itself is installed read-only.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeVar

import numba
from numba.core import config

from gnomon.cache import cache_folder

F = TypeVar("F", bound=Callable[..., object])


@cache
def _engine_cache() -> str:
    package = Path(__file__).resolve().parent
    digest = hashlib.sha256(numba.__version__.encode())
    for folder in (package, package.parent / "isa"):
        for source in sorted(folder.glob("*.py")):
            digest.update(source.name.encode())
            digest.update(source.read_bytes())
    return str(cache_folder("engine") / digest.hexdigest()[:16])


def compiled(function: F) -> F:
    """Return the function compiled by Numba: no GIL, NumPy error model, cached for this version."""
    before = config.CACHE_DIR
    config.CACHE_DIR = _engine_cache()
    try:
        return numba.njit(cache=True, nogil=True, error_model="numpy")(function)  # type: ignore[no-any-return]
    finally:
        config.CACHE_DIR = before
