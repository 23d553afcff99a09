"""Sweeps from YAML files, with file and line in every error."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.base.yaml import Origin, Problem, places, plain, read_file
from gnomon.explore._check import SweepError, check_sweep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gnomon.base.errors import GnomonError
    from gnomon.explore._spec import Sweep

_Path = tuple["str | int", ...]


def read_sweep(path: Path | str) -> Sweep:
    """Read a sweep file. Paths in it that are relative are so to its folder.

    Raises:
        GnomonError: with every problem, one per line: ``file:line: key: what is wrong``.
    """
    path = Path(path)
    raw, origins = read_keys(path, "sweep", SweepError)
    _from_folder(raw, path.parent)
    return check_sweep(raw, origins, os.fspath(path))


def read_keys(
    path: Path, what: str, error: Callable[[Iterable[Problem]], GnomonError]
) -> tuple[dict[str, Any], dict[_Path, Origin]]:
    """The values of a file of keys, and where each was written. ``what`` is what it describes.

    Raises:
        GnomonError: there is no such file, or it is not plain YAML.
    """
    tree, twice = read_file(path, what)
    if twice:
        raise error(twice)
    return plain(tree), dict(places(tree))


def _from_folder(raw: dict[str, Any], folder: Path) -> None:
    """Make relative paths of machines and programs those beside the file."""

    def placed(value: Any) -> Any:
        if isinstance(value, list):
            return [placed(each) for each in value]
        is_path = isinstance(value, str) and ("/" in value or value.endswith((".yaml", ".yml")))
        return os.path.normpath(folder / value) if is_path else value

    def program(value: Any) -> Any:
        if isinstance(value, list):
            return [program(each) for each in value]
        return os.path.normpath(folder / value) if isinstance(value, str) else value

    axes = raw.get("axes")
    for section in (raw, axes if isinstance(axes, dict) else {}):
        if "arch" in section:
            section["arch"] = placed(section["arch"])
        if "program" in section:
            section["program"] = program(section["program"])
