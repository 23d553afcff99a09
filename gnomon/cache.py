"""Where results that can be made again are kept: the user's cache folder."""

from __future__ import annotations

import os
from pathlib import Path

from gnomon.errors import GnomonError


def cache_folder(kind: str) -> Path:
    """The folder for one kind of cached result, such as ``program`` or ``engine``, made if absent.

    ``GNOMON_CACHE`` names the root; else it is ``gnomon`` under ``XDG_CACHE_HOME`` or ``~/.cache``.

    Raises:
        GnomonError: if the folder cannot be made.
    """
    chosen = os.environ.get("GNOMON_CACHE")
    if chosen:
        root = Path(chosen)
    else:
        shared = os.environ.get("XDG_CACHE_HOME")
        root = (Path(shared) if shared else Path("~/.cache").expanduser()) / "gnomon"
    folder = root / kind
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise GnomonError(
            f"{folder}: cannot make the cache folder: {error.strerror} (GNOMON_CACHE names another)"
        ) from error
    return folder
