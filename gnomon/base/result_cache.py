"""Results of long computations in the user's cache, so that a run that was killed resumes.

A result is found by its key: the function and its arguments, the versions of Python, NumPy and
SciPy, the processor, the outside programs that take part, and the digest of gnomon's sources
and of all content (:mod:`gnomon.base.sources`).

Results are numbers, text, arrays, and gnomon's own dataclasses of them. They are pickled; reading
one constructs nothing but these types. A result that was just computed is pickled and read as well,
so that a resumed run gets exactly what an uninterrupted run gets.
"""

import io
import pickle
import sys
import zlib
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from enum import Enum
from importlib.metadata import version
from pathlib import Path
from platform import machine, python_version
from typing import Any, ParamSpec, Protocol, TypeVar, cast

from gnomon.base.cache import Store
from gnomon.base.digest import digest
from gnomon.base.schema import Section
from gnomon.base.sources import KINDS, file_digest, source_digest

P = ParamSpec("P")
T = TypeVar("T")

_KIND, _SUFFIX = "experiment", ".pickle.z"
_FAST = 1  # compression: arrays of floats hardly shrink, whole numbers do
_OF_NUMPY = frozenset({"_reconstruct", "_frombuffer", "ndarray", "dtype", "scalar"})
_TYPES = (Enum, int, tuple, Section)


class Keep(Protocol):
    """The way in which an experiment gets each result: computed, or taken from the cache."""

    def __call__(self, compute: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the result of ``compute(*args, **kwargs)``.

        A keyword argument ``progress`` is called as often as ``compute`` calls it. It is not in the
        key.
        """
        ...


def compute_uncached(compute: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Return the result of ``compute(*args, **kwargs)``; cache nothing."""
    return compute(*args, **kwargs)


def cached_result(kind: str, key: str, compute: Callable[[], T], *, fresh: bool = False) -> T:
    """Return the result of a key, computed and cached if it is absent.

    Args:
        kind: of result; names its folder, see :func:`gnomon.base.cache.cache_folder`.
        key: digest of everything that decides the result.
        compute: computes it.
        fresh: compute it even if it is present, and replace it.

    Raises:
        GnomonError: if the cache cannot be written.
        pickle.UnpicklingError: if the result contains other types than results may.
    """
    store = Store(kind, _SUFFIX)
    entry = None if fresh else store.load(key)
    if entry is None:
        data = zlib.compress(pickle.dumps(compute(), protocol=5), _FAST)
        store.keep(key, data)
    else:
        data = entry.data
    return cast("T", unpickle_result(zlib.decompress(data)))


class ResultCache:
    """Caches results of functions by their arguments and by the sources that may decide them.

    Attributes:
        found: number of results that were cached.
        computed: number of results that were absent.
    """

    def __init__(self, *, tools: tuple[str, ...] = (), fresh: bool = False) -> None:
        """Declare what decides the results besides sources and arguments.

        Args:
            tools: names and versions of outside programs that take part.
            fresh: compute all results, also those that are cached.
        """
        # The processor decides how NumPy rounds, and how fast everything runs.
        self._ground = (tools, _get_versions(), _get_processor())
        self._fresh = fresh
        self.found = self.computed = 0

    def __call__(self, compute: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the result of ``compute(*args, **kwargs)``; see :class:`Keep`.

        Raises:
            GnomonError: if the cache cannot be written, or ``compute`` raises it.
        """
        key = self._key(compute, args, kwargs)
        progress: Any = kwargs.get("progress")
        computed = False

        def run() -> tuple[T, list[tuple[Any, ...]]]:
            nonlocal computed
            computed = True
            calls: list[tuple[Any, ...]] = []

            def record(*words: Any) -> None:
                calls.append(words)
                progress(*words)

            given: Any = kwargs | ({"progress": record} if progress else {})
            return compute(*args, **given), calls

        value, calls = cached_result(_KIND, key, run, fresh=self._fresh)
        if computed:
            self.computed += 1
        else:
            self.found += 1
            for words in calls:
                progress(*words)
        return value

    def holds(self, compute: Callable[P, Any], /, *args: P.args, **kwargs: P.kwargs) -> bool:
        """Return whether a result is cached, so that a call computes nothing."""
        if self._fresh:
            return False
        return Store(_KIND, _SUFFIX).load(self._key(compute, args, kwargs)) is not None

    def _key(
        self, compute: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> str:
        decides = {name: value for name, value in kwargs.items() if name != "progress"}
        what = (compute.__module__, compute.__qualname__, _digest_user_module(compute.__module__))
        return digest((self._ground, source_digest(*KINDS), what, args, decides))


def _get_versions() -> dict[str, str]:
    return {
        "python": python_version(),
        "numpy": version("numpy"),
        "scipy": version("scipy"),
    }


def _get_processor() -> str:
    """Return the name of the processor if the system knows it, else its kind."""
    if sys.platform == "linux":
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return machine()


def _digest_user_module(module: str) -> str:
    """Return the digest of a module outside gnomon and its content, such as a user's script."""
    if module.partition(".")[0] == "gnomon":
        return ""
    path = getattr(sys.modules.get(module), "__file__", None)
    return "" if path is None else file_digest(Path(path))


def unpickle_result(data: bytes) -> Any:
    """Return a value of numbers, text, arrays, and records and sections of this package.

    Raises:
        pickle.UnpicklingError: if the data name another type.
    """
    return _ResultUnpickler(io.BytesIO(data)).load()


class _ResultUnpickler(pickle.Unpickler):
    """Constructs arrays, and types of this package that may be results, and nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        top = module.partition(".")[0]
        if top == "numpy" and name in _OF_NUMPY:
            return super().find_class(module, name)
        if top == "gnomon":
            found = super().find_class(module, name)
            if isinstance(found, type) and (is_dataclass(found) or issubclass(found, _TYPES)):
                return found
        if (module, name) == ("builtins", "getattr"):  # how Python 3.11.3 writes those of Enum
            return _get_enum_member
        raise pickle.UnpicklingError(f"{module}.{name} is not a type of results")


def _get_enum_member(kind: Any, name: str) -> Enum:
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind[name]
    raise pickle.UnpicklingError(f"{name} of {kind} is not a type of results")
