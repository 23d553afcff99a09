"""User programs for lock-step, with their settings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError
from gnomon.base.tables import CsvRow, read_csv_table
from gnomon.program import Program, build, load_elf
from gnomon.rtl.setting import GENERICS, Setting


@dataclass(frozen=True, slots=True)
class UserProgram:
    """A user program, ELF or C, with its setting."""

    path: Path
    setting: Setting

    def program(self, machine: Architecture) -> Program:
        """Load the program, or compile it for a machine.

        Raises:
            GnomonError: if the file cannot be read, is not a program, or does not compile.
        """
        if self.path.suffix == ".c":
            return build([self.path], machine)
        return load_elf(self.path)

    @staticmethod
    def read(path: Path) -> tuple[UserProgram, ...]:
        """Read the programs of a table with a column ``elf`` and one for each of ``GENERICS``.

        The column ``elf`` may also name a C source. Without ``count_all``, counters count all
        harts.

        Raises:
            GnomonError: if the table cannot be read, lacks a column, or has an invalid value.
        """
        given = tuple(_read_program(path, row) for row in read_csv_table(path))
        if not given:
            raise GnomonError(f"{path}: has no rows")
        return given


def _read_program(path: Path, row: CsvRow) -> UserProgram:
    for column in GENERICS:
        text = row.values.get(column)
        if text is None and column != "count_all":
            raise GnomonError(f"{path}:1: has no column {column!r}")
        if text is not None and not text.isdecimal():
            raise GnomonError(f"{row.origin}: {column}: must be a whole number, not {text!r}")
    return UserProgram(path.parent / row.values.get("elf", ""), Setting.from_row(row.values))
