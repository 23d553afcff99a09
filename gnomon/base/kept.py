"""Results of long runs, kept while they are made, so that a run that was killed goes on.

What is kept are values: numbers, arrays, and gnomon's own dataclasses of them. They are pickled;
reading one back makes nothing but these types. A value that was just computed takes the same way
there and back, so that a run that goes on gets exactly what a run in one go gets.
"""

import hashlib
import io
import pickle
import sys
import zlib
from collections.abc import Callable
from dataclasses import is_dataclass
from enum import Enum
from pathlib import Path
from platform import machine, python_version
from typing import Any, ParamSpec, Protocol, TypeVar, cast

from gnomon.base.cache import Store
from gnomon.base.digest import digest
from gnomon.base.files import read_bytes
from gnomon.base.schema import Section
from gnomon.base.sources import mentioned, source_digest

P = ParamSpec("P")
T = TypeVar("T")

_OF_NUMPY = frozenset({"_reconstruct", "_frombuffer", "ndarray", "dtype", "scalar"})
_KINDS = (Enum, int, Section)
_FAST = 1  # compression: arrays of floats hardly shrink, whole numbers do


class Keep(Protocol):
    """How an experiment makes each of its results: anew, or taken from where it is kept."""

    def __call__(self, compute: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of ``compute(*args, **kwargs)``.

        A keyword argument ``progress`` is called as often as ``compute`` calls it; it decides
        nothing.
        """
        ...


def anew(compute: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Compute it; keep nothing."""
    return compute(*args, **kwargs)


def kept(kind: str, key: str, compute: Callable[[], T], *, fresh: bool = False) -> T:
    """The value of this key, computed and kept if it is not there.

    Args:
        kind: of result; names its folder, see :func:`gnomon.base.cache.cache_folder`.
        key: digest of everything that decides the value.
        compute: makes it.
        fresh: compute it anyway, and keep that.

    Raises:
        GnomonError: it cannot be kept.
    """
    store = Store(kind, ".pickle.z")
    entry = None if fresh else store.load(key)
    if entry is None:
        data = zlib.compress(pickle.dumps(compute(), protocol=5), _FAST)
        store.keep(key, data)
    else:
        data = entry.data
    return cast("T", unpickled(zlib.decompress(data)))


class Kept:
    """Keeps the results of functions by their arguments and the sources that compute them.

    Sources are those of the function's module, of the types of its arguments and of the kernels,
    learners and machines that arguments name: see :mod:`gnomon.base.sources`.

    Attributes:
        found: results that were there.
        computed: results that were not.
    """

    def __init__(self, *, tools: tuple[str, ...] = (), fresh: bool = False) -> None:
        """Say what else decides the results.

        Args:
            tools: names and versions of outside programs that take part.
            fresh: take nothing that is there.
        """
        # NumPy rounds, and all run at a speed, that this computer decides.
        self._ground = (tools, _libraries(), _processor())
        self._fresh = fresh
        self.found = self.computed = 0

    def __call__(self, compute: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """See :class:`Keep`.

        Raises:
            GnomonError: it cannot be kept, or ``compute`` raises it.
        """
        decides = {name: value for name, value in kwargs.items() if name != "progress"}
        modules, names = mentioned((args, decides))
        sources = source_digest(compute.__module__, *modules, names=names)
        what = (self._ground, sources, compute.__module__, compute.__qualname__)
        key = digest((*what, args, decides))
        progress: Any = kwargs.get("progress")
        computed = False

        def run() -> tuple[T, list[tuple[Any, ...]]]:
            nonlocal computed
            computed = True
            told: list[tuple[Any, ...]] = []

            def tell(*words: Any) -> None:
                told.append(words)
                progress(*words)

            given: Any = kwargs | ({"progress": tell} if progress else {})
            return compute(*args, **given), told

        value, told = kept("experiment", key, run, fresh=self._fresh)
        if computed:
            self.computed += 1
        else:
            self.found += 1
            for words in told:
                progress(*words)
        return value


def _libraries() -> dict[str, str]:
    import numpy as np

    return {"python": python_version(), "numpy": np.__version__}


def _processor() -> str:
    """What it is called where the system says so, else its kind."""
    if sys.platform == "linux":
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return machine()


def file_digest(path: Path) -> str:
    """Return the SHA-256 (hexadecimal) of a file.

    Raises:
        GnomonError: if it cannot be read.
    """
    return hashlib.sha256(read_bytes(path)).hexdigest()


def unpickled(data: bytes) -> Any:
    """Return a value of numbers, arrays, and dataclasses and sections of this package.

    Raises:
        pickle.UnpicklingError: if it is something else.
    """
    return _Reader(io.BytesIO(data)).load()


class _Reader(pickle.Unpickler):
    """A reader of pickles that makes arrays, and results of this package, and nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        top = module.partition(".")[0]
        if top == "numpy" and name in _OF_NUMPY:
            return super().find_class(module, name)
        if top == "gnomon":
            found = super().find_class(module, name)
            if isinstance(found, type) and (is_dataclass(found) or issubclass(found, _KINDS)):
                return found
        if (module, name) == ("builtins", "getattr"):  # how Python 3.11.3 writes those of Enum
            return _member
        raise pickle.UnpicklingError(f"{module}.{name} is no result")


def _member(kind: Any, name: str) -> Enum:
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind[name]
    raise pickle.UnpicklingError(f"{name} of {kind} is no result")
