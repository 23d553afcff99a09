"""Price: what a run switches, and what that costs in energy, with how sure it is."""

from __future__ import annotations

from gnomon.cost.energy._activity import (
    IDLE,
    OVERLAP,
    RETRY,
    WAITING,
    Activity,
    EventActivity,
    activity_of,
    alone_share,
    check_conditions,
    vector_activity,
)
from gnomon.cost.energy._activity_table import ActivityTable, DataSet, activity_table
from gnomon.cost.energy._alternatives import Alternatives, draw_alternatives
from gnomon.cost.energy._fit import (
    CLOCK,
    Errors,
    Fit,
    Parameter,
    Points,
    errors_of,
    fit_power,
)
from gnomon.cost.energy._functions import FunctionEnergy, function_energies
from gnomon.cost.energy._join import join_work
from gnomon.cost.energy._power_file import read_points, table_text
from gnomon.cost.energy._power_table import (
    NOT_INCLUDED,
    PowerFile,
    PowerTable,
    Price,
    power_table,
    power_table_names,
    read_power_table,
)
from gnomon.cost.energy._price import (
    Energy,
    EventEnergy,
    UnitEnergy,
    price,
    price_work,
)
from gnomon.cost.energy._quote import Quote, check_operands, quote

__all__ = [
    "CLOCK",
    "IDLE",
    "NOT_INCLUDED",
    "OVERLAP",
    "RETRY",
    "WAITING",
    "Activity",
    "ActivityTable",
    "Alternatives",
    "DataSet",
    "Energy",
    "Errors",
    "EventActivity",
    "EventEnergy",
    "Fit",
    "FunctionEnergy",
    "Parameter",
    "Points",
    "PowerFile",
    "PowerTable",
    "Price",
    "Quote",
    "UnitEnergy",
    "activity_of",
    "activity_table",
    "alone_share",
    "check_conditions",
    "check_operands",
    "draw_alternatives",
    "errors_of",
    "fit_power",
    "function_energies",
    "join_work",
    "power_table",
    "power_table_names",
    "price",
    "price_work",
    "quote",
    "read_points",
    "read_power_table",
    "table_text",
    "vector_activity",
]
