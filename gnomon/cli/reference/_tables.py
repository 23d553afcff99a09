"""Every key of power tables, area tables, cost-model cores and the table of dividers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from gnomon.arch.dividers.keys import DIVIDER_KEYS, LAW_MEANINGS
from gnomon.base.tables import Entry, TableKey
from gnomon.cli.reference._markdown import code, page, table
from gnomon.cost.area import AreaTable
from gnomon.cost.energy import PowerFile
from gnomon.cost.platforms import PLATFORM_KEYS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pydantic.fields import FieldInfo

_INTRODUCTION = """\
The tables of `models/`, in YAML. Words in capitals stand for any name. A key may not be left out
unless the page says so. [models/README.md](../../models/README.md) says which folder holds which
table, and what the columns of the CSV files next to them mean."""
_POWER = """\
`gnomon power fit` writes them ([docs/accuracy.md](../accuracy.md#energy)); the key `power` of a
machine names one. 95 % intervals; an end of `.inf` says that the data do not bound the price."""
_AREA = """\
The key `area` of a machine names one ([docs/accuracy.md](../accuracy.md#area))."""
_PLATFORM = """\
`gnomon learner --arch` takes them by name or path ([docs/machines.md](../machines.md))."""
_DIVIDERS = """\
`models/dividers/laws.yaml` holds them all
([docs/notes/vector-divide.md](../notes/vector-divide.md))."""


def tables_page() -> str:
    """The page as Markdown."""
    return page(
        "Keys of the tables",
        _INTRODUCTION,
        "## Power tables",
        _POWER,
        _keys(power_keys()),
        "## Area tables",
        _AREA,
        _keys(area_keys()),
        "## Cost-model cores",
        _PLATFORM,
        _keys(PLATFORM_KEYS),
        "## Dividers",
        _DIVIDERS,
        _keys(DIVIDER_KEYS),
        "A law gives engine cycles: from the first cycle with the operands to the one that shows"
        " the result.",
        table(("law", "cycles"), [(code(law), text) for law, text in LAW_MEANINGS.items()]),
    )


def _keys(keys: Iterable[TableKey]) -> str:
    rows = [
        (
            code(key.path),
            key.unit,
            key.allowed,
            key.meaning + ("" if key.required else " (optional)"),
        )
        for key in keys
    ]
    return table(("key", "unit", "allowed", "meaning"), rows)


_NAMES = {"energy_pj_per_toggle": "GROUP"}


def area_keys() -> tuple[TableKey, ...]:
    """The keys of an area table, from its schema."""
    return tuple(_walk(AreaTable, ""))


def power_keys() -> tuple[TableKey, ...]:
    """The keys of a power table, from its schema."""
    return tuple(_walk(PowerFile, ""))


def _walk(section: type[Entry], prefix: str) -> Iterator[TableKey]:
    for name, info in section.model_fields.items():
        path = prefix + (info.alias or name)
        inner, named = _inner(info.annotation)
        path += f".{_NAMES.get(name, 'NAME')}" if named else ""
        if inner is not None and not _is_interval(inner):
            yield from _walk(inner, path + ".")
        else:
            own = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
            allowed = str(own.get("allowed", "")) or _allowed(info, inner)
            required = info.is_required()
            yield TableKey(
                path, info.description or "", str(own.get("unit", "")), allowed, required
            )


def _inner(annotation: Any) -> tuple[type[Entry] | None, bool]:
    """The section that a key holds, and whether it holds one by name."""
    named = get_origin(annotation) is dict
    held = get_args(annotation)[-1] if named else annotation
    is_section = isinstance(held, type) and issubclass(held, Entry)
    return (held if is_section else None), named


def _is_interval(section: type[Entry]) -> bool:
    fields = section.model_fields.values()
    return all(info.annotation is float and not info.json_schema_extra for info in fields)


def _allowed(info: FieldInfo, interval: type[Entry] | None) -> str:
    if interval is not None:
        ends = [f"{name} {_bounds(end)}" for name, end in interval.model_fields.items()]
        return ", ".join(ends)
    if get_origin(info.annotation) is Literal:
        return ", ".join(str(value) for value in get_args(info.annotation))
    origin = get_origin(info.annotation)
    words: dict[Any, str] = {
        list: "a list of names",
        dict: "a list of values",
        str: "text",
        float: "a number",
    }
    return words.get(origin or info.annotation) or f"a whole number {_bounds(info)}"


def _bounds(info: FieldInfo) -> str:
    signs = {"Ge": "from", "Gt": "above", "Le": "to", "Lt": "below"}
    found = {type(each).__name__: each for each in info.metadata}
    return " ".join(
        f"{sign} {getattr(found[kind], kind.lower()):,.10g}"
        for kind, sign in signs.items()
        if kind in found
    )
