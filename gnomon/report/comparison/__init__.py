"""All learners on the same problems: regret against energy per decision, on three machines."""

from __future__ import annotations

from gnomon.report.comparison._front import front, panels
from gnomon.report.comparison._problems import PROBLEMS, Given, Problem
from gnomon.report.comparison._run import (
    MACHINES,
    SIZES,
    Comparison,
    Point,
    Size,
    comparison_steps,
    find_size,
    run_comparison,
)
from gnomon.report.comparison._write import write_comparison

__all__ = [
    "MACHINES",
    "PROBLEMS",
    "SIZES",
    "Comparison",
    "Given",
    "Point",
    "Problem",
    "Size",
    "comparison_steps",
    "find_size",
    "front",
    "panels",
    "run_comparison",
    "write_comparison",
]
