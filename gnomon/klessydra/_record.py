"""The record of a regression: a human-readable page, and a table with one row per program."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from gnomon.base.content import content
from gnomon.base.files import write_file
from gnomon.base.frames import frame, markdown
from gnomon.rtl.bench import rendered
from gnomon.rtl.lockstep import Result

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pandas as pd

    from gnomon.klessydra._ghdl import CoreBuild


class Elaborated(ABC):
    """A user's core that can be simulated, independent of the tools."""

    __slots__ = ()
    build: CoreBuild

    @property
    @abstractmethod
    def beside(self) -> str:
        """Tools in addition to GHDL, for records."""

    @property
    def simulator(self) -> str:
        """Tools of the simulation, for records."""
        return f"{self.build.ghdl.title}, {self.beside}"

    def write_record(
        self, path: Path, results: Sequence[Result], command: str, machine: str
    ) -> tuple[Path, Path]:
        """Write a page, and a table of programs into a folder named after it; return both paths.

        The page has no content that changes from run to run.

        Raises:
            GnomonError: if a file cannot be written.
        """
        table = Result.write_table(results, path)
        page = _render_page(results, {
            "command": command, "machine": machine, "build": self.build,
            "simulator": self.simulator, "table": f"{table.parent.name}/{table.name}",
        })  # fmt: skip
        write_file(path, page.encode("utf-8"))
        return path, table


def _render_page(results: Sequence[Result], values: Mapping[str, Any]) -> str:
    programs = Result.table(results)
    random = programs["seed"].notna()
    seeds = _format_seeds(programs["seed"][random].tolist())
    kinds = {
        "given": programs[~random],
        f"random, seeds {seeds}": programs[random],
        "**all**": programs,
    }
    sums = [
        (title, len(each), *_sum_columns(each, "issues", "bus_requests", "memory_words"),
         each["difference"].notna().sum())
        for title, each in kinds.items()
        if len(each)
    ]  # fmt: skip
    modes = programs.assign(serial=1 - programs["superscalar"])
    settings = [
        (simd, sharing, "serial" if serial else "superscalar", len(group),
         *_sum_columns(group, "issues", "bus_requests"), group["difference"].isna().sum())
        for (serial, sharing, simd), group in modes.groupby(["serial", "sharing", "simd"])
    ]  # fmt: skip
    heads = ("programs", "number", "cycles", "issues", "bus requests", "memory words",
             "differences")  # fmt: skip
    axes = ("SIMD", "vector unit", "execution")
    further = ("programs", "cycles", "issues", "bus requests", "same")
    return rendered(
        content("rtl_tests", "klessydra", "record.md.j2"),
        **values, rules=Result.coverage(results),
        sums=markdown(frame(heads, sums), heads[1:]),
        settings=markdown(frame((*axes, *further), settings), ("SIMD", *further)),
        wrong=[(each, each.compared.divergence) for each in results if not each.same],
    )  # fmt: skip


def _sum_columns(programs: pd.DataFrame, *columns: str) -> list[str]:
    """Return the sum of cycles, then the sums of columns."""
    cycles = int(programs["exit_cycle"].sum()) + len(programs)
    return [f"{cycles:,}", *(f"{int(programs[name].sum()):,}" for name in columns)]


def _format_seeds(seeds: Sequence[int]) -> str:
    low, high = min(seeds, default=0), max(seeds, default=0)
    if len(seeds) == high - low + 1:
        return f"{low} to {high}" if high > low else str(low)
    return ", ".join(map(str, sorted(seeds)))
