"""Results of long computations in the user's cache, so that a run that was killed resumes.

A result is found by its key: the function and its arguments, the versions of Python, NumPy and
SciPy, the processor, variables that choose its code, the outside programs that take part, and the
digest of gnomon's sources and of all content (:mod:`gnomon.base.sources`).

:meth:`Keep.each` takes calls that do not depend on each other: a cluster computes those that are
not cached, on workers that are known to give the bytes of this host.

Results are numbers, text, arrays, and gnomon's own dataclasses of them. They are pickled; reading
one constructs nothing but these types. A result that was just computed is pickled and read as well,
so that a resumed run gets exactly what an uninterrupted run gets.
"""

import io
import os
import pickle
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import is_dataclass
from enum import Enum
from functools import partial
from importlib.metadata import version
from pathlib import Path
from platform import machine, python_version
from typing import Any, ParamSpec, Protocol, TypeVar, cast

from gnomon.base.cache import Store
from gnomon.base.cluster import Cluster
from gnomon.base.digest import digest
from gnomon.base.errors import GnomonError
from gnomon.base.schema import Section
from gnomon.base.sources import KINDS, file_digest, source_digest

P = ParamSpec("P")
T = TypeVar("T")

_KIND, _SUFFIX = "experiment", ".pickle.z"
_FAST = 1  # compression: arrays of floats hardly shrink, whole numbers do
_OF_NUMPY = frozenset({"_reconstruct", "_frombuffer", "ndarray", "dtype", "scalar"})
_TYPES = (Enum, int, tuple, Section)
_VARIABLES = ("OPENBLAS_CORETYPE", "MKL_CBWR", "NPY_DISABLE_CPU_FEATURES")


class Keep(Protocol):
    """The way in which an experiment gets each result: computed, or taken from the cache."""

    def __call__(self, compute: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the result of ``compute(*args, **kwargs)``.

        A keyword argument ``progress`` is called as often as ``compute`` calls it. It is not in the
        key.
        """
        ...

    def each(self, calls: Iterable[partial[Any]], /) -> Iterator[Any]:
        """Yield the results of calls in order; none depends on the result of another."""
        ...


class _Uncached:
    """Computes each result, and caches nothing."""

    def __call__(self, compute: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the result of ``compute(*args, **kwargs)``."""
        return compute(*args, **kwargs)

    def each(self, calls: Iterable[partial[Any]], /) -> Iterator[Any]:
        """Yield the results of calls in order."""
        return (call() for call in calls)


compute_uncached: Keep = _Uncached()
"""Computes each result, and caches nothing."""


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
        data = _pack(compute())
        store.keep(key, data)
    else:
        data = entry.data
    return cast("T", _unpack(data))


def _pack(result: Any) -> bytes:
    return zlib.compress(pickle.dumps(result, protocol=5), _FAST)


def _unpack(data: bytes) -> Any:
    return unpickle_result(zlib.decompress(data))


class ResultCache:
    """Caches results of functions by their arguments and by the sources that may decide them.

    Attributes:
        found: number of results that were cached.
        computed: number of results that were absent.
    """

    def __init__(
        self,
        *,
        find_tools: Callable[[], tuple[str, ...]] = tuple,
        fresh: bool = False,
        cluster: Cluster | None = None,
    ) -> None:
        """Declare what decides the results besides sources and arguments.

        Args:
            find_tools: returns names and versions of outside programs that take part.
            fresh: compute all results, also those that are cached.
            cluster: computes results of :meth:`each`; the caller closes it.
        """
        # The processor decides how NumPy rounds, unless a variable does, and how fast all runs.
        self._find_tools = find_tools
        self._ground = (find_tools(), _get_versions(), _get_processor(), _get_variables())
        self._fresh, self._cluster = fresh, cluster
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
            return _record(compute, args, kwargs, progress)

        value, calls = cached_result(_KIND, key, run, fresh=self._fresh)
        if computed:
            self.computed += 1
        else:
            self.found += 1
            for words in calls:
                progress(*words)
        return value

    def each(self, calls: Iterable[partial[Any]], /) -> Iterator[Any]:
        """Yield the results of calls in order; see :class:`Keep`.

        Results that a cluster computes are cached as they arrive.

        Raises:
            GnomonError: if the cache cannot be written, a call raises it, the cluster cannot be
                used, or its workers could give other bytes than this host.
        """
        if self._cluster is None:
            yield from (self(each.func, *each.args, **each.keywords) for each in calls)
            return
        listed = [(self._key(each.func, each.args, each.keywords), each) for each in calls]
        store = Store(_KIND, _SUFFIX)
        missing = {key: call for key, call in listed if self._fresh or store.load(key) is None}
        found = self._compute_on(self._cluster, missing)
        arrived = dict[str, bytes]()
        for key, call in listed:
            if key not in missing:
                yield self(call.func, *call.args, **call.keywords)
                continue
            while key not in arrived:
                name, data = next(found)
                store.keep(name, data)
                arrived[name] = data
            value, reports = _unpack(arrived[key])
            self.computed += 1
            for words in reports:
                call.keywords["progress"](*words)
            yield value

    def _compute_on(
        self, cluster: Cluster, missing: Mapping[str, partial[Any]]
    ) -> Iterator[tuple[str, bytes]]:
        """Yield the keys of calls and their packed results, in any order."""
        keys = list(missing)
        given = [
            (_describe_host(self._find_tools), self._find_tools, each.func, each.args,
             _without_progress(each.keywords), "progress" in each.keywords)
            for each in missing.values()
        ]  # fmt: skip
        resume = "finished results are cached; rerun the same command to resume"
        for number, data in cluster.run(_compute_for_host, given, resume=resume):
            if data is None:
                name = missing[keys[number]].func.__name__
                raise GnomonError(
                    f"several workers of the cluster died in {name} (killed, or out of memory);"
                    f" {resume}"
                )
            yield keys[number], data

    def holds(self, compute: Callable[P, Any], /, *args: P.args, **kwargs: P.kwargs) -> bool:
        """Return whether a result is cached, so that a call computes nothing."""
        if self._fresh:
            return False
        return Store(_KIND, _SUFFIX).load(self._key(compute, args, kwargs)) is not None

    def _key(
        self, compute: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> str:
        what = (compute.__module__, compute.__qualname__, _digest_user_module(compute.__module__))
        decides = _without_progress(kwargs)
        return digest((self._ground, source_digest(*KINDS), what, args, decides))


def _without_progress(kwargs: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in kwargs.items() if name != "progress"}


def _record(
    compute: Callable[..., T],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    progress: Callable[..., None] | None,
) -> tuple[T, list[tuple[Any, ...]]]:
    """Return the result of a call, and the arguments of the calls of ``progress``, if it has one.

    The function that takes them while the call runs is ``progress``.
    """
    calls: list[tuple[Any, ...]] = []

    def record(*words: Any) -> None:
        calls.append(words)
        assert progress is not None
        progress(*words)

    given = {**kwargs, **({"progress": record} if progress else {})}
    return compute(*args, **given), calls


def _compute_for_host(
    host: Mapping[str, str],
    find_tools: Callable[[], tuple[str, ...]],
    compute: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    reports: bool,
) -> bytes:
    """Return the packed result of a call, in a worker of a cluster.

    Raises:
        GnomonError: if the worker could give other bytes than the host that asks for it.
    """
    own = _describe_host(find_tools)
    for name, value in host.items():
        if own[name] != value:
            raise GnomonError(
                f"a worker of the cluster has another {name} ({own[name]}) than this host"
                f" ({value}); results would not agree"
            )
    return _pack(_record(compute, args, kwargs, (lambda *_: None) if reports else None))


def _describe_host(find_tools: Callable[[], tuple[str, ...]]) -> dict[str, str]:
    """Return everything that decides results besides the call, by its name in messages."""
    return {
        "processor": _get_processor(),
        **_get_variables(),
        **{f"version of {name}": each for name, each in _get_versions().items()},
        "compiler": ", ".join(find_tools()) or "none",
        "version of gnomon or of its content": source_digest(*KINDS)[:16],
    }


def _get_variables() -> dict[str, str]:
    """Return the variables that select code for another processor than that of the host."""
    return {name: os.environ.get(name, "not set") for name in _VARIABLES}


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
