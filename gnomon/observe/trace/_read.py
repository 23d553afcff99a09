"""Any recording: a file or standard input, gzip or not, always a stream; its content decides.

FST comes as VCD from a process of its own. So the semantics are those of our VCD reader, memory
stays constant, and a damaged file cannot take gnomon down with the C library. The converter is the
library pylibfst, or fst2vcd of GTKWave.
"""

from __future__ import annotations

import gzip
import importlib.util
import shutil
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO, Literal, cast

from gnomon.base.errors import GnomonError
from gnomon.base.files import open_regular
from gnomon.observe.trace._activity import Activity
from gnomon.observe.trace._saif_read import read_saif
from gnomon.observe.trace._selection import Selection
from gnomon.observe.trace._vcd import read_vcd

INSTALL = "pip install 'gnomon[fst]'"
_LIBRARY = "_libfstapi"
_CONVERTER = "fst2vcd"


def read_fst(path: str | Path, read: Callable[[Source], Activity]) -> Activity:
    if str(path) == STANDARD_INPUT:
        raise GnomonError("standard input: FST is read from a file, not from a pipe")
    with (
        tempfile.TemporaryFile() as messages,
        subprocess.Popen(
            _command(Path(path)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=messages
        ) as process,
    ):
        assert process.stdout is not None
        refused: GnomonError | None = None
        activity = None
        try:
            activity = read(Source(str(path), cast("BinaryIO", process.stdout)))
        except GnomonError as error:
            refused = error
        if process.stdout.read(1):  # stopped early: a window, or a refusal
            process.kill()
        elif process.wait() != 0:
            # A converter that fails ends its stream early, so this is the first cause.
            messages.seek(0)
            said = " ".join(messages.read(400).decode(errors="replace").split())
            raise GnomonError(
                f"{path}: is damaged, or not an FST file: its reader stopped with exit code "
                f"{process.returncode}{f': {said}' if said else ''}"
            ) from None
    if refused is not None:
        raise refused
    assert activity is not None
    return activity


def _command(path: Path) -> list[str]:
    if importlib.util.find_spec(_LIBRARY) is not None:
        # By its file and not as a module: the package around it takes longer to import than most
        # files to read. -P keeps the files next to it from hiding those of the standard library.
        return [sys.executable, "-P", str(Path(__file__).with_name("_fst_stream.py")), str(path)]
    converter = shutil.which(_CONVERTER)
    if converter is not None:
        return [converter, "-f", str(path)]
    raise GnomonError(
        f"{path}: reading FST needs a library that is not installed: {INSTALL} "
        f"({_CONVERTER} of GTKWave on PATH serves as well)"
    )


def read_activity(path: str | Path, selection: Selection) -> Activity:
    """See :meth:`Activity.read`."""
    with open_source(path) as source:
        form = sniff(source)
        if form == "saif":
            if not selection.whole:
                raise GnomonError(
                    f"{source.name}: --from and --to need a VCD or FST; SAIF holds totals only"
                )
            return read_saif(source, selection)
        read = partial(read_vcd, selection=selection, origin=form)
        return read(source) if form == "vcd" else read_fst(path, read)


STANDARD_INPUT = "-"
_LOOK_BYTES = 4096
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
_FST_HEADER = bytes((0, 0, 0, 0, 0, 0, 0, 1, 73))  # block type 0, length 329 as 64 bits
_FST_WRAPPED = 254  # block type of a file compressed as a whole


class Source:
    """Bytes of a recording, in order, with the name that messages call it by."""

    def __init__(self, name: str, stream: BinaryIO) -> None:
        self.name = name
        self._stream = stream
        self._seen = b""

    def look(self) -> bytes:
        """The first bytes, without taking them."""
        while len(self._seen) < _LOOK_BYTES:
            more = self._read(_LOOK_BYTES - len(self._seen))
            if not more:
                break
            self._seen += more
        return self._seen

    def read(self, count: int) -> bytes:
        """At most ``count`` bytes; empty at the end."""
        if self._seen:
            data, self._seen = self._seen[:count], self._seen[count:]
            return data
        return self._read(count)

    def _read(self, count: int) -> bytes:
        try:
            read = getattr(self._stream, "read1", self._stream.read)
            return cast("bytes", read(count))
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise GnomonError(f"{self.name}: damaged gzip data: {error}") from None
        except OSError as error:
            raise GnomonError(f"{self.name}: cannot be read: {error.strerror}") from None


@contextmanager
def open_source(path: str | Path) -> Iterator[Source]:
    """Open a file, or standard input for ``-``; gzip is seen by its first bytes."""
    if str(path) == STANDARD_INPUT:
        yield _unpacked("standard input", sys.stdin.buffer)
        return
    with open_regular(Path(path)) as file:
        yield _unpacked(str(path), cast("BinaryIO", file))


def _unpacked(name: str, stream: BinaryIO) -> Source:
    plain = Source(name, stream)
    if not plain.look().startswith(_GZIP):
        return plain
    packed = gzip.GzipFile(fileobj=cast("BinaryIO", plain), mode="rb")  # it only reads
    return Source(name, cast("BinaryIO", packed))


def sniff(source: Source) -> Literal["vcd", "saif", "fst"]:
    start = source.look()
    start = start.removeprefix(_BYTE_ORDER_MARK)
    if start.startswith(_FST_HEADER) or start[:1] == bytes((_FST_WRAPPED,)):
        return "fst"
    text = start.lstrip()
    if text.startswith(b"$"):
        return "vcd"
    if text.startswith((b"(", b"/*", b"//")):
        return "saif"
    if not text:
        raise GnomonError(f"{source.name}: is empty")
    raise GnomonError(
        f"{source.name}: is not a VCD (which begins with a $keyword), a SAIF (which begins with "
        f"'(SAIFILE') or an FST file; it begins with {start[:16]!r}"
    )
