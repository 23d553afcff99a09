"""Byte streams of recordings: a file or standard input, optionally gzipped."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Literal, cast

from gnomon.base.errors import GnomonError
from gnomon.base.files import open_regular

STANDARD_INPUT = "-"
_LOOK_BYTES = 4096
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
_FST_HEADER = bytes((0, 0, 0, 0, 0, 0, 0, 1, 73))  # block type 0, length 329 as 64 bits
_FST_WRAPPED = 254  # block type of a file compressed as a whole


class RecordingStream:
    """Bytes of a recording, in order, with its name for messages."""

    def __init__(self, name: str, stream: BinaryIO) -> None:
        self.name = name
        self._stream = stream
        self._seen = b""

    def look(self) -> bytes:
        """Return the first bytes without consuming them."""
        while len(self._seen) < _LOOK_BYTES:
            more = self._read(_LOOK_BYTES - len(self._seen))
            if not more:
                break
            self._seen += more
        return self._seen

    def read(self, count: int) -> bytes:
        """Read at most ``count`` bytes; an empty result marks the end."""
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
def open_source(path: str | Path) -> Iterator[RecordingStream]:
    """Open a file, or standard input for ``-``; gzip is detected by its first bytes."""
    if str(path) == STANDARD_INPUT:
        yield _unpack("standard input", sys.stdin.buffer)
        return
    with open_regular(Path(path)) as file:
        yield _unpack(str(path), cast("BinaryIO", file))


def _unpack(name: str, stream: BinaryIO) -> RecordingStream:
    plain = RecordingStream(name, stream)
    if not plain.look().startswith(_GZIP):
        return plain
    packed = gzip.GzipFile(fileobj=cast("BinaryIO", plain), mode="rb")  # it only reads
    return RecordingStream(name, cast("BinaryIO", packed))


def sniff(source: RecordingStream) -> Literal["vcd", "saif", "fst"]:
    """Return the format of a recording by its first bytes.

    Raises:
        GnomonError: if it is empty or has none of these formats.
    """
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
