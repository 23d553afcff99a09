"""Integer dividers: what they compute, and how long they take for which operands.

The functions in ``COMPILABLE`` are plain functions of integers. To call them from code that Numba
compiles, register each once with ``numba.extending.register_jitable``; nothing else changes.
"""

from __future__ import annotations

from gnomon.arch.dividers._laws import (
    bit_count,
    bit_length,
    engine_cycles,
    high_frequency_steps,
    high_performance_steps,
    standard_steps,
)
from gnomon.arch.dividers._published_hp import published_high_performance
from gnomon.arch.dividers._registry import divider, divider_areas, divider_names, dividers
from gnomon.arch.dividers._results import (
    lane_quotient,
    lane_remainder,
    post_scaled_product,
    pre_shifted_quotient,
    wrap32,
)
from gnomon.arch.dividers._table import TABLE_ENTRIES, table_lookup
from gnomon.arch.dividers._units import (
    START_UP_CYCLES,
    TRIVIAL_STEP_CYCLES,
    execute_cycles,
    lane_cycles,
    lost_step_cycles,
    magnitude,
    step_cycles,
)
from gnomon.arch.dividers._vector import vector_cycles

COMPILABLE = (
    bit_length,
    bit_count,
    standard_steps,
    high_frequency_steps,
    high_performance_steps,
    engine_cycles,
    magnitude,
    execute_cycles,
    lane_cycles,
    step_cycles,
    lost_step_cycles,
    wrap32,
    lane_quotient,
    lane_remainder,
    post_scaled_product,
    pre_shifted_quotient,
)
"""Called functions first."""

__all__ = [
    "COMPILABLE",
    "START_UP_CYCLES",
    "TABLE_ENTRIES",
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
    "lost_step_cycles",
    "magnitude",
    "post_scaled_product",
    "pre_shifted_quotient",
    "published_high_performance",
    "step_cycles",
    "table_lookup",
    "vector_cycles",
    "wrap32",
]
