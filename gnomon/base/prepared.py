"""What files say, worked out once: a start takes it from where it is kept, without their parsers.

A value is kept by the bytes of the files that it comes from, those of the code that makes it
included. Nothing depends on it: where nothing can be kept, or it is damaged, it is made again.
"""

import hashlib
import io
import logging
import pickle
from collections.abc import Callable, Iterable
from dataclasses import is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar, cast

from gnomon._version import __version__
from gnomon.base.cache import Store
from gnomon.base.digest import digest
from gnomon.base.errors import GnomonError
from gnomon.base.files import read_bytes
from gnomon.base.schema import Section

T = TypeVar("T")

_OF_NUMPY = frozenset({"_reconstruct", "_frombuffer", "ndarray", "dtype", "scalar"})
_KINDS = (Enum, int, Section)
_DAMAGED = (pickle.UnpicklingError, AttributeError, EOFError, ImportError, LookupError, ValueError)
_log = logging.getLogger("gnomon.base.prepared")


def prepared(
    what: object,
    files: Iterable[Path],
    make: Callable[[], T],
    still: Callable[[T], bool] = lambda _: True,
) -> T:
    """The value of ``make``, or the one that is kept.

    Args:
        what: names the value, with all that decides it besides files.
        files: that it comes from: tables, and the code that reads them.
        make: works it out.
        still: whether one that was kept holds still; for files that are known only then.

    Raises:
        GnomonError: ``make`` raises it.
    """
    try:
        key = digest((__version__, what, [file_digest(path) for path in files]))
        store = Store("prepared", ".pickle")
    except (GnomonError, OSError) as error:
        _log.info("%s", error)
        return make()
    entry = store.load(key)
    if entry is not None:
        try:
            value = cast("T", unpickled(entry.data))
            if still(value):
                return value
        except _DAMAGED as error:
            _log.info("%s: %s", entry.path, error)
    value = make()
    try:
        store.keep(key, pickle.dumps(value, protocol=5))
    except GnomonError as error:
        _log.info("%s", error)
    return value


def code_of(*folders: Path) -> tuple[Path, ...]:
    """The modules of packages that read files, and those that all of them read by."""
    own = Path(__file__).parent
    by = ("keys.py", "schema.py", "tables.py", "units.py", "yaml.py", "_yaml_parser.py")
    return tuple(sorted(path for each in folders for path in each.rglob("*.py"))) + tuple(
        own / name for name in by
    )


def file_digest(path: Path) -> str:
    """SHA-256 (hexadecimal) of a file.

    Raises:
        GnomonError: it cannot be read.
    """
    return hashlib.sha256(read_bytes(path)).hexdigest()


def unpickled(data: bytes) -> Any:
    """A value of numbers, arrays, and dataclasses and sections of this package.

    Raises:
        pickle.UnpicklingError: it is something else.
    """
    return _Reader(io.BytesIO(data)).load()


class _Reader(pickle.Unpickler):
    """Makes arrays, and what may be a result in this package, and nothing else."""

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
