"""Lock of a sweep folder, released by the system when its holder ends for any reason."""

import contextlib
import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from gnomon.base.errors import GnomonError

LOCK_NAME = ".sweep.lock"


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock the folder; create it if absent."""
    path = folder / LOCK_NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = _open(path)
    except OSError as error:
        raise GnomonError(f"{path}: cannot be written: {error.strerror}") from None
    with file:
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = file.read(64).decode("ascii", "replace").strip()
            process = f" (process {holder})" if holder.isdigit() else ""
            raise GnomonError(
                f"{folder}: another sweep writes here{process}; wait for it, or use another --out"
            ) from None
        with contextlib.suppress(OSError):  # the process number is only informative
            file.truncate(0)
            file.write(f"{os.getpid()}\n".encode())
        yield


def _open(path: Path) -> BinaryIO:
    """Open the lock file, created if absent; follow no link, and open a regular file only.

    Raises:
        OSError: if it cannot be created, or is not a regular file.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "is not a file")
    # Without a buffer: data that a full disk rejects would be written again on closing.
    return os.fdopen(handle, "r+b", buffering=0)
