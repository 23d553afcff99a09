"""The report of the experiment ``fixed-point``: page, tables and figures."""

from __future__ import annotations

from gnomon.report.fixed_point._write import write_fixed_point

__all__ = ["write_fixed_point"]
