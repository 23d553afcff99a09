"""The digest of the sources that decide computed results: gnomon's own, and declared content.

Which function reads which file is not inferred: a result that depends on gnomon's code depends on
all of it, and on all content of a kind if it depends on any. So an edited file never leaves an
outdated result in the cache, at the price of computing results again that the edit does not change.
"""

import hashlib
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from gnomon.base.content import Root, content_root, roots
from gnomon.base.digest import digest
from gnomon.base.errors import GnomonError
from gnomon.base.files import open_regular

KINDS: Final = ("arch", "kernels", "algorithms", "models", "reports")
"""Folders of content that results may depend on."""

_SHIPPED = frozenset(KINDS) - {"reports"}
_PACKAGE = Path(__file__).resolve().parents[1]
_DERIVED = frozenset(("__pycache__", "_content", "_native"))  # content is listed separately
_CODE = frozenset((".py", ".c", ".h", ".yaml"))  # of studies; their other files are results


def source_digest(*kinds: str) -> str:
    """Return the SHA-256 (hexadecimal) of gnomon's sources and of declared content.

    The sources are all files of the package and the content that gnomon ships, except studies. They
    are read once in a process: results depend on the code that is loaded.

    Args:
        kinds: of content, from :data:`KINDS`; in all places that :func:`gnomon.base.content.roots`
            lists, files of users included.

    Raises:
        GnomonError: if a file cannot be read.
    """
    return _compute_digest(frozenset(kinds), roots())


def shipped_digest() -> str:
    """Return the SHA-256 (hexadecimal) of gnomon's sources and of the content that it ships.

    Unlike :func:`source_digest` it is the same in every folder.
    """
    return _compute_digest(frozenset(), (Root(content_root(), "gnomon"),))


def file_digest(path: Path) -> str:
    """Return the SHA-256 (hexadecimal) of a file of any size.

    Raises:
        GnomonError: if it cannot be read.
    """
    with open_regular(path) as file:
        try:
            return hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise GnomonError(f"{path}: cannot be read: {error.strerror}") from None


@cache
def _compute_digest(kinds: frozenset[str], places: tuple[Root, ...]) -> str:
    found = [_list_digests(_PACKAGE)]
    for place in places:
        shipped = place.folder == content_root()
        counted = kinds | (_SHIPPED if shipped else frozenset())
        found.append(
            [entry for kind in sorted(counted) for entry in _list_digests(place.folder / kind)]
        )
    return digest(found)


@cache
def _list_digests(folder: Path) -> list[tuple[str, str]]:
    """Return path and digest of each file below a folder that counts."""
    return [
        (path.relative_to(folder.parent).as_posix(), file_digest(path))
        for path in _walk_files(folder)
        if folder.name != "reports" or path.suffix in _CODE
    ]


def _walk_files(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder, sorted, without links to folders and hidden files."""
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _DERIVED and name[0] != ".")
        for name in sorted(names):
            if name[0] != "." and (Path(at) / name).is_file():
                yield Path(at) / name
