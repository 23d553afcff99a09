"""The figures as tables for a terminal and as plain data."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from benchmarks import engine, qemu

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.clock import Timed
    from benchmarks.limits import Limit


def environment() -> dict[str, Any]:
    """The computer and the versions that matter."""
    versions = {"python": platform.python_version()}
    versions |= {name: version(name) for name in ("numba", "llvmlite", "numpy", "ziglang")}
    if qemu.qemu_present():
        versions["qemu"] = qemu.qemu_version()
    return {"processor": _processor(), "processors": os.cpu_count(), "versions": versions}


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _speed_of_gnomon(timed: Sequence[Timed], other: Timed) -> float:
    return next(t.mips for t in timed if t.case == other.case and t.simulator == engine.NAME)


def speed_rows(timed: Sequence[Timed]) -> list[dict[str, Any]]:
    """One row per case and simulator, in the order of the cases."""
    order = list(dict.fromkeys(t.case for t in timed))
    return [
        {
            "program": t.case.name,
            "machine": t.case.machine,
            "active_harts": t.case.active_harts,
            "simulator": t.simulator,
            "instructions": t.instructions,
            "cycles": t.cycles,
            "cpu_seconds": t.cpu_seconds,
            "mips": t.mips,
            "megacycles_per_second": t.megacycles_per_second,
            "speed_over_gnomon": t.mips / _speed_of_gnomon(timed, t),
        }
        for t in sorted(timed, key=lambda t: order.index(t.case))
    ]


def limit_rows(found: Sequence[Limit]) -> list[dict[str, Any]]:
    """One row per promise."""
    return [
        {
            "name": x.name,
            "unit": x.unit,
            "measured": x.measured,
            "limit": x.limit,
            "at_least": x.at_least,
            "kept": x.kept,
        }
        for x in found
    ]


def _figure(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:,.3g}"


def print_tables(timed: Sequence[Timed], found: Sequence[Limit]) -> None:
    """Print speed, ratios and limits."""
    console = Console()
    console.width = max(console.width, 136)  # in a file or a narrow window, rather long than cut
    table = Table(
        title="speed, CPU time; instructions of harts awake", title_justify="left", box=SIMPLE
    )
    for heading in ("program", "machine", "harts", "simulator"):
        table.add_column(heading, no_wrap=True)
    for heading in ("M instr.", "M cycles", "CPU s", "MIPS", "M cycles/s", "x gnomon"):
        table.add_column(heading, justify="right", no_wrap=True)
    before = None
    for row in speed_rows(timed):
        case = (row["program"], row["machine"], str(row["active_harts"]))
        cycles = "-" if row["cycles"] is None else f"{row['cycles'] / 1e6:,.1f}"
        table.add_row(
            *(case if case != before else ("", "", "")),
            row["simulator"],
            f"{row['instructions'] / 1e6:,.2f}",
            cycles,
            f"{row['cpu_seconds']:.3f}",
            _figure(row["mips"]),
            _figure(row["megacycles_per_second"]),
            f"{row['speed_over_gnomon']:.2g}",
        )
        before = case
    console.print(table)
    table = Table(title="limits", title_justify="left", box=SIMPLE)
    for heading in ("what", "measured", "limit", ""):
        table.add_column(heading)
    for x in found:
        side = "≥" if x.at_least else "<"
        verdict = "kept" if x.kept else "NOT KEPT"
        table.add_row(x.name, f"{x.measured:.2f} {x.unit}", f"{side} {x.limit:g} {x.unit}", verdict)
    console.print(table)
