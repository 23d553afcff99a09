"""Programs of the user's, and the settings they are for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError
from gnomon.base.tables import CsvRow, read_csv_table
from gnomon.program import Program, build, load_elf
from gnomon.rtl.setting import GENERICS, Setting


@dataclass(frozen=True, slots=True)
class Given:
    """A program of the user's, ELF or C, and the setting it is for."""

    path: Path
    setting: Setting

    def program(self, machine: Architecture) -> Program:
        """Loaded, or compiled for a machine.

        Raises:
            GnomonError: it cannot be read, is no program, or does not compile.
        """
        if self.path.suffix == ".c":
            return build([self.path], machine)
        return load_elf(self.path)

    @staticmethod
    def read(path: Path) -> tuple[Given, ...]:
        """The programs of a table: ``elf`` and hardware columns named after the core's generics.

        The column ``elf`` may name a C source too. Without ``count_all``, counters count all harts.

        Raises:
            GnomonError: it cannot be read, lacks a column, or holds a value that is none.
        """
        given = tuple(_given(path, row) for row in read_csv_table(path))
        if not given:
            raise GnomonError(f"{path}: has no rows")
        return given


def _given(path: Path, row: CsvRow) -> Given:
    for column in GENERICS:
        text = row.values.get(column)
        if text is None and column != "count_all":
            raise GnomonError(f"{path}:1: has no column {column!r}")
        if text is not None and not text.isdecimal():
            raise GnomonError(f"{row.origin}: {column}: must be a whole number, not {text!r}")
    return Given(path.parent / row.values.get("elf", ""), Setting.of_row(row.values))
