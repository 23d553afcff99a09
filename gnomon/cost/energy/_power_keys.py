"""What each key of a power table means. ``_power_table.py`` reads them."""

from __future__ import annotations

from gnomon.base.tables import TableKey

_TEXT = "text"
_MW = "0 to 10000"
_PJ = "0 to 10000"
_PJ_HIGH = "0 to 10000, .inf"

POWER_KEYS = (
    TableKey("schema", "version of this file format", allowed="1"),
    TableKey("name", "name of the table", allowed=_TEXT),
    TableKey("title", "one line for people", allowed=_TEXT),
    TableKey("source", "where the power was measured, and what it covers", allowed=_TEXT),
    TableKey("activity", "activity table that the units belong to", allowed=_TEXT),
    TableKey("activity_data", "operand values that the activity of the fit assumed", allowed=_TEXT),
    TableKey("clock", "clock of the measured points", "Hz", "such as 100 MHz"),
    TableKey("static", "what is known of static power", allowed=_TEXT),
    TableKey("clock_power_mw.value", "power that every cycle costs, at that clock", "mW", _MW),
    TableKey("clock_power_mw.low", "lower end of its 95 % interval", "mW", _MW),
    TableKey("clock_power_mw.high", "upper end", "mW", "0 to 10000, .inf"),
    TableKey("energy_pj_per_toggle.GROUP.value", "what one toggle costs", "pJ", _PJ),
    TableKey("energy_pj_per_toggle.GROUP.low", "lower end of its 95 % interval", "pJ", _PJ),
    TableKey("energy_pj_per_toggle.GROUP.high", "upper end", "pJ", _PJ_HIGH),
    TableKey("energy_pj_per_toggle.GROUP.units", "units of this price", allowed="list of names"),
    TableKey("fit.points", "measured points", "points"),
    TableKey("fit.residual_mw", "standard deviation of the residuals", "mW", _MW),
    TableKey("fit.degrees_of_freedom", "points less parameters"),
    TableKey(
        "fit.toggles_per_cycle",
        "activity of the points; a run outside is extrapolated",
        "toggles per cycle",
        "lowest, highest",
    ),
    TableKey("fit.leave_one_out.rms_mw", "error at points that the fit has not seen", "mW"),
    TableKey("fit.leave_one_out.mean_percent", "mean of its size", "%"),
    TableKey("fit.leave_one_out.max_percent", "largest", "%"),
    TableKey(
        "fit.covariance",
        "of the parameters: the clock, then the groups in their order",
        "mW, pJ",
        "a square of numbers",
    ),
    TableKey("fit.not_identified", "what the data do not say", allowed="list of texts"),
    TableKey("alternatives.seed", "of the draws of relative prices", required=False),
    TableKey("alternatives.drawn", "how many were drawn", required=False),
    TableKey("alternatives.units", "units of the columns below", allowed="list of names"),
    TableKey(
        "alternatives.rows",
        "price sets that fit as well: clock, then each unit",
        "mW, pJ per toggle",
        "rows of numbers",
    ),
)
