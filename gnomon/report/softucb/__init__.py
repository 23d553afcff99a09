"""The report of the experiment ``softucb``: page, tables and figures."""

from __future__ import annotations

from gnomon.report.softucb._write import write_softucb

__all__ = ["write_softucb"]
