"""Report of a sweep: an interactive page, a table of its points, pictures for print."""

from gnomon.report.sweep._page import write_sweep_report

__all__ = ["write_sweep_report"]
