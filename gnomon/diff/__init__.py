"""Diff: the first instruction in which two runs differ, and what changed by function."""

from __future__ import annotations

from gnomon.diff._logs import diff_logs
from gnomon.diff._result import Change, Difference, Issue
from gnomon.diff._runs import Side, diff_runs

__all__ = ["Change", "Difference", "Issue", "Side", "diff_logs", "diff_runs"]
