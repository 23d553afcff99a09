"""C libraries, loaded with ctypes: prebuilt in an installed wheel, else compiled once by zig.

A prebuilt library is used if the sources next to it are those that it was built from. Else zig
compiles them, and the library is cached by a digest of the sources, the flags, the compiler and the
host, so that a changed source never runs with an old library.

A file is loaded only if its digest is the recorded one, its owner is the user or root, and no other
user may write it; else the library is built again. If the cache cannot be written, such as on a
full disk, the library is compiled for this process alone, with a warning (logger
``gnomon.base.native``).

``GNOMON_NATIVE=sanitize`` or ``coverage``, for developers: built by GCC with its sanitizers, or
with counters for gcov.
"""

import ctypes
import fcntl
import hashlib
import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from gnomon.base.cache import Store, cache_folder, make_private, untrusted_reason
from gnomon.base.compiler import (
    VARIANTS,
    Recipe,
    compile_library,
    flags,
    host_triple,
    open_library,
    recipe,
    work_folder,
)
from gnomon.base.digest import digest
from gnomon.base.errors import GnomonError, require_known

PREBUILT: Final = Path(__file__).resolve().parents[1] / "_native"
"""Where an installed wheel has its libraries, ``<name>.so`` with ``<name>.json`` about it."""

VARIABLE: Final = "GNOMON_NATIVE"
_PACKAGE = Path(__file__).resolve().parents[1]
_SUFFIX = ".so"  # also where the system calls them otherwise: they are loaded by path
_log = logging.getLogger("gnomon.base.native")


class Native(NamedTuple):
    """A library of C sources. Its functions are those marked ``EXPORT`` (``native.h``).

    Attributes:
        headers: what else decides the result: headers, and the sources of ``generate``.
        generate: makes headers: text by name. It is called only when something is compiled.
    """

    name: str  # of its files
    title: str  # for messages, such as `the engine`
    sources: tuple[Path, ...]  # C files, compiled together; they find headers next to them
    headers: tuple[Path, ...] = ()
    generate: Callable[[], Mapping[str, str]] | None = None

    def digest(self) -> str:
        """Return the digest of everything that decides the library, except the compiler."""
        own = Path(__file__).with_name("include") / "native.h"
        files = sorted(
            (_get_portable_path(path), path.read_bytes())
            for path in (*self.sources, *self.headers, own)
        )
        return digest((self.name, flags(), files))

    def compile(self, how: Recipe, folder: Path) -> Path:
        """Compile the library in a folder and return its path.

        Raises:
            GnomonError: if the compiler cannot be run, or fails.
        """
        generated = self.generate() if self.generate else {}
        return compile_library(how, self.sources, generated, folder, self.name + _SUFFIX)


@cache
def load_native(native: Native) -> ctypes.CDLL:
    """Load a library; compile it first if necessary, announced by one line on stderr.

    Raises:
        GnomonError: if there is no compiler, it fails, or the library cannot be loaded.
    """
    variant = os.environ.get(VARIABLE, "")
    if variant:
        return _load_developer_build(native, require_known(VARIABLE, variant, VARIANTS))
    return _load_prebuilt(native) or _load_compiled(native)


def prebuild(native: Native, triple: str, folder: Path) -> tuple[Path, Path]:
    """Compile a library for a wheel; return its path, and that of the record of its inputs.

    Args:
        native: which.
        triple: zig's name of the computer that the library is for, such as ``aarch64-macos``.
        folder: where to.

    Raises:
        GnomonError: if the compiler is missing or fails.
    """
    with work_folder() as place:
        data = native.compile(recipe(triple=triple), place).read_bytes()
    note = {
        "sources": native.digest(),
        "library": hashlib.sha256(data).hexdigest(),
        "system": _get_system(triple),
    }
    library = folder / f"{native.name}{_SUFFIX}"
    library.write_bytes(data)
    about = library.with_suffix(".json")
    about.write_text(json.dumps(note, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return library, about


def _load_prebuilt(native: Native) -> ctypes.CDLL | None:
    library = PREBUILT / f"{native.name}{_SUFFIX}"
    about = library.with_suffix(".json")
    if not about.exists():
        return None
    try:
        note = json.loads(about.read_bytes())
        if note["sources"] != native.digest() or note["system"] != _get_system(host_triple()):
            return None
        whole = hashlib.sha256(library.read_bytes()).hexdigest() == note["library"]
    except (OSError, ValueError, LookupError, TypeError):
        whole = False
    if not whole:
        _log.warning("%s: is damaged; it is not used", library)
        return None
    for each in (library, library.parent):
        make_private(each)
    return _load_trusted(library, "it is not used")


def _load_trusted(library: Path, otherwise: str) -> ctypes.CDLL | None:
    """Load a library if it is trusted; else return None, with a warning."""
    reason = untrusted_reason(library)
    try:
        if not reason:
            return ctypes.CDLL(str(library))
    except OSError as error:
        reason = str(error)
    _log.warning("%s: %s; %s", library, reason, otherwise)
    return None


def _load_compiled(native: Native) -> ctypes.CDLL:
    how = recipe()
    key = digest((native.digest(), how.stamp))
    with ExitStack() as held:
        store = None
        try:
            store = Store("native", _SUFFIX)
            held.enter_context(_lock(store.folder / f"{key}.lock"))
            entry = store.load(key)
            if entry is not None and (kept := _load_trusted(entry.path, "it is regenerated")):
                return kept
        except (GnomonError, OSError) as error:
            _log.warning("%s; %s is compiled again next time", error, native.title)
            store = None
        _announce(native)
        library = native.compile(how, held.enter_context(work_folder()))
        try:
            if store is not None:
                entry = store.keep(key, library.read_bytes(), {"name": native.name})
                return ctypes.CDLL(str(entry.path))
        except (GnomonError, OSError) as error:
            _log.warning("%s; %s is compiled again next time", error, native.title)
        return open_library(library)  # once loaded, the file may go


def _load_developer_build(native: Native, variant: str) -> ctypes.CDLL:
    how = recipe(variant)
    if variant == "sanitize" and not hasattr(ctypes.CDLL(None), "__asan_init"):
        libasan = subprocess.run(
            [how.command[0], "-print-file-name=libasan.so"],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        raise GnomonError(
            f"{VARIABLE}=sanitize: start Python with the sanitizer loaded:"
            f" LD_PRELOAD={libasan.stdout.strip()} ASAN_OPTIONS=detect_leaks=0"
        )
    # What gcov reads stays next to the library, so this one has a folder that stays.
    folder = cache_folder("native") / f"{variant}-{digest((native.digest(), how.stamp))[:16]}"
    folder.mkdir(exist_ok=True, mode=0o700)
    with _lock(folder / "lock"):
        library = folder / f"{native.name}{_SUFFIX}"
        if not library.is_file():
            _announce(native)
            native.compile(how, folder)
    return open_library(library)


def _announce(native: Native) -> None:
    print(f"compiling {native.title}, once: this takes a few seconds", file=sys.stderr, flush=True)


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Make other processes wait that need the same file; no effect if files cannot be locked."""
    with ExitStack() as held:
        with suppress(OSError):
            fcntl.flock(held.enter_context(path.open("wb")), fcntl.LOCK_EX)
        yield


def _get_system(triple: str) -> str:
    """Return processor and system, without version and libc: GNU and musl are equal here."""
    return "-".join(triple.split("-")[:2]).partition(".")[0]


def _get_portable_path(path: Path) -> str:
    """Return a path that does not depend on where gnomon is installed."""
    try:
        return path.relative_to(_PACKAGE).as_posix()
    except ValueError:
        return path.name
