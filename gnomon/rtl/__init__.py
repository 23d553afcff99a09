"""RTL: outside programs, cocotb benches on our own designs, their area; lists of sources."""

from gnomon.rtl._bench import Bench
from gnomon.rtl._designs import VECTOR_UNIT, Grid
from gnomon.rtl._tools import Tool

__all__ = ["VECTOR_UNIT", "Bench", "Grid", "Tool"]
