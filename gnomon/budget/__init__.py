"""Keep: what programs, kernels and learners may cost, as limits that a build must keep."""

from __future__ import annotations

from gnomon.budget._baseline import Baseline, Entry, read_baseline, write_baseline
from gnomon.budget._file import BudgetFile, CheckFile, read_budget
from gnomon.budget._judge import (
    Report,
    Verdict,
    check_baseline,
    exact,
    judge,
    new_baseline,
)
from gnomon.budget._keys import BUILD_SETTINGS, METRICS_OF
from gnomon.budget._limit import Limit
from gnomon.budget._measure import Measured, measure
from gnomon.budget._spec import Budget, Check

__all__ = [
    "BUILD_SETTINGS",
    "METRICS_OF",
    "Baseline",
    "Budget",
    "BudgetFile",
    "Check",
    "CheckFile",
    "Entry",
    "Limit",
    "Measured",
    "Report",
    "Verdict",
    "check_baseline",
    "exact",
    "judge",
    "measure",
    "new_baseline",
    "read_baseline",
    "read_budget",
    "write_baseline",
]
