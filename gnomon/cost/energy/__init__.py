"""Price: what a run switches, and what that costs in energy, with how sure it is."""

from __future__ import annotations

from gnomon.cost.energy._activity import (
    Activity,
    Event,
    activity_of,
    vector_activity,
)
from gnomon.cost.energy._activity_table import activity_table
from gnomon.cost.energy._alternatives import draw_alternatives
from gnomon.cost.energy._fit import Errors, Fit, Points, errors_of, fit_power
from gnomon.cost.energy._functions import FunctionEnergy, function_energies
from gnomon.cost.energy._join import join_work
from gnomon.cost.energy._power_file import read_points, table_text
from gnomon.cost.energy._power_table import PowerFile, power_table, read_power_table
from gnomon.cost.energy._price import Energy, price_work
from gnomon.cost.energy._quote import Quote, check_operands, quote

__all__ = [
    "Activity",
    "Energy",
    "Errors",
    "Event",
    "Fit",
    "FunctionEnergy",
    "Points",
    "PowerFile",
    "Quote",
    "activity_of",
    "activity_table",
    "check_operands",
    "draw_alternatives",
    "errors_of",
    "fit_power",
    "function_energies",
    "join_work",
    "power_table",
    "price_work",
    "quote",
    "read_points",
    "read_power_table",
    "table_text",
    "vector_activity",
]
