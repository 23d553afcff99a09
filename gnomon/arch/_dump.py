"""A machine back to the text of a machine file, with every value resolved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gnomon.arch._keys import all_keys
from gnomon.arch._model import Section
from gnomon.base.units import format_frequency, format_size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gnomon.arch._schema import Architecture


def dump_architecture(architecture: Architecture) -> str:
    """The complete YAML text of a machine; loading it gives an equal ``Architecture``."""
    units = {key.path: key.unit for key in all_keys()}
    return "".join(f"{line}\n" for line in _lines(architecture, "", units))


def written(value: Any, unit: str = "") -> str:
    """A value with its unit as people read it, such as ``4 KiB`` or ``0x00000080``."""
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


def _lines(section: Section, prefix: str, units: dict[str, str]) -> Iterator[str]:
    indent = "  " * prefix.count(".")
    for field, info in type(section).model_fields.items():
        name = info.alias or field
        value = getattr(section, field)
        path = prefix + name
        if isinstance(value, Section):
            yield f"{indent}{name}:"
            yield from _lines(value, path + ".", units)
        else:
            yield f"{indent}{name}: {_yaml(value, units.get(path, ''))}"


def _yaml(value: Any, unit: str) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(_yaml(item, "") for item in value) + "]"
    return _quoted(value) if isinstance(value, str) else written(value, unit)


def _quoted(text: str) -> str:
    """A YAML string in double quotes; characters that a file cannot hold as such are escaped."""
    plain = (c if c.isprintable() and c not in '"\\' else f"\\U{ord(c):08X}" for c in text)
    return '"' + "".join(plain) + '"'
