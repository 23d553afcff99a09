"""RTL: the outside programs it needs, cocotb benches on our own designs."""

from __future__ import annotations

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
    divider_sources,
    hdl_folder,
    vector_divider_bench,
    vector_divider_sources,
)
from gnomon.rtl._tools import (
    SIMULATOR_VARIABLE,
    Simulator,
    Tool,
    chosen_simulator,
    icarus,
    tools,
    verilator,
    yosys,
)

__all__ = [
    "ARGUMENTS_VARIABLE",
    "DIVIDER_KINDS",
    "OUTCOME_VARIABLE",
    "SIMULATOR_VARIABLE",
    "Bench",
    "BenchFailed",
    "Simulator",
    "Tool",
    "chosen_simulator",
    "divider_bench",
    "divider_sources",
    "hdl_folder",
    "icarus",
    "run_bench",
    "tools",
    "vector_divider_bench",
    "vector_divider_sources",
    "verilator",
    "yosys",
]
