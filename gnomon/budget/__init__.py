"""Keep: what programs, kernels and learners may cost, as limits that a build must keep."""

from __future__ import annotations

from gnomon.budget._baseline import read_baseline, write_baseline
from gnomon.budget._file import BudgetFile, CheckFile, read_budget
from gnomon.budget._judge import Report, check_baseline, exact, judge, new_baseline
from gnomon.budget._keys import BUILD_SETTINGS, METRICS_OF
from gnomon.budget._measure import measure

__all__ = [
    "BUILD_SETTINGS",
    "METRICS_OF",
    "BudgetFile",
    "CheckFile",
    "Report",
    "check_baseline",
    "exact",
    "judge",
    "measure",
    "new_baseline",
    "read_baseline",
    "read_budget",
    "write_baseline",
]
