"""Programs of the user's, and the settings they are for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError
from gnomon.base.tables import CsvRow, read_csv_table
from gnomon.program import Program, build, load_elf
from gnomon.rtl._setting import Setting, Sharing


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
    def number(column: str, usual: int | None = None) -> int:
        text = row.values.get(column)
        if text is None and usual is not None:
            return usual
        if text is None:
            raise GnomonError(f"{path}:1: has no column {column!r}")
        if not text.isdecimal():
            raise GnomonError(f"{row.origin}: {column}: must be a whole number, not {text!r}")
        return int(text)

    sharing: Sharing = "shared"
    if number("replicate_accl_en"):
        sharing = "multithreaded" if number("multithreaded_accl_en") else "replicated"
    setting = Setting(
        simd=number("simd"),
        sharing=sharing,
        superscalar=bool(number("superscalar_exec_en")),
        harts=number("thread_pool_size"),
        scratchpads=number("spm_num"),
        scratchpad_bytes=1 << number("addr_width"),
        count_all=bool(number("count_all", 1)),
    )
    return Given(path.parent / row.values.get("elf", ""), setting)
