"""The record of a regression: a page to read, and a table with one line per program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.base.files import write_file
from gnomon.base.frames import csv_text, frame, markdown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pandas as pd

    from gnomon.rtl.klessydra._check import Result
    from gnomon.rtl.klessydra._ghdl import Build

_COLUMNS = (
    "program", "seed", "simd", "sharing", "superscalar", "scratchpad_bytes", "count_all",
    "active_harts", "exit_cycle", "issues", "bus_requests", "memory_words", "difference",
)  # fmt: skip
_PAGE = """\
# The simulator in lock-step with the Klessydra-T13 RTL

Written by the command below; edits are lost. Every program ran on both sides. Compared are\
 every issue (cycle, hart, pc, instruction word), every request on the data bus (cycle, byte\
 enables, address, data written), the exit cycle and every word of both memories at the exit.\
 Nothing has a tolerance. What random programs leave out is in docs/notes/klessydra.md.

    {command}

* RTL: entity `{entity}`, {files} files{commit}; SHA-256 of names and contents {digest}
* Model: machine `{machine}`, with the settings below
* Simulator: {simulator}, cocotb {cocotb}
* {edits}

{sums}

## By setting

{settings}

Every program is a line of [{table}]({table}).
"""


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a page says of how it was made: nothing that changes from run to run."""

    command: str
    machine: str
    revision: str | None
    cocotb: str


def write_record(
    path: Path, results: Sequence[Result], build: Build, conditions: Conditions
) -> tuple[Path, Path]:
    """Write the page, and the table of programs into a folder named after it; returns both.

    Raises:
        GnomonError: one of them cannot be written.
    """
    table = path.with_suffix("") / "programs.csv"
    programs = _programs(results)
    write_file(table, csv_text(programs).encode("utf-8"))
    page = _page(results, programs, build, conditions, f"{table.parent.name}/{table.name}")
    write_file(path, page.encode("utf-8"))
    return path, table


def _programs(results: Sequence[Result]) -> pd.DataFrame:
    rows = []
    for each in results:
        setting, compared = each.setting, each.compared
        rows.append((
            each.name, each.seed, setting.simd, setting.sharing, int(setting.superscalar),
            setting.scratchpad_bytes, int(setting.count_all), each.active_harts, each.exit_cycle,
            compared.issues, compared.bus_requests, compared.memory_words,
            compared.divergence.summary if compared.divergence else None,
        ))  # fmt: skip
    return frame(_COLUMNS, rows)


def _page(
    results: Sequence[Result],
    programs: pd.DataFrame,
    build: Build,
    conditions: Conditions,
    table: str,
) -> str:
    random = programs["seed"].notna()
    kinds = {"given": programs[~random], "**all**": programs}
    if random.any():
        seeds = _ranges(programs["seed"][random].tolist())
        kinds = {"given": programs[~random], f"random, seeds {seeds}": programs[random],
                 "**all**": programs}  # fmt: skip
    sums = [
        (title, len(each), *_counts(each, "issues", "bus_requests", "memory_words"),
         each["difference"].notna().sum())
        for title, each in kinds.items()
        if len(each)
    ]  # fmt: skip
    modes = programs.assign(serial=1 - programs["superscalar"])
    settings = [
        (simd, sharing, "serial" if serial else "superscalar", len(group),
         *_counts(group, "issues", "bus_requests"), group["difference"].isna().sum())
        for (serial, sharing, simd), group in modes.groupby(["serial", "sharing", "simd"])
    ]  # fmt: skip
    places = ", ".join(f"`{each.path.name}:{each.line}`" for each in build.edits)
    edits = "The sources ran as they are" if not build.edits else (
        f"`--scratch-edits`: {len(build.edits)} lines of a copy were changed without a change of"
        f" meaning ({places})"
    )  # fmt: skip
    heads = ("programs", "number", "cycles", "issues", "bus requests", "memory words",
             "differences")  # fmt: skip
    axes = ("SIMD", "vector unit", "execution")
    further = ("programs", "cycles", "issues", "bus requests", "same")
    page = _PAGE.format(
        command=conditions.command,
        entity=build.entity.name,
        files=len(build.sources),
        commit=f", commit {conditions.revision}" if conditions.revision else "",
        digest=build.digest[:16],
        machine=conditions.machine,
        simulator=build.ghdl.title,
        cocotb=conditions.cocotb,
        edits=edits,
        sums=markdown(frame(heads, sums), heads[1:]),
        settings=markdown(frame((*axes, *further), settings), ("SIMD", *further)),
        table=table,
    )
    wrong = [(each, each.compared.divergence) for each in results]
    lines = [
        f"* {each.name}, {each.setting.title}: cycle {divergence.cycle}, {divergence.summary}\n"
        for each, divergence in wrong
        if divergence is not None
    ]
    return page + ("\n## Differences\n\n" + "".join(lines) if lines else "")


def _counts(programs: pd.DataFrame, *columns: str) -> list[str]:
    """Cycles, then the sums of columns."""
    cycles = int(programs["exit_cycle"].sum()) + len(programs)
    return [f"{cycles:,}", *(f"{int(programs[name].sum()):,}" for name in columns)]


def _ranges(seeds: Sequence[int]) -> str:
    low, high = min(seeds), max(seeds)
    if len(seeds) == high - low + 1:
        return f"{low} to {high}" if high > low else str(low)
    return ", ".join(map(str, sorted(seeds)))
