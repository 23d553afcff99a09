"""Entries of YAML tables by the path of their keys; the source is that of the nearest section."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.tables import YamlTable, read_yaml_table
from gnomon.base.yaml import Place
from gnomon.report.explain._chain import Chain, ChainStep, Resolve
from gnomon.report.explain._sources import changed_ns, sources_of, table_path, unit_of

_NAMES = ("divider", "name")
"""Keys that name an item of a list."""
_SOURCES = ("source", "design")
_REMARKS = ("reasoning", "note", "measured", "tool")
_SURE = ("kind", "certainty")
_SHOWN = 160
_LABELS = ("alternatives",)
"""Sections whose lists of names label columns; a name alone does not refer to them."""


def yaml_lines(file: str) -> YamlTable:
    """Return a table with a path relative to the content root."""
    path = table_path(file)
    return _lines_of(path, changed_ns(path))


@cache
def _lines_of(path: Path, _changed_ns: int) -> YamlTable:
    return read_yaml_table(path)


def entry_paths(file: str) -> tuple[str, ...]:
    """Return the dotted paths of all entries."""
    path = table_path(file)
    return _paths_of(path, changed_ns(path))


@cache
def _paths_of(path: Path, changed_ns: int) -> tuple[str, ...]:
    table = _lines_of(path, changed_ns)
    return tuple(".".join(map(str, _named(table.data, place))) for place in table.lines)


def _named(data: Any, place: Place) -> Iterator[str | int]:
    for key in place:
        data = _child(data, key)
        if isinstance(key, int) and isinstance(data, dict):
            yield next((data[name] for name in _NAMES if name in data), key)
        elif isinstance(key, int) and isinstance(data, str):
            yield data
        else:
            yield key


def _child(data: Any, key: str | int) -> Any:
    if isinstance(data, dict):
        return next(value for name, value in data.items() if str(name) == str(key))
    return data[key]


def find_place(file: str, path: str, shown: str) -> Place:
    """Return the entry at a dotted path, or the only one whose path ends with it."""
    if not path:
        return ()
    names = entry_paths(file)
    places = list(zip(names, yaml_lines(file).lines, strict=True))
    ends = [
        (name, place)
        for name, place in places
        if name.endswith("." + path) and place[0] not in _LABELS
    ]
    exact = [place for name, place in places if name == path]
    if exact or len(ends) == 1:
        return exact[0] if exact else ends[0][1]
    if ends:
        some = ", ".join(f"{shown}.{name}" for name, _ in ends[:6])
        raise GnomonError(f"{shown}.{path}: there are {len(ends)}: {some}")
    lasts = {name.rpartition(".")[2]: name for name in names}
    near = did_you_mean(path, names) or did_you_mean(path, lasts)
    near = near or did_you_mean(path.replace(".", "_"), lasts)
    raise GnomonError(f"{shown}: has no entry {path!r} ({file}{near})")


def explain_entry(file: str, path: str, shown: str, resolve: Resolve) -> Chain:
    return explain_place(file, find_place(file, path, shown), shown, resolve)


def explain_place(file: str, place: Place, shown: str, resolve: Resolve) -> Chain:
    """Explain one entry by its keys."""
    lines, table = yaml_lines(file), sources_of(file)
    entry = table.entry
    sections = list(accumulate(place, _child, initial=lines.data))
    data = sections[-1]
    value = _text(data)
    unit = _unit(place, data)
    name = ".".join([shown, *map(str, _named(lines.data, place))])
    text = f"{name}: {value} {unit}".rstrip()
    steps = [ChainStep("value" if place else "table", text, lines.origin(*place))]
    if isinstance(data, str) and len(place) > 1 and isinstance(place[-1], int):
        # For a name in a list, the owner of the list is its price.
        owner = _text(sections[-3])
        steps.append(ChainStep("table", f"in {'.'.join(map(str, place[:-2]))}: {owner}",
                          lines.origin(*place[:-2]), depth=1))  # fmt: skip
    own = _origin(lines, place, sections, entry.confidence or "as stated")
    steps += own
    steps += table.steps(resolve, 1, sourced=bool(entry.refs) or not own)
    return Chain(name, value, unit, tuple(steps))


def _origin(
    lines: YamlTable, place: Place, sections: Sequence[Any], otherwise: str
) -> list[ChainStep]:
    """Return the source of the entry from the nearest section with one, and all remarks."""
    text, where, sure = "", "", ""
    remarks = []
    for depth, section in reversed(list(enumerate(sections))):
        if not isinstance(section, dict):
            continue
        sure = sure or next((_line(section[key]) for key in _SURE if key in section), "")
        remarks += [_line(section[key]) for key in _REMARKS if isinstance(section.get(key), str)]
        own = [key for key in _SOURCES if isinstance(section.get(key), str)]
        if own and not text:
            text = "; ".join(_line(section[key]) for key in own)
            where = lines.origin(*place[:depth], own[0])
    if not text:
        return []
    return [ChainStep("source", "; ".join([text, *remarks]), where, sure or otherwise, depth=1)]


def _unit(place: Place, data: Any) -> str:
    if isinstance(data, dict) and "value" not in data:
        return ""
    units = (unit_of(key) for key in reversed(place) if isinstance(key, str))
    return next(filter(None, units), "")


def _text(data: Any) -> str:
    """Return a value as one line; a section as its plain values and its figures with intervals."""
    if isinstance(data, dict):
        known = {k: _ends(v) for k, v in data.items() if k not in {*_SOURCES, *_REMARKS}}
        text = ", ".join(f"{key} {figure}" for key, figure in known.items() if figure)
    elif isinstance(data, list):
        text = ", ".join(figure for figure in map(_ends, data) if figure) or f"{len(data)} entries"
    else:
        return _line(data)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def _ends(data: Any) -> str:
    if isinstance(data, dict) and {"value", "low", "high"} <= set(data):
        return f"{data['value']} [{data['low']}, {data['high']}]"
    return "" if isinstance(data, dict | list) else _line(data)


def _line(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return " ".join(str(value).split())
