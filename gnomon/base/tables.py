"""Tables in YAML and CSV, read within limits; each entry knows its line.

A figure names the line of its table as its source; so does an error in the table. The limits hold
for files of any origin: bytes of a file, characters of a field, columns of a table.
"""

import csv
from collections.abc import Mapping as MappingOf
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from gnomon.base.content import content_root
from gnomon.base.errors import CONTROL, GnomonError, visible
from gnomon.base.files import decode_text, decompress, read_bytes
from gnomon.base.schema import Section, validate_tree
from gnomon.base.yaml import FileError, Mapping, Place, origin_of, places, read_file, strip_lines

MAX_BYTES = 64 * 2**20
MAX_COLUMNS = 10_000
MAX_FIELD = 100_000

Entry = Section
"""A frozen section of a table. Unknown keys and values of another type are errors."""

_Section = TypeVar("_Section", bound=Section)


@dataclass(frozen=True)
class YamlTable:
    """One YAML file: its values, and the line (from 1) of every key and list item."""

    path: Path
    tree: Mapping

    @cached_property
    def data(self) -> dict[str, Any]:
        """Values without their lines."""
        values: dict[str, Any] = strip_lines(self.tree)
        return values

    @cached_property
    def lines(self) -> dict[Place, int]:
        """The line of every key and list item."""
        return {place: origin.line or 1 for place, origin in places(self.tree)}

    def origin(self, *place: str | int) -> str:
        """Return ``file:line`` of an entry, or of the nearest one above it."""
        return str(origin_of(self.tree, place))


class CsvRow(NamedTuple):
    """One row of a CSV file, by column, and the line (from 1) that it starts on."""

    origin: str
    values: MappingOf[str, str]


@cache
def shown_path(path: Path) -> str:
    """Return a path for messages: relative to the content folder if it is inside."""
    root = content_root()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()


def read_yaml_table(path: Path, what: str = "table") -> YamlTable:
    """Read one YAML file, which describes a ``what``.

    Raises:
        GnomonError: if it cannot be read, is not plain YAML, or has a key twice.
    """
    tree, twice = read_file(path, what, shown_path(path))
    if twice:
        raise FileError(twice)
    return YamlTable(path, tree)


def check_table(table: YamlTable, kind: type[_Section]) -> _Section:
    """Validate a table and return it as ``kind``.

    Raises:
        FileError: if entries are wrong; one line for each: ``file:line: path: problem``.
    """
    return validate_tree(table.tree, kind)


def read_csv_table(path: Path, *, most_bytes: int = MAX_BYTES) -> tuple[CsvRow, ...]:
    """Read one CSV file with a header; lines that start with ``#`` before it are comments.

    The file may be compressed with xz or gzip; the limit holds for both sizes.

    Raises:
        GnomonError: if it cannot be read, exceeds a limit, or a row has more or fewer fields than
            the header; with the line.
    """
    shown = shown_path(path)
    lines = _read_limited_text(path, most_bytes).splitlines(keepends=True)
    skipped = next((n for n, line in enumerate(lines) if not line.startswith("#")), len(lines))
    reader = csv.reader(lines[skipped:])
    rows: list[CsvRow] = []
    header: list[str] | None = None
    before = skipped
    try:
        for fields in reader:
            origin = f"{shown}:{before + 1}"
            before = skipped + reader.line_num
            if len(fields) > MAX_COLUMNS or max(map(len, fields), default=0) > MAX_FIELD:
                raise GnomonError(
                    f"{origin}: at most {MAX_COLUMNS:,} fields of {MAX_FIELD:,} characters are read"
                )
            if header is None and not fields:
                raise GnomonError(f"{origin}: must name the columns; the line is empty")
            if header is None:
                header = fields
            elif len(fields) != len(header):
                raise GnomonError(f"{origin}: must have {len(header)} fields, not {len(fields)}")
            else:
                rows.append(CsvRow(origin, dict(zip(header, fields, strict=True))))
    except csv.Error as error:
        raise GnomonError(f"{shown}:{before + 1}: not CSV: {error}") from None
    return tuple(rows)


def _read_limited_text(path: Path, most_bytes: int) -> str:
    try:
        size = path.stat().st_size
    except OSError as error:
        raise GnomonError(f"{path}: cannot be read: {error.strerror}") from None
    if size > most_bytes:
        raise GnomonError(f"{shown_path(path)}: {size:,} bytes; at most {most_bytes:,} are read")
    shown = shown_path(path)
    text = decode_text(shown, decompress(shown, read_bytes(path), most_bytes))
    if found := CONTROL.search(text):
        line = text.count("\n", 0, found.start()) + 1
        raise GnomonError(f"{shown}:{line}: contains the control character {visible(found[0])}")
    return text
