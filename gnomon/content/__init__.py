"""The package under which content folders are imported.

``gnomon.content.kernels.multiply.model`` is ``kernels/multiply/model.py`` of the place where the
kernel was found. Importing this package installs the finder, so worker processes can unpickle
objects of content modules. In a checkout, three links show the same modules to type checkers.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

from gnomon.base.content import roots


class _Finder(MetaPathFinder):
    """Finder of ``gnomon.content.<kind>`` and of the packages one level below it."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del path, target
        kind, _, name = fullname.removeprefix(f"{__name__}.").partition(".")
        if not fullname.startswith(f"{__name__}.") or "." in name:
            return None
        if not name:
            return _namespace(fullname, [])
        folder = next(_folders(kind, name), None)
        if folder is None:
            return None
        init = folder / "__init__.py"
        if init.is_file():
            return spec_from_file_location(fullname, init, submodule_search_locations=[str(folder)])
        return _namespace(fullname, [str(folder)])


def _namespace(fullname: str, locations: list[str]) -> ModuleSpec:
    spec = ModuleSpec(fullname, None, is_package=True)
    spec.submodule_search_locations = locations
    return spec


def _folders(kind: str, name: str) -> Iterator[Path]:
    for root in roots():
        folder = root.folder / kind / name
        if folder.is_dir():
            yield folder


if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
    sys.meta_path.append(_Finder())
