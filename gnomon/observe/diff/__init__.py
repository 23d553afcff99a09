"""Compare two runs: the first instruction that differs, and where the cycles went."""

from __future__ import annotations

from gnomon.observe.diff._compare import Difference, Found, Issue, Timing, compare
from gnomon.observe.diff._functions import FunctionChange
from gnomon.observe.diff._log import is_log
from gnomon.observe.diff._result import DATA, INSTRUCTIONS, NOTHING, TIMING, Labels, Result
from gnomon.observe.diff._result import diff_logs as diff_logs
from gnomon.observe.diff._result import diff_programs as diff_programs

__all__ = [
    "DATA", "INSTRUCTIONS", "NOTHING", "TIMING", "Difference", "Found", "FunctionChange", "Issue",
    "Labels", "Result", "Timing", "compare", "diff_logs", "diff_programs", "is_log",
]  # fmt: skip
