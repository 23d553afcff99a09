"""``SOURCES.yaml``: command, rules and source of each table in a folder.

gnomon ships one in ``reports`` and one in ``models``. A project, or any other content root, may
have its own in folders of these names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import Field, model_validator

from gnomon.base.content import content_root, roots
from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.tables import Entry, YamlTable, check_table, read_yaml_table
from gnomon.report.explain._chain import ChainStep, Resolve

SIDECAR = "SOURCES.yaml"
FOLDERS = ("reports", "models")
Text = Annotated[str, Field(min_length=1)]


class ColumnRule(Entry):
    """Origin of some columns."""

    # of the table; `*` matches all columns without an earlier rule
    columns: Annotated[list[Text], Field(min_length=1)]
    # required values of other columns of the row; the first matching rule applies
    when: dict[str, str | list[str]] = Field(default_factory=dict)
    unit: str | None = None  # of the value, if the column's name does not state it
    how: Text  # the rule in words; `{column}` stands for the value of a column
    # input quantities, in the form of `gnomon explain`
    refs: list[Text] = Field(default_factory=list)
    of: list[Text] = Field(default_factory=list)  # columns of the row from which it is computed
    source: Text | None = None  # source, if no other table states it; with `confidence`
    confidence: Text | None = None

    @model_validator(mode="after")
    def _ends(self) -> ColumnRule:
        if not (self.refs or self.of or self.source):
            raise ValueError("needs refs, of or source: else the chain has no end")
        if (self.source is None) != (self.confidence is None):
            raise ValueError("source and confidence go together")
        return self

    def holds(self, column: str, row: Mapping[str, str]) -> bool:
        """Return whether this is the rule of a column in a row."""
        if column not in self.columns and "*" not in self.columns:
            return False
        return all(
            row.get(key) in ([wanted] if isinstance(wanted, str) else wanted)
            for key, wanted in self.when.items()
        )


class FileEntry(Entry):
    what: Text  # title of the table
    # commands that regenerate it; empty for handwritten files
    commands: list[Text] = Field(default_factory=list)
    keys: list[Text] = Field(default_factory=list)  # columns that identify the case
    remarks: list[Text] = Field(default_factory=list)  # columns of text about the row
    # further names for `{}`: a name, then the columns it depends on, then their values (joined by a
    # blank) and the text; `*` is any other value
    names: dict[str, dict[str, dict[str, str]]] = Field(default_factory=dict)
    rules: list[ColumnRule] = Field(default_factory=list)  # by column
    refs: list[Text] = Field(default_factory=list)  # input tables of the whole file
    source: Text | None = None  # source of the whole file; with `confidence`
    confidence: Text | None = None


class PageEntry(Entry):
    """Markdown page with a command, or with tables from outside of its folder."""

    commands: list[Text] = Field(default_factory=list)  # commands that regenerate it
    tables: list[Text] = Field(default_factory=list)  # CSV files, paths below the folder


class Sources(Entry):
    """Content of a sidecar: path below the folder, and its entry."""

    files: dict[str, FileEntry]
    pages: dict[str, PageEntry] = Field(default_factory=dict)  # Markdown pages, where needed


@dataclass(frozen=True, slots=True)
class DescribedTable:
    """Table, its entry, and the position of the entry."""

    file: str
    entry: FileEntry
    lines: YamlTable

    def where(self, *place: str | int) -> str:
        """Return ``file:line`` of a part of the entry."""
        return self.lines.origin("files", self.file.partition("/")[2], *place)

    def steps(self, resolve: Resolve, depth: int = 0, *, sourced: bool = True) -> list[ChainStep]:
        """Return the steps of a file: title, commands, inputs and, if ``sourced``, its source."""
        entry = self.entry
        steps = [ChainStep("table", f"{self.file}: {entry.what}", self.where(), depth=depth)]
        steps += [ChainStep("command", command, depth=1) for command in entry.commands]
        for ref in entry.refs:
            for chain in resolve(ref):
                steps += chain.deeper()
        if sourced and entry.source is not None:
            text, sure = " ".join(entry.source.split()), entry.confidence or ""
            steps.append(ChainStep("source", text, self.where("source"), sure, depth=1))
        return steps

    def is_number(self, column: str) -> bool:
        """Return whether a column holds numbers: it is neither a key nor a remark."""
        return column not in self.entry.keys and column not in self.entry.remarks


def described_files() -> tuple[str, ...]:
    """Return all tables with an entry, as paths relative to their content root."""
    return tuple(
        f"{folder}/{name}"
        for folder in FOLDERS
        for path in _sidecars(folder)
        for name in _read(path)[0]
    )


def _sidecars(folder: str) -> tuple[Path, ...]:
    """Return the existing sidecars: an installed package has no reports, a project may have any."""
    paths = (place.folder / folder / SIDECAR for place in roots())
    return tuple(path for path in paths if path.is_file())


def read_sidecar(folder: str) -> tuple[Mapping[str, FileEntry], YamlTable]:
    """Return the shipped sidecar of ``reports`` or ``models``.

    Raises:
        GnomonError: if it cannot be read, or an entry is invalid.
    """
    path = content_root() / folder / SIDECAR
    if not path.is_file():
        raise GnomonError(
            f"{path.parent}: has no {SIDECAR}; reports are part of the repository, not of a package"
        )
    return _read(path)


def described_pages() -> dict[str, PageEntry]:
    """Return the entries of pages, by their paths relative to their content root."""
    return {
        f"reports/{name}": entry
        for path in reversed(_sidecars("reports"))
        for name, entry in _parsed(path, path.stat().st_mtime_ns)[0].pages.items()
    }


def _read(path: Path) -> tuple[Mapping[str, FileEntry], YamlTable]:
    sources, lines = _parsed(path, path.stat().st_mtime_ns)
    return sources.files, lines


def changed_ns(path: Path) -> int:
    """Return when a file changed, or 0 if there is none; with the path, a key of what it says."""
    return path.stat().st_mtime_ns if path.is_file() else 0


@cache
def _parsed(path: Path, _changed_ns: int) -> tuple[Sources, YamlTable]:
    lines = read_yaml_table(path)
    return check_table(lines, Sources), lines


def sources_of(file: str) -> DescribedTable:
    """Return the entry of a table by its path relative to a content root."""
    folder, _, rest = file.partition("/")
    if folder not in FOLDERS:
        raise GnomonError(f"{file}: tables are in {' and '.join(FOLDERS)}")
    for path in _sidecars(folder):
        files, lines = _read(path)
        if rest in files:
            return DescribedTable(file, files[rest], lines)
    raise GnomonError(
        f"{file}: has no entry in {folder}/{SIDECAR}, which states the sources of tables"
        f"{did_you_mean(file, described_files())}"
    )


def table_path(file: str) -> Path:
    """Return the path of a table in any content root; by default in the shipped one."""
    there = (place.folder / file for place in roots())
    return next((path for path in there if path.is_file()), content_root() / file)


_UNITS = {
    "_uj_us": "µJ x µs",
    "_lut_us": "LUT x µs",
    "lut_us": "LUT x µs",
    "_kb": "KB",
    "_bytes": "bytes",
    "_cycles": "cycles",
    "_toggles_per_cycle": "toggles per cycle",
    "toggles_per_cycle": "toggles per cycle",
    "_mw": "mW",
    "_uj": "µJ",
    "_nj": "nJ",
    "_pj": "pJ",
    "_us": "µs",
    "_ns": "ns",
    "cycles": "cycles",
    "lut": "LUT",
    "ff": "flip-flops",
    "dsp": "DSP blocks",
    "bram": "BRAM of 36 Kbit",
}
_ENDS = ("_value", "_low", "_high")


def unit_of(name: str) -> str:
    """Return the unit of a name such as ``energy_low_uj``; empty if the name has none."""
    for end in _ENDS:
        name = name.removesuffix(end)
    for suffix, unit in _UNITS.items():
        if name.endswith(suffix) if suffix.startswith("_") else name == suffix:
            return unit
    return ""
