"""Libraries of C that is made while a program runs: compiled beside it, kept by key for the next.

They speed up, and nothing depends on them: who cannot have one goes on without. The compiler works
in a process of its own that goes on when this one ends, so that a program that is run again and
again has its library in the end. What it has made is kept in the user's cache, or nowhere.
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

from gnomon.base._compile import compile_library, open_library, recipe, work_folder
from gnomon.base.cache import Store, refused_because
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
_left: list[subprocess.Popen[bytes]] = []  # those that may outlive who has started them
_log = logging.getLogger("gnomon.base.generated")


class Generated:
    """A library of generated C. Its key says what decides its text."""

    def __init__(self, key: object) -> None:
        """Nothing is looked for yet.

        Args:
            key: all that decides the text, as :func:`gnomon.base.digest.digest` takes it.

        Raises:
            GnomonError: there is no compiler.
        """
        self.key = key
        self._key = digest((key, recipe().stamp))
        self._process: subprocess.Popen[bytes] | None = None

    def kept(self) -> ctypes.CDLL | None:
        """The one that is kept, if there is one that may be loaded."""
        try:
            entry = Store(_KIND, _SUFFIX).load(self._key)
            if entry is None or refused_because(entry.path):
                return None
            return open_library(entry.path)
        except (GnomonError, OSError) as error:
            _log.info("%s", error)
            return None

    def start(self, text: str, headers: Mapping[str, Path]) -> None:
        """Start to compile it.

        Args:
            text: of the C file.
            headers: that it includes, by name.

        Raises:
            GnomonError: nothing can be kept, or no process started.
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
            raise GnomonError(f"cannot compile in the background: {error}") from None
        _left.append(self._process)

    @property
    def running(self) -> bool:
        """The compiler is at work."""
        return self._process is not None and self._process.poll() is None

    def result(self) -> ctypes.CDLL:
        """Wait for what was started.

        Raises:
            GnomonError: there is no library.
        """
        assert self._process is not None
        self._process.wait()
        library = self.kept()
        if library is None:
            raise GnomonError("the compiler has made nothing that can be loaded")
        return library


def compile_now(text: str, headers: Mapping[str, Path]) -> ctypes.CDLL:
    """A library for this process alone, as soon as it can be there; its code is not fast.

    Args:
        text: of the C file.
        headers: that it includes, by name.

    Raises:
        GnomonError: the compiler is missing or says no.
    """
    with work_folder() as folder:
        source = _write(folder, text, headers)
        return open_library(
            compile_library(recipe(quick=True), (source,), {}, folder, f"now{_SUFFIX}")
        )


def compile_and_keep(folder: str, key: str) -> None:
    """What the process in the background does; the folder is gone afterwards.

    Raises:
        GnomonError: the compiler says no, or nothing can be kept.
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
