"""Loading a machine, and telling where each of its values comes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gnomon.arch._chain import find, read_chain
from gnomon.arch._check import check, is_written, origin_of
from gnomon.arch._keys import Key, all_keys
from gnomon.arch._schema import Architecture
from gnomon.units import format_frequency, format_size


@dataclass(frozen=True, slots=True)
class Described:
    """One key of a loaded machine.

    ``value`` and ``default`` are written as a machine file writes them; ``default`` is None for
    keys that every machine must give. ``origin`` is ``file:line``, a ``--set`` flag or ``default``.
    """

    path: str
    value: str
    default: str | None
    unit: str
    allowed: str
    meaning: str
    origin: str


def load_architecture(name_or_path: str | Path, overrides: Sequence[str] = ()) -> Architecture:
    """Load a shipped machine by name, or a file by path, with ``dotted.path=value`` overrides.

    Raises:
        GnomonError: with every problem, one per line: ``file:line: key: what is wrong``.
    """
    return check(read_chain(find(name_or_path), overrides))


def describe_architecture(
    name_or_path: str | Path, overrides: Sequence[str] = ()
) -> tuple[Described, ...]:
    """Every key of a machine: value, default, unit, meaning and where the value comes from.

    Keys of sections that the machine does not have (``vcu: none``) are one row.

    Raises:
        GnomonError: as ``load_architecture``.
    """
    tree = read_chain(find(name_or_path), overrides)
    architecture = check(tree)
    rows: list[Described] = []
    absent: set[str] = set()
    for key in all_keys():
        names = key.path.split(".")
        depth, value = _value_at(architecture, names)
        path = ".".join(names[:depth])
        if depth < len(names):
            if path in absent:
                continue
            absent.add(path)
        origin = str(origin_of(tree, names)) if is_written(tree, names[:depth]) else "default"
        rows.append(_described(key, path, value, origin, whole=depth == len(names)))
    return tuple(rows)


def written(value: Any, unit: str = "") -> str:
    """A value as a machine file writes it."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "[" + ", ".join(value) + "]"
    if isinstance(value, int):
        if unit == "bytes":
            return format_size(value)
        if unit == "Hz":
            return format_frequency(value)
        if unit == "address":
            return f"0x{value:08X}"
    return str(value)


def _value_at(architecture: Architecture, names: Sequence[str]) -> tuple[int, Any]:
    """The value at a path, and how many names it took: fewer where a section is absent."""
    value: Any = architecture
    for depth, name in enumerate(names):
        if value is None:
            return depth, None
        fields = {info.alias or field: field for field, info in type(value).model_fields.items()}
        value = getattr(value, fields[name])
    return len(names), value


def _described(key: Key, path: str, value: Any, origin: str, *, whole: bool) -> Described:
    if not whole:
        return Described(path, "none", "none", "", "a section, none", _absent(path), origin)
    default = None if key.required else written(key.default, key.unit)
    return Described(
        path, written(value, key.unit), default, key.unit, key.allowed, key.meaning, origin
    )


def _absent(path: str) -> str:
    field = path.rsplit(".", 1)[-1]
    owner: Any = Architecture if "." not in path else Architecture.model_fields["core"].annotation
    return owner.model_fields[field].description or ""
