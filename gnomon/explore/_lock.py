"""One sweep at a time on a folder: a lock that the system drops when its holder ends, however."""

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
    """Hold the folder, made if absent."""
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
            who = f" (process {holder})" if holder.isdigit() else ""
            raise GnomonError(
                f"{folder}: another sweep is writing here{who}; wait for it, or give another --out"
            ) from None
        with contextlib.suppress(OSError):  # who holds it is a courtesy
            file.truncate(0)
            file.write(f"{os.getpid()}\n".encode())
        yield


def _open(path: Path) -> BinaryIO:
    """The lock file, made if absent; a link is not followed, and nothing but a file is opened.

    Raises:
        OSError: it cannot be made, or is something else.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "is not a file")
    # Without a buffer: what finds no place on a full disk would be written again on closing.
    return os.fdopen(handle, "r+b", buffering=0)
