"""Price: what a run switches, and what that costs in energy, with how sure it is."""

from gnomon.cost.energy._activity import Activity
from gnomon.cost.energy._activity_table import ActivityTable
from gnomon.cost.energy._fit import Fit
from gnomon.cost.energy._gate_table import GATE_LEVEL
from gnomon.cost.energy._points import Points
from gnomon.cost.energy._power_table import PowerTable, format_power_table
from gnomon.cost.energy._price import FPGA_CALIBRATED, Energy
from gnomon.cost.energy._quote import Quote

__all__ = [
    "FPGA_CALIBRATED", "GATE_LEVEL", "Activity", "ActivityTable", "Energy", "Fit", "Points",
    "PowerTable", "Quote", "format_power_table",
]  # fmt: skip
