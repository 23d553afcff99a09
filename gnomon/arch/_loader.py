"""Loading a machine, and telling where each of its values comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gnomon.arch._chain import find, read_chain
from gnomon.arch._check import check, is_written, origin_of
from gnomon.arch._dump import written
from gnomon.arch._keys import Key, all_keys, meaning_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gnomon.arch._schema import Architecture


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
    return check(*read_chain(find(name_or_path), overrides))


def describe_architecture(
    name_or_path: str | Path, overrides: Sequence[str] = ()
) -> tuple[Described, ...]:
    """Every key of a machine: value, default, unit, meaning and where the value comes from.

    Keys of sections that the machine does not have (``vcu: none``) are one row.

    Raises:
        GnomonError: as ``load_architecture``.
    """
    tree, problems = read_chain(find(name_or_path), overrides)
    architecture = check(tree, problems)
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
        rows.append(_described(key, path, value, origin))
    return tuple(rows)


def _value_at(architecture: Architecture, names: Sequence[str]) -> tuple[int, Any]:
    """The value at a path, and how many names it took: fewer where a section is absent."""
    value: Any = architecture
    for depth, name in enumerate(names):
        if value is None:
            return depth, None
        fields = {info.alias or field: field for field, info in type(value).model_fields.items()}
        value = getattr(value, fields[name])
    return len(names), value


def _described(key: Key, path: str, value: Any, origin: str) -> Described:
    if path != key.path:
        return Described(path, "none", "none", "", "a section, none", meaning_of(path), origin)
    return Described(
        path=path,
        value=written(value, key.unit),
        default=None if key.required else written(key.default, key.unit),
        unit=key.unit,
        allowed=key.allowed,
        meaning=key.meaning,
        origin=origin,
    )
