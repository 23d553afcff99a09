"""Keep: what programs, kernels and learners may cost, as limits that a build must keep."""

from gnomon.budget._file import BudgetFile
from gnomon.budget._judge import Report

__all__ = ["BudgetFile", "Report"]
