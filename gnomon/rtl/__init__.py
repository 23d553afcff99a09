"""RTL: outside programs, cocotb benches on our own designs, their area; lists of sources."""

from __future__ import annotations

from gnomon.rtl._area import AreaRow, area_csv, area_rows
from gnomon.rtl._bench import (
    ARGUMENTS_VARIABLE,
    OUTCOME_VARIABLE,
    Bench,
    BenchFailed,
    run_bench,
)
from gnomon.rtl._dividers import (
    DIVIDER_KINDS,
    divider_bench,
    divider_engine,
    divider_sources,
    hdl_folder,
    vector_divider_bench,
    vector_divider_sources,
)
from gnomon.rtl._grids import (
    LANES,
    SCRATCHPADS,
    Grid,
    divider_grid,
    vector_parts_grid,
    vector_unit_grid,
)
from gnomon.rtl._sources import Language, Source, SourceList, read_sources
from gnomon.rtl._synthesis import Configuration, synthesise
from gnomon.rtl._tools import (
    SIMULATOR_VARIABLE,
    Simulator,
    Tool,
    chosen_simulator,
    ghdl,
    icarus,
    tools,
    verilator,
    yosys,
)

__all__ = [
    "ARGUMENTS_VARIABLE",
    "DIVIDER_KINDS",
    "LANES",
    "OUTCOME_VARIABLE",
    "SCRATCHPADS",
    "SIMULATOR_VARIABLE",
    "AreaRow",
    "Bench",
    "BenchFailed",
    "Configuration",
    "Grid",
    "Language",
    "Simulator",
    "Source",
    "SourceList",
    "Tool",
    "area_csv",
    "area_rows",
    "chosen_simulator",
    "divider_bench",
    "divider_engine",
    "divider_grid",
    "divider_sources",
    "ghdl",
    "hdl_folder",
    "icarus",
    "read_sources",
    "run_bench",
    "synthesise",
    "tools",
    "vector_divider_bench",
    "vector_divider_sources",
    "vector_parts_grid",
    "vector_unit_grid",
    "verilator",
    "yosys",
]
