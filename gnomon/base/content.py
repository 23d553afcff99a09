"""Content folders: machines, kernels, learners, units, devices, studies, shipped and user-defined.

Content is searched in this order. Every command accepts the name of any content found:

1. what gnomon ships: the top of a checkout, or the folder inside an installed wheel;
2. the project: the nearest folder, from the current one upwards, with a file ``gnomon.yaml``;
3. the folders of the environment variable ``GNOMON_PATH`` (``--path`` adds to it);
4. installed packages with an entry point of the group ``gnomon.content``.

A content folder is ``<kind>/<name>/`` with a marker file, such as ``kernels/axpy/kernel.yaml``.
Folders are Python packages, so the folder ``solve_lower`` holds the kernel ``solve-lower``. Two
folders of one kind and name are an error; the message names both.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cache
from importlib.metadata import EntryPoints, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple

from gnomon.base.errors import GnomonError, require_known

PROJECT_FILE: Final = "gnomon.yaml"
PATH_VARIABLE: Final = "GNOMON_PATH"
ENTRY_POINTS: Final = "gnomon.content"

MARKERS: Final = {
    "kernels": "kernel.yaml", "algorithms": "algorithm.yaml", "reports": "study.yaml",
    "units": "unit.yaml", "devices": "device.yaml",
}  # fmt: skip
"""Kinds of content that are folders, and the marker file of each."""

_FILES = {kind: f"{kind}/*/{marker}" for kind, marker in MARKERS.items()} | {
    "machines": "arch/*.yaml"
}
_SINGULAR = {
    "kernels": "kernel", "algorithms": "learner", "reports": "study", "machines": "machine",
    "units": "unit", "devices": "device",
}  # fmt: skip


class Root(NamedTuple):
    """A folder that is searched for content, and its origin, such as ``project``."""

    folder: Path
    origin: str


class ContentItem(NamedTuple):
    """One folder of content."""

    name: str  # as the command line takes it
    folder: Path  # its folder; of a machine, its file
    root: Root  # the place that contains it

    @property
    def shipped(self) -> bool:
        """Whether gnomon ships it."""
        return self.root.origin == "shipped"


@cache
def content_root() -> Path:
    """Return the folder of the shipped content.

    In an installed wheel it is inside the package; in a checkout it is the repository root.
    """
    package = Path(__file__).resolve().parents[1]
    installed = package / "_content"
    return installed if installed.is_dir() else package.parent


def content(*parts: str) -> Path:
    """Return the path of a shipped file or folder, such as ``content("arch", "t13.yaml")``."""
    return content_root().joinpath(*parts)


def roots() -> tuple[Root, ...]:
    """Return the places that are searched, in order; each folder once.

    Raises:
        GnomonError: if ``GNOMON_PATH`` names a folder, or an entry point a package, that is absent.
    """
    return _list_roots(Path.cwd(), os.environ.get(PATH_VARIABLE, ""))


def found(kind: str) -> dict[str, ContentItem]:
    """Return all content of a kind by name, in the order of places and names.

    Raises:
        GnomonError: if two have one name.
    """
    return _find_all(kind, roots())


def found_machines() -> dict[str, Path]:
    """Return all machine files, ``arch/<name>.yaml``, by name.

    Raises:
        GnomonError: if two files have one name.
    """
    return {name: each.folder for name, each in _find_all("machines", roots()).items()}


def shipped_machines() -> tuple[str, ...]:
    """Return the names of the machines that gnomon ships."""
    return tuple(sorted(path.stem for path in content("arch").glob("*.yaml")))


def project_folder() -> Path | None:
    """Return the project folder that contains the current folder, or None."""
    return _find_project(Path.cwd())


def _find_project(current: Path) -> Path | None:
    above = (each for each in (current, *current.parents) if (each / PROJECT_FILE).is_file())
    return next(above, None)


def find(kind: str, name: str) -> ContentItem:
    """Return the content of a kind and name.

    Raises:
        GnomonError: if it does not exist; the message lists the names and the nearest one.
    """
    there = found(kind)
    return there[require_known(_SINGULAR[kind], name, there)]


def where(one: str, name: str) -> Path | None:
    """Return the current path of one folder or file of content; None if it does not exist.

    Not cached, unlike :func:`found`, because the caller is about to create it.
    """
    (kind,) = (many for many, word in _SINGULAR.items() if word == one)
    there = (each.folder for each in _list_content(kind, roots()) if each.name == name)
    return next(there, None)


@cache
def _list_roots(current: Path, path: str) -> tuple[Root, ...]:
    places = [Root(content_root(), "shipped")]
    project = _find_project(current)
    if project is not None:
        places.append(Root(project, "project"))
    for text in filter(None, path.split(os.pathsep)):
        folder = Path(text).expanduser().resolve()
        if not folder.is_dir():
            raise GnomonError(f"{text}: there is no such folder ({PATH_VARIABLE}, --path)")
        places.append(Root(folder, PATH_VARIABLE))
    for point in entry_points_of(ENTRY_POINTS):
        spec = find_spec(point.value)
        if spec is None or not spec.submodule_search_locations:
            raise GnomonError(
                f"entry point {point.name} of {ENTRY_POINTS}: no package {point.value}"
            )
        places += [Root(Path(each), f"plug-in {point.name}") for each in
                   spec.submodule_search_locations]  # fmt: skip
    return tuple({place.folder.resolve(): place for place in reversed(places)}.values())[::-1]


def entry_points_of(group: str) -> EntryPoints:
    """Return the entry points of a group that installed packages have."""
    return _select_entry_points(group, tuple(sys.path))


@cache
def _select_entry_points(group: str, places: tuple[str, ...]) -> EntryPoints:
    of_group: EntryPoints = _list_entry_points(places).select(group=group)
    return of_group


@cache
def _list_entry_points(_places: tuple[str, ...]) -> Any:  # with Python 3.11 no EntryPoints
    """Return those of all groups in these package folders; cached, as files of each are read."""
    return entry_points()


@cache
def _find_all(kind: str, places: tuple[Root, ...]) -> dict[str, ContentItem]:
    there: dict[str, ContentItem] = {}
    for each in _list_content(kind, places):
        if each.name in there:
            raise GnomonError(
                f"two {kind} are called {each.name!r}: {there[each.name].folder} and {each.folder}"
            )
        if kind in MARKERS and not each.folder.name.isidentifier():
            raise GnomonError(
                f"{each.folder}: a folder of content is a Python package, so its name has letters,"
                " digits and underscores only"
            )
        there[each.name] = each
    return there


def _list_content(kind: str, places: tuple[Root, ...]) -> Iterator[ContentItem]:
    for root in places:
        for path in sorted(root.folder.glob(_FILES[kind])):
            if kind in MARKERS:
                yield ContentItem(path.parent.name.replace("_", "-"), path.parent, root)
            else:
                yield ContentItem(path.stem, path, root)
