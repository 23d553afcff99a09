"""Tables of ``models/``: YAML and CSV files read with the line that each entry is on.

A figure that is asked for its source names the line of its table; so does an error in one.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, get_args

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from gnomon.base.content import content_root
from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.files import read_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

try:  # the parser in C is ten times as fast; both give the same tree
    from yaml import CSafeLoader as _Loader
except ImportError:  # pragma: no cover - PyYAML built without libyaml
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]

Place: TypeAlias = "tuple[str | int, ...]"
"""Keys and list positions that lead to an entry."""


class Entry(BaseModel):
    """A frozen section of a table. Unknown keys and values of another type are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


_Entry = TypeVar("_Entry", bound=Entry)


@dataclass(frozen=True, slots=True)
class TableKey:
    """What one key of a table means; a part of ``path`` in capitals stands for any name."""

    path: str
    meaning: str
    unit: str = ""
    allowed: str = ""
    required: bool = True


@dataclass(frozen=True, slots=True)
class YamlTable:
    """One YAML file: what it says, and the line (from 1) of every key and list item."""

    path: Path
    data: Any
    lines: Mapping[Place, int]

    def origin(self, *place: str | int) -> str:
        """``file:line`` of an entry, or of the nearest one above it."""
        while place and place not in self.lines:
            place = place[:-1]
        return f"{shown_path(self.path)}:{self.lines.get(place, 1)}"


@dataclass(frozen=True, slots=True)
class CsvRow:
    """One row of a CSV file, by column, and the line (from 1) that it starts on."""

    origin: str
    values: Mapping[str, str]


@cache
def shown_path(path: Path) -> str:
    """A path as people look for it: from the content folder where it is below that."""
    root = content_root()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()


def read_yaml_table(path: Path) -> YamlTable:
    """Read one YAML file.

    Raises:
        GnomonError: it cannot be read, is not YAML, or has a key twice.
    """
    text = read_text(path)
    try:
        node = yaml.compose(text, Loader=_Loader)
        data = yaml.load(text, Loader=_Loader)
    except yaml.YAMLError as error:
        reason = " ".join(str(error).split())
        raise GnomonError(f"{shown_path(path)}: not YAML: {reason}") from None
    lines: dict[Place, int] = {}
    if node is not None:
        _note_lines(node, (), lines, shown_path(path))
    return YamlTable(path, data, lines)


def _note_lines(node: yaml.Node, place: Place, lines: dict[Place, int], shown: str) -> None:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            below = (*place, str(key.value))
            line = key.start_mark.line + 1
            if below in lines:
                raise GnomonError(
                    f"{shown}:{line}: {_dotted(below)}: written twice, first in line {lines[below]}"
                )
            lines[below] = line
            _note_lines(value, below, lines, shown)
    elif isinstance(node, yaml.SequenceNode):
        for position, value in enumerate(node.value):
            lines[*place, position] = value.start_mark.line + 1
            _note_lines(value, (*place, position), lines, shown)


def check_table(table: YamlTable, kind: type[_Entry]) -> _Entry:
    """The table as ``kind``.

    Raises:
        GnomonError: with every wrong entry, one per line: ``file:line: path: what is wrong``.
    """
    try:
        return kind.model_validate(table.data)
    except ValidationError as error:
        problems = []
        for each in error.errors(include_url=False):
            place = tuple(each["loc"])
            message = each["msg"].removeprefix("Value error, ")
            if each["type"] == "extra_forbidden":
                known = _keys_of(kind, place[:-1])
                near = did_you_mean(str(place[-1]), known)
                message = f"unknown key (allowed: {', '.join(known)}{near})"
            elif each["type"] == "missing":
                message = "is missing"
            elif not isinstance(each["input"], dict | list):
                message += f", not {each['input']!r}"
            problems.append(f"{table.origin(*place)}: {_dotted(place)}: {message}")
        raise GnomonError("\n".join(problems)) from None


def _dotted(place: Place) -> str:
    return ".".join(map(str, place)) or "the file"


def _keys_of(kind: type[Entry], place: Place) -> Sequence[str]:
    """The keys that the section at ``place`` may have."""
    section: Any = kind
    for name in place:
        own = isinstance(section, type) and issubclass(section, Entry)
        section = section.model_fields[str(name)].annotation if own else get_args(section)[-1]
    return [field.alias or name for name, field in section.model_fields.items()]


def read_csv_table(path: Path) -> tuple[CsvRow, ...]:
    """Read one CSV file with a header; lines that start with ``#`` before it are comments.

    Raises:
        GnomonError: it cannot be read, or a row has more or fewer fields than the header.
    """
    shown = shown_path(path)
    lines = read_text(path).splitlines()
    skipped = next((n for n, line in enumerate(lines) if not line.startswith("#")), len(lines))
    reader = csv.reader(lines[skipped:])
    header = next(reader, [])
    rows = []
    before = skipped + reader.line_num
    for fields in reader:
        if len(fields) != len(header):
            raise GnomonError(
                f"{shown}:{before + 1}: must have {len(header)} fields, not {len(fields)}"
            )
        rows.append(CsvRow(f"{shown}:{before + 1}", dict(zip(header, fields, strict=True))))
        before = skipped + reader.line_num
    return tuple(rows)
