"""Compare two runs: the first instruction that differs, and where the cycles went."""

from __future__ import annotations

from gnomon.observe.diff._compare import Issue
from gnomon.observe.diff._log import is_log
from gnomon.observe.diff._result import Differs, Labels, Result
from gnomon.observe.diff._result import diff_logs as diff_logs
from gnomon.observe.diff._result import diff_programs as diff_programs

__all__ = [
    "Differs", "Issue", "Labels", "Result", "diff_logs",
    "diff_programs", "is_log",
]  # fmt: skip
