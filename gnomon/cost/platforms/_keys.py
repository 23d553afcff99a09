"""What each key of a cost-model core means. ``_load.py`` reads them."""

from __future__ import annotations

from gnomon.base.tables import TableKey
from gnomon.cost.platforms._platform import COST_CLASSES

LEVELS = ("-O0", "-O1", "-O2", "-O3", "-Os", "-Oz")
"""Levels of optimisation that a table may name."""

_TEXT = "text"
_CLASSES = ", ".join(COST_CLASSES)

PLATFORM_KEYS = (
    TableKey("schema", "version of this file format", allowed="1"),
    TableKey("name", "as on the command line", allowed=_TEXT),
    TableKey("title", "one line for people", allowed=_TEXT),
    TableKey("clock.value", "clock of the core", "Hz", "such as 80 MHz"),
    TableKey("clock.source", "where that is from", allowed=_TEXT),
    TableKey("power.value_mw", "average power of core and memories", "mW", "above 0"),
    TableKey("power.source", "where that is from", allowed=_TEXT),
    TableKey("memory.size", "room for data and stacks", "bytes", "such as 320 KiB"),
    TableKey("memory.source", "where that is from", allowed=_TEXT),
    TableKey(
        "build.optimization", "of the build whose instructions are priced", "", ", ".join(LEVELS)
    ),
    TableKey("build.source", "where that is from", allowed=_TEXT),
    TableKey(
        "costs.CLASS.cycles",
        f"cycles of one instruction; CLASS is one of {_CLASSES}",
        "cycles",
        "from 0",
    ),
    TableKey(
        "costs.CLASS.low", "lower end; left out: as cycles", "cycles", "from 0", required=False
    ),
    TableKey(
        "costs.CLASS.high", "upper end; left out: as cycles", "cycles", "from 0", required=False
    ),
    TableKey("costs.CLASS.source", "where that is from", allowed=_TEXT),
    TableKey("calibration.factor", "one factor on all costs, fitted", "", "above 0"),
    TableKey("calibration.optimization", "of the builds it was fitted to", "", ", ".join(LEVELS)),
    TableKey(
        "calibration.left_out_low",
        "prediction over published cycles of sizes left out of the fit, lowest",
        "",
        "above 0",
    ),
    TableKey("calibration.left_out_high", "the same, highest", "", "above 0"),
    TableKey("calibration.source", "the cells it was fitted to", allowed=_TEXT),
)
