"""Budgets: limits on the cost of programs, kernels and learners that a build must meet."""

from gnomon.budget._compare import BaseChange, BaseComparison, compare_with_base
from gnomon.budget._file import BudgetFile, CheckFile, read_budget
from gnomon.budget._judge import BudgetReport, judge_budget
from gnomon.budget._limit import BUILD_SETTINGS, METRICS_OF

__all__ = [
    "BUILD_SETTINGS",
    "METRICS_OF",
    "BaseChange",
    "BaseComparison",
    "BudgetFile",
    "BudgetReport",
    "CheckFile",
    "compare_with_base",
    "judge_budget",
    "read_budget",
]
