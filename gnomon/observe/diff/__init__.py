"""Compare two runs: the first instruction that differs, and where the cycles went."""

from __future__ import annotations

from gnomon.observe.diff._log import is_log
from gnomon.observe.diff._result import Result, diff_logs, diff_programs

__all__ = ["Result", "diff_logs", "diff_programs", "is_log"]
