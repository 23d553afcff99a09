"""RTL: outside programs, cocotb benches on our own designs, their area; lists of sources."""

from __future__ import annotations

from gnomon.rtl._bench import (
    ARGUMENTS_VARIABLE,
    OUTCOME_VARIABLE,
    Bench,
    BenchFailed,
    rendered,
    run_bench,
)
from gnomon.rtl._designs import (
    DIVIDER_KINDS,
    LANES,
    SCRATCHPADS,
    VECTOR_UNIT,
    divider_grid,
    vector_parts_grid,
    vector_unit_grid,
)
from gnomon.rtl._sources import read_sources
from gnomon.rtl._synthesis import area_csv, area_rows
from gnomon.rtl._tools import Tool, chosen_simulator, tools

__all__ = [
    "ARGUMENTS_VARIABLE", "DIVIDER_KINDS", "LANES", "OUTCOME_VARIABLE", "SCRATCHPADS",
    "VECTOR_UNIT", "Bench", "BenchFailed", "Tool", "area_csv", "area_rows", "chosen_simulator",
    "divider_grid", "read_sources", "rendered", "run_bench", "tools", "vector_parts_grid",
    "vector_unit_grid",
]  # fmt: skip
