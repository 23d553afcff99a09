"""Switching activity of a run and its energy, with intervals."""

from gnomon.cost.energy._activity import Activity
from gnomon.cost.energy._activity_table import ActivityTable
from gnomon.cost.energy._gate_table import GATE_LEVEL, GateTable, list_core_paths
from gnomon.cost.energy._load import load_table
from gnomon.cost.energy._points import Points, read_points
from gnomon.cost.energy._power_table import FPGA_CALIBRATED, PowerTable
from gnomon.cost.energy._price import Energy, price_functions, price_words_fj
from gnomon.cost.energy._quote import OptionalEnergy, check_operands
from gnomon.cost.energy._stated_table import STATED, StatedTable

__all__ = [
    "FPGA_CALIBRATED", "GATE_LEVEL", "STATED", "Activity", "ActivityTable", "Energy", "GateTable",
    "OptionalEnergy", "Points", "PowerTable", "StatedTable", "check_operands",
    "list_core_paths", "load_table", "price_functions", "price_words_fj", "read_points",
]  # fmt: skip
