"""The record of a regression: a page to read, and a table with one line per program."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.base.files import write_file

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gnomon.rtl.klessydra._check import Result
    from gnomon.rtl.klessydra._ghdl import Build

COLUMNS = (
    "program", "seed", "simd", "sharing", "superscalar", "scratchpad_bytes", "count_all",
    "active_harts", "exit_cycle", "issues", "bus_requests", "memory_words", "difference",
)  # fmt: skip


_INTRODUCTION = (
    "Written by the command below; edits are lost. Every program ran on both sides. Compared are"
    " every issue (cycle, hart, pc, instruction word), every request on the data bus (cycle, byte"
    " enables, address, data written), the exit cycle and every word of both memories at the exit."
    " Nothing has a tolerance. What random programs leave out is in docs/klessydra.md."
)


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
    write_file(table, _table(results).encode("utf-8"))
    shown = f"{table.parent.name}/{table.name}"
    write_file(path, _page(results, build, conditions, shown).encode("utf-8"))
    return path, table


def _table(results: Sequence[Result]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for each in results:
        setting, compared = each.setting, each.compared
        writer.writerow(
            (
                each.name,
                "" if each.seed is None else each.seed,
                setting.simd,
                setting.sharing,
                int(setting.superscalar),
                setting.scratchpad_bytes,
                int(setting.count_all),
                "" if each.active_harts is None else each.active_harts,
                each.exit_cycle,
                compared.issues,
                compared.bus_requests,
                compared.memory_words,
                compared.divergence.summary if compared.divergence else "",
            )
        )
    return text.getvalue()


def _page(results: Sequence[Result], build: Build, conditions: Conditions, table: str) -> str:
    given = [each for each in results if each.seed is None]
    random = [each for each in results if each.seed is not None]
    seeds = [each.seed for each in random if each.seed is not None]
    wrong = [each for each in results if not each.same]
    lines = [
        "# The simulator in lock-step with the Klessydra-T13 RTL",
        "",
        _INTRODUCTION,
        "",
        f"    {conditions.command}",
        "",
        f"* RTL: entity `{build.entity.name}`, {len(build.sources)} files"
        + (f", commit {conditions.revision}" if conditions.revision else "")
        + f"; SHA-256 of names and contents {build.digest[:16]}",
        f"* Model: machine `{conditions.machine}`, with the settings below",
        f"* Simulator: {build.ghdl.title}, cocotb {conditions.cocotb}",
        _edits_line(build),
        "",
        "| programs | number | cycles | issues | bus requests | memory words | differences |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    if given:
        lines.append(_sum("given", given))
    if random:
        lines.append(_sum(f"random, seeds {_ranges(seeds)}", random))
    lines += [
        _sum("**all**", results),
        "",
        "## By setting",
        "",
        "| SIMD | vector unit | execution | programs | cycles | issues | bus requests | same |",
        "|---:|---|---|---:|---:|---:|---:|---:|",
    ]
    groups: dict[tuple[bool, str, int], list[Result]] = defaultdict(list)
    for each in results:
        setting = each.setting
        groups[not setting.superscalar, setting.sharing, setting.simd].append(each)
    for (serial, sharing, simd), group in sorted(groups.items()):
        mode = "serial" if serial else "superscalar"
        lines.append(
            f"| {simd} | {sharing} | {mode} | {len(group)} |"
            f" {sum(each.exit_cycle + 1 for each in group):,} |"
            f" {sum(each.compared.issues for each in group):,} |"
            f" {sum(each.compared.bus_requests for each in group):,} |"
            f" {sum(each.same for each in group)} |"
        )
    lines += ["", f"Every program is a line of [{table}]({table}).", ""]
    if wrong:
        lines += ["## Differences", ""]
        for each in wrong:
            assert each.compared.divergence is not None
            lines.append(
                f"* {each.name}, {each.setting.title}: cycle {each.compared.divergence.cycle}, "
                f"{each.compared.divergence.summary}"
            )
        lines.append("")
    return "\n".join(lines)


def _sum(title: str, results: Sequence[Result]) -> str:
    cycles = sum(each.exit_cycle + 1 for each in results)
    issues = sum(each.compared.issues for each in results)
    bus = sum(each.compared.bus_requests for each in results)
    words = sum(each.compared.memory_words for each in results)
    wrong = sum(not each.same for each in results)
    return f"| {title} | {len(results)} | {cycles:,} | {issues:,} | {bus:,} | {words:,} | {wrong} |"


def _ranges(seeds: Sequence[int]) -> str:
    low, high = min(seeds), max(seeds)
    if len(seeds) == high - low + 1:
        return f"{low} to {high}" if high > low else str(low)
    return ", ".join(map(str, sorted(seeds)))


def _edits_line(build: Build) -> str:
    if not build.edits:
        return "* The sources ran as they are"
    places = ", ".join(f"`{each.path.name}:{each.line}`" for each in build.edits)
    return (
        f"* `--scratch-edits`: {len(build.edits)} lines of a copy were changed without a change of"
        f" meaning ({places})"
    )
