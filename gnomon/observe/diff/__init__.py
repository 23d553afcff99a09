"""Compare two runs: the first instruction that differs, and where the cycles went."""

from gnomon.observe.diff._log import is_log
from gnomon.observe.diff._result import Result, compare_logs, compare_programs

__all__ = ["Result", "compare_logs", "compare_programs", "is_log"]
