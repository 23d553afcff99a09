"""Points of units that passed all checks, in the cache by the digest of the unit."""

from __future__ import annotations

from collections.abc import Iterable

from gnomon._version import __version__
from gnomon.arch.units import Unit, join_points
from gnomon.arch.units.area import parameters_text
from gnomon.base.cache import Store
from gnomon.base.digest import digest

_STORE = "unit-checks"


def record_check(unit: Unit) -> None:
    """Record that a unit passed all checks with its parameters.

    Raises:
        GnomonError: if the cache cannot be written.
    """
    _store().keep(_key(unit), parameters_text(unit.values).encode())


def is_checked(unit: Unit) -> bool:
    """Return whether this version of a unit passed all checks with its parameters."""
    return _store().load(_key(unit)) is not None


def describe_unchecked(units: Iterable[Unit]) -> list[str]:
    """Return a line for each unit of which some points were not checked, with a command."""
    found: dict[str, list[Unit]] = {}
    for each in dict.fromkeys(units):
        if not is_checked(each):
            found.setdefault(each.name, []).append(each)
    lines = []
    for name, points in found.items():
        texts = sorted((parameters_text(each.values) for each in points), key=lambda t: (len(t), t))
        shown = ", ".join(texts[:_MOST_SHOWN]) + (", ..." if len(texts) > _MOST_SHOWN else "")
        which = "" if shown == "none" else f" with {shown}"
        lines.append(
            f"not checked: this version of unit {name}{which}; its results and cycles may differ"
            f" from its SystemVerilog (gnomon check {name}{join_points(points)})"
        )
    return lines


_MOST_SHOWN = 8  # points in a line


def _store() -> Store:
    return Store(_STORE, ".txt")


def _key(unit: Unit) -> str:
    return digest((unit.digest, parameters_text(unit.values), __version__))
