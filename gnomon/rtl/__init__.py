"""RTL: external programs, cocotb benches of gnomon's designs, their area; lists of sources."""

from gnomon.rtl.bench import ARGUMENTS_VARIABLE, OUTCOME_VARIABLE, Bench
from gnomon.rtl.designs import VECTOR_UNIT, Grid
from gnomon.rtl.tools import Tool, find_simulator, find_tools

__all__ = [
    "ARGUMENTS_VARIABLE", "OUTCOME_VARIABLE", "VECTOR_UNIT", "Bench", "Grid", "Tool",
    "find_simulator", "find_tools",
]  # fmt: skip
