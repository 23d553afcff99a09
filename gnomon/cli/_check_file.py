"""Checks of YAML files by kind, without running what they describe."""

from functools import partial
from pathlib import Path
from pkgutil import resolve_name

from gnomon.base.errors import Check
from gnomon.base.yaml import read_file

_BY_KEY = {
    "axes": "gnomon.explore:read_sweep",
    "stages": "gnomon.deploy:read_pipeline",
    "requests": "gnomon.deploy:read_deployment",
    "checks": "gnomon.budget:read_budget",
    "extends": "gnomon.arch:load_architecture",
    "core": "gnomon.arch:load_architecture",
}
"""Function that reads a file with such a key."""


def check_file(path: Path) -> Check:
    """Return the check that reads a file; waived if it is of no kind that gnomon reads.

    Raises:
        GnomonError: if the file is missing or is not YAML.
    """
    tree, _ = read_file(path, "file")
    place = next((place for key, place in _BY_KEY.items() if tree.at(key) is not None), None)
    if place is None:
        return Check(str(path), "keys and values", str, "not a file of gnomon")
    return Check(str(path), "keys and values", partial(_read, place, path))


def _read(place: str, path: Path) -> None:
    resolve_name(place)(str(path))
