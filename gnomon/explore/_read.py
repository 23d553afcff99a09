"""Sweeps from YAML files, with file and line in every error."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.arch import Origin, Problem
from gnomon.arch._problems import shown
from gnomon.arch._yaml import Items, Mapping, Node, read_yaml
from gnomon.base.errors import GnomonError
from gnomon.base.files import read_text
from gnomon.explore._check import SweepError, check_sweep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

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
    where = os.fspath(path)
    try:
        if not path.is_file():
            raise GnomonError(f"{where}: no such file" if not path.exists() else
                              f"{where}: not a file; a {what} is one YAML file")  # fmt: skip
    except (OSError, ValueError):
        raise GnomonError(f"{shown(where)}: no such file") from None
    node, twice = read_yaml(read_text(path), where, what=what)
    if not isinstance(node, Mapping):
        given = "a list" if isinstance(node, Items) else shown(node.value)
        raise error([Problem(node.origin, "", f"a {what} is 'key: value' lines, not {given}")])
    if twice:
        raise error(twice)
    origins: dict[_Path, Origin] = {}
    return _plain(node, (), origins), origins


def _plain(node: Node, path: _Path, origins: dict[_Path, Origin]) -> Any:
    if isinstance(node, Mapping):
        for name, (origin, _) in node.entries.items():
            origins[*path, name] = origin
        return {
            name: _plain(value, (*path, name), origins) for name, (_, value) in node.entries.items()
        }
    if isinstance(node, Items):
        for index, value in enumerate(node.values):
            origins[*path, index] = value.origin
        return [_plain(value, (*path, index), origins) for index, value in enumerate(node.values)]
    return node.value


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
