"""Integer dividers: what they compute, and how long they take for which operands."""

from __future__ import annotations

from gnomon.arch.dividers._divider import LAWS
from gnomon.arch.dividers._laws import engine_cycles
from gnomon.arch.dividers._published_hp import published_high_performance
from gnomon.arch.dividers._registry import divider, divider_areas, divider_names, dividers
from gnomon.arch.dividers._results import (
    lane_quotient,
    lane_remainder,
    post_scaled_product,
    pre_shifted_quotient,
)
from gnomon.arch.dividers._table import table_lookup
from gnomon.arch.dividers._units import (
    START_UP_CYCLES,
    TRIVIAL_STEP_CYCLES,
    execute_cycles,
    lane_cycles,
    step_cycles,
)
from gnomon.arch.dividers._vector import vector_cycles

__all__ = [
    "LAWS",
    "START_UP_CYCLES",
    "TRIVIAL_STEP_CYCLES",
    "divider",
    "divider_areas",
    "divider_names",
    "dividers",
    "engine_cycles",
    "execute_cycles",
    "lane_cycles",
    "lane_quotient",
    "lane_remainder",
    "post_scaled_product",
    "pre_shifted_quotient",
    "published_high_performance",
    "step_cycles",
    "table_lookup",
    "vector_cycles",
]
