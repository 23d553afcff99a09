"""Execute on paper: what other cores would take for the same program, by a table of costs."""

from __future__ import annotations

from gnomon.cost.platforms._fit import Known, LeftOut, fit_factor, leave_one_size_out, mean_error
from gnomon.cost.platforms._load import PLATFORM_KEYS, is_platform, list_platforms, load_platform
from gnomon.cost.platforms._measure import (
    LIBRARY_OPTIMIZATION,
    PlatformRun,
    count_step,
    measure_on_platform,
)
from gnomon.cost.platforms._mix import Mix, mix_of
from gnomon.cost.platforms._platform import Platform
from gnomon.cost.platforms._price import documented_cycles

__all__ = [
    "LIBRARY_OPTIMIZATION",
    "PLATFORM_KEYS",
    "Known",
    "LeftOut",
    "Mix",
    "Platform",
    "PlatformRun",
    "count_step",
    "documented_cycles",
    "fit_factor",
    "is_platform",
    "leave_one_size_out",
    "list_platforms",
    "load_platform",
    "mean_error",
    "measure_on_platform",
    "mix_of",
]
