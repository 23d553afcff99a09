"""The keys of a machine file, taken from the schema, and values as the file writes them."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from gnomon.arch._schema import Architecture
from gnomon.base.errors import did_you_mean
from gnomon.base.keys import Key, field_at, keys_of
from gnomon.base.units import format_frequency, format_size


def all_keys() -> tuple[Key, ...]:
    """Return every key that holds a value, in the order of the schema."""
    return keys_of(Architecture)


@cache
def key_paths() -> tuple[str, ...]:
    """Return the dotted paths of ``all_keys``."""
    return tuple(key.path for key in all_keys())


@cache
def optional_sections() -> tuple[str, ...]:
    """Return the sections that a machine may omit: their value is then ``none``."""
    parts = [path.split(".") for path in key_paths()]
    sections = dict.fromkeys(".".join(p[:n]) for p in parts for n in range(1, len(p)))
    found = {path: field_at(Architecture, path.split(".")) for path in sections}
    return tuple(
        path
        for path, info in found.items()
        if info is not None and not info.is_required() and info.default is None
    )


def is_unit_key(path: str) -> bool:
    """Return whether a path has the form of a unit, or of one of its parameters."""
    return re.fullmatch(r"units\.[a-z0-9_-]+(\.[a-z0-9_]+)?", path) is not None


NAMED: Final = {"memory.regions": "region", "devices": "device"}
"""Sections whose keys are names of the user, and what each name stands for."""


_PARAMETERS: Final = "parameters"
"""Key of a device whose keys are names of its description."""


def named_section(path: str) -> str:
    """Return the section of ``NAMED`` that a path lies in, or an empty text."""
    return next((each for each in NAMED if path.startswith(f"{each}.")), "")


def general_path(path: str) -> str:
    """Return the path of a key with the name of a region or device replaced by ``NAME``.

    So is the name of a parameter of a device.
    """
    section = named_section(path)
    if not section:
        return path
    _, _, further = path.removeprefix(f"{section}.").partition(".")
    if further.startswith(f"{_PARAMETERS}."):
        further = f"{_PARAMETERS}.NAME"
    return f"{section}.NAME" + (f".{further}" if further else "")


def meaning_of(path: str) -> str:
    """Return the meaning of the key or section at a dotted path; of one with a name, of all."""
    info = field_at(Architecture, path.split("."))
    if info is not None and not info.description and path.endswith(".NAME"):
        return meaning_of(path.removesuffix(".NAME"))
    return (info.description or "") if info is not None else ""


def nearest_key(path: str, paths: Sequence[str]) -> str:
    """Return ``", did you mean 'core.harts'?"`` for a whole path or for its last part alone."""
    whole = did_you_mean(path, paths)
    if whole:
        return whole
    last = path.rsplit(".", 1)[-1]
    by_last = {known.rsplit(".", 1)[-1]: known for known in paths}
    return f", did you mean {by_last[last]!r}?" if last in by_last else ""


def written(value: Any, unit: str = "") -> str:
    """Return a value with its unit, human-readable, such as ``4 KiB`` or ``0x00000080``."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "[" + ", ".join(str(item) for item in value) + "]"
    if isinstance(value, int):
        if unit == "bytes":
            return format_size(value)
        if unit == "Hz":
            return format_frequency(value)
        if unit == "address":
            return f"0x{value:08X}"
    return str(value)
