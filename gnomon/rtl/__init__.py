"""RTL: outside programs, cocotb benches on our own designs, their area; lists of sources."""

from __future__ import annotations

from gnomon.rtl._bench import (
    ARGUMENTS_VARIABLE,
    OUTCOME_VARIABLE,
    Bench,
    BenchFailed,
    benches_importable,
    run_bench,
)
from gnomon.rtl._designs import (
    DIVIDER_KINDS,
    LANES,
    SCRATCHPADS,
    Grid,
    checked_kinds,
    divider_bench,
    divider_engine,
    divider_grid,
    divider_sources,
    hdl_folder,
    vector_divider_bench,
    vector_parts_grid,
    vector_unit_grid,
)
from gnomon.rtl._sources import Source, SourceList, read_sources
from gnomon.rtl._synthesis import AreaRow, Configuration, area_csv, area_rows, synthesize
from gnomon.rtl._tools import Tool, chosen_simulator, ghdl, icarus, tools, verilator, yosys

__all__ = [
    "ARGUMENTS_VARIABLE", "DIVIDER_KINDS", "LANES", "OUTCOME_VARIABLE", "SCRATCHPADS", "AreaRow",
    "Bench", "BenchFailed", "Configuration", "Grid", "Source", "SourceList", "Tool", "area_csv",
    "area_rows", "benches_importable", "checked_kinds", "chosen_simulator", "divider_bench",
    "divider_engine", "divider_grid", "divider_sources", "ghdl", "hdl_folder", "icarus",
    "read_sources", "run_bench", "synthesize", "tools", "vector_divider_bench", "vector_parts_grid",
    "vector_unit_grid", "verilator", "yosys",
]  # fmt: skip
