"""Keep: what programs, kernels and learners may cost, as limits that a build must keep."""

from gnomon.budget._file import BudgetFile, read_budget
from gnomon.budget._judge import Report, run_budget

__all__ = ["BudgetFile", "Report", "read_budget", "run_budget"]
