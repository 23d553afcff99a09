"""Keep: what programs, kernels and learners may cost, as limits that a build must keep."""

from __future__ import annotations

from gnomon.budget._file import BudgetFile, CheckFile, read_budget
from gnomon.budget._judge import Report
from gnomon.budget._limit import BUILD_SETTINGS, METRICS_OF
from gnomon.budget._run import run_budget

__all__ = [
    "BUILD_SETTINGS", "METRICS_OF", "BudgetFile", "CheckFile", "Report", "read_budget",
    "run_budget",
]  # fmt: skip
