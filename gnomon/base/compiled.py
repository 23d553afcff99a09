"""Compile functions of arrays once per version of the rules; the result stays in the user's cache.

Numba keys its cache on the one file that holds a function. Engine functions freeze numbers from
other files (instruction numbers, state layout), so the cache folder is named after a digest of
all of them: a changed table can never meet an old binary. The user's cache folder also works
where the package itself is installed read-only.

Compilation is what a first run waits for. So only the loop itself gets an entry point from
Python; the functions it calls go without wrappers and without caches of their own.
"""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt
from numba.core import config as numba_config
from numba.core.options import DefaultOptions

from gnomon.base.cache import cache_folder

State = npt.NDArray[Any]
"""An int64 array of the engine. Its elements are NumPy's where the JIT is off, so: any integer."""

Words = npt.NDArray[Any]
"""An int32 array: RAM or scratchpads."""


if TYPE_CHECKING:

    def int64(value: Any) -> int:
        """Widen."""
else:
    int64 = np.int64
"""Widen an array element. Around a literal argument it also keeps Numba from compiling the
called function once more for that very value."""

F = TypeVar("F", bound=Callable[..., object])


@cache
def _engine_cache(variant: str) -> str:
    here = Path(__file__).resolve()
    digest = hashlib.sha256(numba.__version__.encode())
    digest.update(here.read_bytes())
    for folder in ("sim", "isa", "arch/dividers"):
        for source in sorted((here.parents[1] / folder).glob("*.py")):
            digest.update(source.name.encode())
            digest.update(source.read_bytes())
    return str(cache_folder("engine") / f"{digest.hexdigest()[:16]}{variant}")


def entry_point(function: F, variant: str = "") -> F:
    """Compile a function that Python calls: no GIL, NumPy error model, cached for this version.

    ``variant`` keeps apart the results of functions that share their text.
    """
    config = cast("Any", numba_config)  # its settings are made at import, no checker sees them
    before = config.CACHE_DIR
    config.CACHE_DIR = _engine_cache(variant)
    try:
        return _compile(function, cache=True)
    finally:
        config.CACHE_DIR = before


@contextmanager
def without_collection() -> Iterator[None]:
    """Keep Python's garbage collector away while the compiler makes its many objects.

    Scanning them again and again costs a first run about a sixth of its time (measured).
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def inner(function: F) -> F:
    """Compile a function that only compiled functions call."""
    return _compile(function, no_cpython_wrapper=True)


def rebound(function: F, **names: object) -> F:
    """The same function, not compiled, with some of the global names it uses bound to others."""
    plain = getattr(function, "py_func", function)
    copy = FunctionType(plain.__code__, plain.__globals__ | names, plain.__name__)
    copy.__qualname__ = plain.__qualname__
    copy.__module__ = plain.__module__
    return cast("F", copy)


def _compile(function: F, **options: bool) -> F:
    njit = cast("Any", numba.njit)  # the typed signature lacks some options
    options |= {"no_cfunc_wrapper": True, "no_rewrites": True}
    if hasattr(DefaultOptions, "_nrt"):
        # Arrays come from outside and none is made: no reference needs counting. The option is
        # not a promise of Numba's, so the engine also works without it.
        options["_nrt"] = False
    return cast("F", njit(nogil=True, error_model="numpy", **options)(function))
