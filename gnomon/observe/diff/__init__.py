"""Comparison of two runs: the first instruction that differs, and cycles by function."""

from gnomon.observe.diff._log import is_log
from gnomon.observe.diff._result import ComparisonResult, compare_logs, compare_programs

__all__ = ["ComparisonResult", "compare_logs", "compare_programs", "is_log"]
