"""Compile engine functions once per version of the rules and keep the result in the user's cache.

Numba keys its cache on the one file that holds a function. Engine functions freeze numbers from
other files (instruction numbers, state layout), so the cache folder is named after a digest of
all of them: a changed table can never meet an old binary. The user's cache folder also works
where the package itself is installed read-only.

Compilation is what a first run waits for. So only the loop itself gets an entry point from
Python; the functions it calls go without wrappers and without caches of their own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeVar, cast

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


def entry_point(function: F) -> F:
    """Compile a function that Python calls: no GIL, NumPy error model, cached for this version."""
    before = config.CACHE_DIR
    config.CACHE_DIR = _engine_cache()
    try:
        return cast("F", numba.njit(cache=True, nogil=True, error_model="numpy")(function))
    finally:
        config.CACHE_DIR = before


def inner(function: F) -> F:
    """Compile a function that only compiled functions call."""
    options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "no_rewrites": True}
    return cast("F", numba.njit(nogil=True, error_model="numpy", **options)(function))
