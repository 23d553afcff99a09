"""What files say, worked out once: a start takes it from where it is kept, without their parsers.

A value is kept by the bytes of the files that it comes from, those of the code that makes it
included. Nothing depends on it: where nothing can be kept, or it is damaged, it is made again.
"""

import logging
import pickle
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar, cast

from gnomon import __version__
from gnomon.base.cache import Store
from gnomon.base.digest import digest
from gnomon.base.errors import GnomonError
from gnomon.base.result_cache import unpickled
from gnomon.base.sources import file_digest as file_digest  # noqa: PLC0414 - for its users

T = TypeVar("T")

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
    by = ("keys.py", "schema.py", "tables.py", "units.py", "yaml.py")
    return tuple(sorted(path for each in folders for path in each.rglob("*.py"))) + tuple(
        own / name for name in by
    )
