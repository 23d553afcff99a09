"""Files written aside and renamed, so that no reader sees a partial file; errors name the file."""

import errno
import fcntl
import gzip
import hashlib
import io
import json
import lzma
import os
import secrets
import stat
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, TypeAlias, cast

from gnomon.base.errors import GnomonError

ASIDE = ".aside-"
"""Begins the names of files that are being written."""

READ_LIMIT_BYTES = 256 << 20
"""Largest size of a file that is read as a whole; a larger one is damaged, or an attack."""

Content: TypeAlias = "str | bytes | Mapping[str, bytes]"
"""Content of a file: text or bytes; of a figure: bytes by ending, such as ``svg``."""


def write_file(path: Path, data: bytes | str) -> Path:
    """Write a file and the folders above it; characters that UTF-8 cannot encode are escaped.

    A new file gets the permissions of the umask; a replaced file keeps its own.

    Raises:
        GnomonError: if it cannot be written.
    """
    if isinstance(data, str):
        data = data.encode("utf-8", "backslashreplace")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_aside(path, data)
    except OSError as error:
        raise GnomonError(f"{path}: cannot be written: {error.strerror}") from None
    return path


def write_files(folder: Path, files: Mapping[str, Content]) -> tuple[Path, ...]:
    """Write files into a folder, in order.

    Raises:
        GnomonError: if a file cannot be written.
    """
    written = []
    for name, content in files.items():
        if isinstance(content, str | bytes):
            written.append(write_file(folder / name, content))
        else:
            written += [write_file(folder / f"{name}.{kind}", content[kind]) for kind in content]
    return tuple(written)


def write_aside(path: Path, data: bytes, *, mode: int | None = None) -> None:
    """Write a file under another name in its folder, then rename it.

    ``mode``: its permissions; None: as in :func:`write_file`.

    Raises:
        OSError: if it cannot be written; no partial file remains.
    """
    with _open_aside(path, mode) as file:
        file.write(data)


@contextmanager
def _open_aside(path: Path, mode: int | None = None) -> Iterator[IO[bytes]]:
    # A rename would replace /dev/null or a pipe by a file.
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise OSError(errno.EINVAL, "it is not a regular file")
    if mode is None and path.is_file() and not path.is_symlink():
        mode = stat.S_IMODE(path.stat().st_mode) & 0o777
    aside, handle = _create_aside(path, 0o666 if mode is None else 0o600)  # less the umask
    try:
        with os.fdopen(handle, "wb", closefd=False) as file:  # it stays locked
            yield file
        if mode is not None:
            aside.chmod(mode)
        aside.replace(path)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise
    finally:
        os.close(handle)


def _create_aside(path: Path, permissions: int) -> tuple[Path, int]:
    """Create the file that is renamed to ``path``; return its path and its handle.

    Its name depends on ``path``, so that a run replaces what an earlier one left behind when it was
    killed. A lock shows whether its writer lives; if so, the name is a random one.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    aside = path.parent / f"{ASIDE}{hashlib.sha256(os.fsencode(path.name)).hexdigest()[:16]}"
    _remove_left_over(aside)
    with suppress(FileExistsError):
        handle = os.open(aside, flags, permissions)
        if _lock(handle) and _is_at(aside, handle):
            return aside, handle
        os.close(handle)
    aside = path.parent / f"{ASIDE}{secrets.token_hex(8)}"
    return aside, os.open(aside, flags, permissions)


def _remove_left_over(aside: Path) -> None:
    """Remove a file if no process writes it."""
    with suppress(OSError):
        handle = os.open(aside, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            if _lock(handle) and _is_at(aside, handle):
                aside.unlink()
        finally:
            os.close(handle)


def _lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_at(path: Path, handle: int) -> bool:
    """Return whether a path still leads to an open file."""
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(handle), os.lstat(path))
    return False


def open_regular(path: Path) -> io.BufferedReader:
    """Open a file to read bytes; a pipe or device, which may never end, is rejected unopened.

    Raises:
        GnomonError: if it cannot be opened, or is not a regular file.
    """
    try:
        # Without O_NONBLOCK the opening of a pipe waits for a writer.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        kind = os.fstat(handle).st_mode
        if stat.S_ISREG(kind):
            return os.fdopen(handle, "rb")
        os.close(handle)
    except OSError as error:
        raise GnomonError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError:
        raise GnomonError(f"{str(path)!r}: is not a file name: embedded null byte") from None
    if stat.S_ISDIR(kind):
        raise GnomonError(f"{path}: cannot be read: Is a directory")
    raise GnomonError(f"{path}: cannot be read: it is not a regular file but a pipe or device")


def read_bytes(path: Path, limit_bytes: int = READ_LIMIT_BYTES) -> bytes:
    """Return the bytes of a file.

    Raises:
        GnomonError: if it cannot be read, is not a regular file, or is longer than the limit.
    """
    with open_regular(path) as file:
        try:
            data = read_at_most(file, limit_bytes + 1)
        except OSError as error:
            raise GnomonError(f"{path}: cannot be read: {error.strerror}") from None
    if len(data) > limit_bytes:
        raise GnomonError(f"{path}: is longer than {limit_bytes >> 20} MiB")
    return data


def read_at_most(file: io.BufferedReader, most_bytes: int) -> bytes:
    """Return the rest of a file, or its first bytes; memory is taken for its size alone.

    ``file.read(most_bytes)`` takes memory for as many bytes, however small the file is.

    Raises:
        OSError: if it cannot be read.
    """
    expected = min(os.fstat(file.fileno()).st_size, most_bytes - 1) + 1
    data = file.read(expected)
    if len(data) == expected < most_bytes:  # it has grown, or its system does not know its size
        data += file.read(most_bytes - expected)
    return data


def read_text(path: Path) -> str:
    """Return the text of a file, lines ended by a newline alone.

    Raises:
        GnomonError: if it cannot be read, is too long, or is not UTF-8 text.
    """
    return decode_text(path, read_bytes(path))


def read_any_text(path: Path) -> str:
    """Return the text of a file as :func:`read_text`; bytes that are not UTF-8 are replaced."""
    return _convert_line_ends(read_bytes(path).decode("utf-8", "replace"))


def decode_text(path: object, data: bytes) -> str:
    """Return UTF-8 text, lines ended by a newline alone.

    Raises:
        GnomonError: if it is not UTF-8.
    """
    try:
        return _convert_line_ends(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise GnomonError(f"{path}: is not UTF-8 text") from None


def _convert_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def decompress(path: object, data: bytes, limit_bytes: int = READ_LIMIT_BYTES) -> bytes:
    """Return data, decompressed if it is gzip or xz.

    Raises:
        GnomonError: if it is damaged, or longer than the limit.
    """
    is_gzip = data.startswith(b"\x1f\x8b")
    if not is_gzip and not data.startswith(b"\xfd7zXZ\x00"):
        return data
    packed, name = io.BytesIO(data), "gzip" if is_gzip else "xz"
    try:
        with gzip.open(packed) if is_gzip else lzma.open(packed) as file:
            data = file.read(limit_bytes + 1)
    except (gzip.BadGzipFile, lzma.LZMAError, EOFError, zlib.error) as error:
        raise GnomonError(f"{path}: damaged {name} data: {error}") from None
    if len(data) > limit_bytes:
        raise GnomonError(f"{path}: decompressed it is longer than {limit_bytes >> 20} MiB")
    return data


def is_file(path: Path) -> bool:
    """Return whether a file exists; False also if the name is too long or contains a zero byte."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def why_no_file(path: Path) -> str:
    """Return why a path names no file, as the end of a sentence that begins with the path."""
    if is_folder(path):
        return "is a folder, not a file"
    try:
        exists = path.exists()
    except (OSError, ValueError):
        exists = False
    return "is not a regular file but a pipe or device" if exists else "no such file"


def is_folder(path: Path) -> bool:
    """Return whether a folder exists; False also if the name is too long or has a zero byte."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def parse_json(text: str | bytes, path: object, line: int | None = None) -> Any:
    """Return the value of JSON text: of a whole file, or of one line of it.

    Raises:
        GnomonError: if it is not JSON, is nested too deeply, or a number has too many digits.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        at = line or getattr(error, "lineno", 1)
        why = getattr(error, "msg", str(error).partition(";")[0])
        raise GnomonError(f"{path}:{at}: not JSON: {why}") from None


@contextmanager
def writing(path: Path) -> Iterator[IO[bytes]]:
    """Open a file to write piece by piece; it gets its name when it is complete.

    A name that ends in ``.gz`` is compressed: the same content gives the same bytes.

    Raises:
        GnomonError: if it cannot be written; no partial file remains.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _open_aside(path) as file:
            if path.suffix == ".gz":
                with gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
                    yield cast("IO[bytes]", packed)
            else:
                yield file
    except OSError as error:
        raise GnomonError(f"{path}: cannot be written: {error.strerror}") from None
