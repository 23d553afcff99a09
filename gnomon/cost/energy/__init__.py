"""Switching activity of a run and its energy, with intervals."""

from gnomon.cost.energy._activity import Activity
from gnomon.cost.energy._activity_table import ActivityTable
from gnomon.cost.energy._gate_table import GATE_LEVEL, list_core_paths
from gnomon.cost.energy._points import Points, read_points
from gnomon.cost.energy._power_table import PowerTable
from gnomon.cost.energy._price import FPGA_CALIBRATED, Energy, price_functions, price_words_fj
from gnomon.cost.energy._quote import OptionalEnergy, check_operands

__all__ = [
    "FPGA_CALIBRATED", "GATE_LEVEL", "Activity", "ActivityTable", "Energy",
    "OptionalEnergy", "Points", "PowerTable", "check_operands",
    "list_core_paths", "price_functions", "price_words_fj", "read_points",
]  # fmt: skip
