"""The report of the experiment ``ares``: page, tables and figures."""

from __future__ import annotations

from gnomon.report.ares._write import write_ares

__all__ = ["write_ares"]
