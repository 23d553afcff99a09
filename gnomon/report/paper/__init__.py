"""The paper reproduced, as one page: every table and figure, ours beside published."""

from __future__ import annotations

from gnomon.report.paper._quick import (
    headline_lines,
    measured_lines,
    quick_steps,
    run_quick,
    write_quick,
)
from gnomon.report.paper._results import Results, committed_reports
from gnomon.report.paper._write import paper_page, write_paper

__all__ = [
    "Results",
    "committed_reports",
    "headline_lines",
    "measured_lines",
    "paper_page",
    "quick_steps",
    "run_quick",
    "write_paper",
    "write_quick",
]
