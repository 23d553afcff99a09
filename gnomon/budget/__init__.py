"""Budgets: limits on the cost of programs, kernels and learners that a build must meet."""

from gnomon.budget._file import BudgetFile, CheckFile, read_budget
from gnomon.budget._judge import BudgetReport, judge_budget
from gnomon.budget._limit import BUILD_SETTINGS, METRICS_OF

__all__ = [
    "BUILD_SETTINGS",
    "METRICS_OF",
    "BudgetFile",
    "BudgetReport",
    "CheckFile",
    "judge_budget",
    "read_budget",
]
