"""Libraries of C that is generated during a run: compiled in the background, cached by key.

They are optional: without one, the run continues in the interpreter. The compiler works in another
process, which continues after this one has ended, so that a program that is run repeatedly gets its
library in the end. If the user's cache folder cannot be written, no library is compiled.
"""

import ctypes
import logging
import shutil
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

from gnomon.base.cache import Store, untrusted_reason
from gnomon.base.compiler import compile_library, open_library, recipe, work_folder
from gnomon.base.digest import digest
from gnomon.base.errors import GnomonError

_KIND: Final = "generated"
_SUFFIX: Final = ".so"
_SOURCE: Final = "generated.c"
_ROOT: Final = Path(__file__).resolve().parents[2]
_COMPILE: Final = (
    "import sys; sys.path.insert(0, sys.argv[1]); from gnomon.base import generated;"
    " generated.compile_and_keep(*sys.argv[2:])"
)
_left: list[subprocess.Popen[bytes]] = []  # they may outlive this process
_log = logging.getLogger("gnomon.base.generated")


class RuntimeLibrary:
    """A library of generated C, found by a key."""

    def __init__(self, key: object) -> None:
        """Set the key; neither search nor compile yet.

        Args:
            key: everything that decides the text, as :func:`gnomon.base.digest.digest` takes it.

        Raises:
            GnomonError: if there is no compiler.
        """
        self.key = key
        self._key = digest((key, recipe().stamp))
        self._process: subprocess.Popen[bytes] | None = None

    def load_cached(self) -> ctypes.CDLL | None:
        """Return the cached library; None if there is none that may be loaded."""
        try:
            entry = Store(_KIND, _SUFFIX).load(self._key)
            if entry is None or untrusted_reason(entry.path):
                return None
            return open_library(entry.path)
        except (GnomonError, OSError) as error:
            _log.info("%s", error)
            return None

    def keep(self, data: bytes) -> None:
        """Cache the library.

        Raises:
            GnomonError: if the cache cannot be written.
        """
        Store(_KIND, _SUFFIX).keep(self._key, data)

    def start(self, text: str, headers: Mapping[str, Path]) -> None:
        """Start to compile the library in the background.

        Args:
            text: of the C file.
            headers: that it includes, by name.

        Raises:
            GnomonError: if the cache cannot be written, or no process can be started.
        """
        try:
            Store(_KIND, _SUFFIX)
            folder = mkdtemp(prefix="gnomon-")
            _write(Path(folder), text, headers)
            no = subprocess.DEVNULL
            command = [sys.executable, "-c", _COMPILE, str(_ROOT), folder, self._key]
            self._process = subprocess.Popen(
                command, stdin=no, stdout=no, stderr=no, start_new_session=True
            )
        except OSError as error:
            raise GnomonError(
                f"cannot start the compiler of generated simulator code: {error}"
            ) from None
        _left.append(self._process)

    @property
    def running(self) -> bool:
        """Whether the compiler is running."""
        return self._process is not None and self._process.poll() is None

    def result(self) -> ctypes.CDLL:
        """Wait for the compiler and return the library.

        Raises:
            GnomonError: if there is no library.
        """
        assert self._process is not None
        self._process.wait()
        library = self.load_cached()
        if library is None:
            raise GnomonError("the compiler has made nothing that can be loaded")
        return library


def compile_cached(text: str) -> ctypes.CDLL:
    """Return the library of a C file: cached, or compiled now.

    If the cache cannot be written, the library is compiled for this process alone.

    Raises:
        GnomonError: if the compiler is missing or fails.
    """
    library = RuntimeLibrary(text)
    cached = library.load_cached()
    if cached is not None:
        return cached
    with work_folder() as folder:
        source = _write(folder, text, {})
        made = compile_library(recipe(), (source,), {}, folder, f"unit{_SUFFIX}")
        try:
            library.keep(made.read_bytes())
        except (GnomonError, OSError) as error:
            _log.warning("%s; the library is compiled again next time", error)
        return open_library(made)


def compile_now(text: str, headers: Mapping[str, Path]) -> ctypes.CDLL:
    """Compile a library for this process alone, quickly; its code is not optimized.

    Args:
        text: of the C file.
        headers: that it includes, by name.

    Raises:
        GnomonError: if the compiler is missing or fails.
    """
    with work_folder() as folder:
        source = _write(folder, text, headers)
        return open_library(
            compile_library(recipe(quick=True), (source,), {}, folder, f"now{_SUFFIX}")
        )


def compile_and_keep(folder: str, key: str) -> None:
    """Compile and cache a library, in the background process, and delete the folder.

    Raises:
        GnomonError: if the compiler fails, or the cache cannot be written.
    """
    place = Path(folder)
    try:
        library = compile_library(recipe(), (place / _SOURCE,), {}, place, f"kept{_SUFFIX}")
        Store(_KIND, _SUFFIX).keep(key, library.read_bytes())
    finally:
        with suppress(OSError):
            shutil.rmtree(place)


def _write(folder: Path, text: str, headers: Mapping[str, Path]) -> Path:
    for name, path in headers.items():
        (folder / name).write_bytes(path.read_bytes())
    (folder / _SOURCE).write_text(text, encoding="utf-8")
    return folder / _SOURCE
